// Sagas of this process: tracks participants and notifies each exactly once of the outcome. In memory only.
import type { Host } from "@sluice/engine/spi";
import { OldestKey } from "../../oldest-key.ts";

export type Outcome = "completion" | "compensation";

/** Called with the outcome of the saga. */
export type Participant = (outcome: Outcome) => void;

/** Maximum open sagas; at the limit the oldest is compensated and a warning is logged. */
const maxSagas = 50_000;

export const sagaHeader = "Long-Running-Action";

class Saga {
  readonly participants: Participant[] = [];
  readonly whenOver: (() => void)[] = [];
}

export class SagaCoordinator {
  readonly #open = new Map<string, Saga>();
  readonly #oldest = new OldestKey(this.#open);
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  begin(): string {
    if (this.#open.size >= maxSagas) {
      const oldest = this.#oldest.next() as string;
      this.#host.log.write("WARN", "saga", `More than ${maxSagas} open sagas: compensating the oldest, ${oldest}`);
      this.finish(oldest, "compensation");
    }
    const id = this.#host.ids.next();
    this.#open.set(id, new Saga());
    return id;
  }

  isOpen(id: string): boolean {
    return this.#open.has(id);
  }

  join(id: string, participant: Participant): void {
    this.#open.get(id)?.participants.push(participant);
  }

  /** Compensates the saga after a timeout; returns a function that cancels the timeout. */
  limit(id: string, ms: number): () => void {
    const cancel = this.#host.clock.after(ms, () => this.finish(id, "compensation"));
    this.whenOver(id, cancel);
    return cancel;
  }

  /** Calls `run` when the saga ends, before its participants are notified. */
  whenOver(id: string, run: () => void): void {
    this.#open.get(id)?.whenOver.push(run);
  }

  /** Ends the saga and notifies its participants; false for an unknown id. */
  finish(id: string, outcome: Outcome): boolean {
    const saga = this.#open.get(id);
    if (saga === undefined) return false;
    this.#open.delete(id);
    for (const run of saga.whenOver) run();
    // Compensation undoes the latest work first.
    const participants = outcome === "compensation" ? saga.participants.toReversed() : saga.participants;
    for (const participant of participants) participant(outcome);
    return true;
  }
}

const coordinators = new WeakMap<Host, SagaCoordinator>();

/** The coordinator of a runtime, shared by its saga steps. */
export function sagaCoordinator(host: Host): SagaCoordinator {
  let coordinator = coordinators.get(host);
  if (coordinator === undefined) coordinators.set(host, (coordinator = new SagaCoordinator(host)));
  return coordinator;
}
