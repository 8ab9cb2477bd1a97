import type { Exchange, Lifecycle } from "@sluice/engine/spi";

interface Sequencer extends Lifecycle {
  accepts(key: unknown): boolean;
  add(key: unknown, exchange: Exchange): void;
}

/** Maximum number of test sessions; above it, the waiting messages of the oldest session are delivered. */
const maxSessions = 100;

/** One sequence for live messages and one per test session: a test message must not drop or delay a live one. */
export class Sequences implements Lifecycle {
  readonly #create: () => Sequencer;
  readonly #live: Sequencer;
  readonly #bySession = new Map<string, Sequencer>();

  constructor(create: () => Sequencer) {
    this.#create = create;
    this.#live = create();
  }

  accepts(key: unknown): boolean {
    return this.#live.accepts(key);
  }

  add(key: unknown, exchange: Exchange): void {
    const { session } = exchange.run;
    (session === undefined ? this.#live : this.#sequencerOf(session.id)).add(key, exchange);
  }

  stop(): void {
    for (const sequencer of [this.#live, ...this.#bySession.values()]) void sequencer.stop?.();
    this.#bySession.clear();
  }

  #sequencerOf(session: string): Sequencer {
    const existing = this.#bySession.get(session);
    if (existing !== undefined) return existing;
    const [oldest] = this.#bySession;
    if (oldest !== undefined && this.#bySession.size >= maxSessions) {
      this.#bySession.delete(oldest[0]);
      void oldest[1].stop?.();
    }
    const created = this.#create();
    this.#bySession.set(session, created);
    return created;
  }
}
