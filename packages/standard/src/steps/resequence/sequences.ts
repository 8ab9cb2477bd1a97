import type { Exchange, Lifecycle } from "@sluice/engine/spi";

interface Sequencer extends Lifecycle {
  accepts(key: unknown): boolean;
  add(key: unknown, exchange: Exchange): void;
}

/** Test sessions with their own order; above that, the messages of the oldest are delivered. */
const maxSessions = 100;

/** One sequence for live messages and one per test session: a test message must not drop or delay a live one. */
export class Sequences implements Lifecycle {
  readonly #make: () => Sequencer;
  readonly #live: Sequencer;
  readonly #bySession = new Map<string, Sequencer>();

  constructor(make: () => Sequencer) {
    this.#make = make;
    this.#live = make();
  }

  accepts(key: unknown): boolean {
    return this.#live.accepts(key);
  }

  add(key: unknown, exchange: Exchange): void {
    const { session } = exchange.run;
    (session === undefined ? this.#live : this.#of(session.id)).add(key, exchange);
  }

  stop(): void {
    for (const sequencer of [this.#live, ...this.#bySession.values()]) void sequencer.stop?.();
    this.#bySession.clear();
  }

  #of(session: string): Sequencer {
    const known = this.#bySession.get(session);
    if (known !== undefined) return known;
    const [oldest] = this.#bySession;
    if (oldest !== undefined && this.#bySession.size >= maxSessions) {
      this.#bySession.delete(oldest[0]);
      void oldest[1].stop?.();
    }
    const made = this.#make();
    this.#bySession.set(session, made);
    return made;
  }
}
