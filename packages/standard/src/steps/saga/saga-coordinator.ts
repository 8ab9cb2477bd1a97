// The sagas of this process. Tracks their participants and notifies each participant of the outcome exactly once. With a store, another process ends
// the sagas if this process crashes; participants are then notified at least once.
import type { Awaitable, Host } from "@sluice/engine/spi";
import type { SagaOutcome, SagaParticipant, SagaStore } from "@sluice/engine/tools";
import { OldestKey } from "../../oldest-key.ts";
import { after } from "../settle.ts";

export interface Participant extends SagaParticipant {
  /** Calls the endpoint for the outcome of the saga when `previous` has resolved; resolves when the call has finished. */
  notify(outcome: SagaOutcome, previous: Promise<void> | undefined): Promise<void>;
}

/** Maximum open sagas; at the limit the oldest is compensated and a warning is logged. */
const maxSagas = 50_000;

export const sagaHeader = "Long-Running-Action";

class Saga {
  readonly flowId: string;
  readonly store: SagaStore | undefined;
  readonly participants: Participant[] = [];
  readonly endListeners: (() => void)[] = [];

  constructor(flowId: string, store: SagaStore | undefined) {
    this.flowId = flowId;
    this.store = store;
  }
}

export class SagaCoordinator {
  readonly #open = new Map<string, Saga>();
  readonly #oldest = new OldestKey(this.#open);
  readonly #host: Host;
  readonly #store: SagaStore | undefined;

  constructor(host: Host, store: SagaStore | undefined) {
    this.#host = host;
    this.#store = store;
  }

  /** A saga of a test session is not stored: another process must not call its endpoints. */
  begin(flowId: string, isTest: boolean): string {
    if (this.#open.size >= maxSagas) {
      const oldest = this.#oldest.next() as string;
      this.#host.log.write("WARN", "saga", `More than ${maxSagas} open sagas: compensating the oldest, ${oldest}`);
      void this.finish(oldest, "compensation");
    }
    const id = this.#host.ids.next();
    this.#open.set(id, new Saga(flowId, isTest ? undefined : this.#store));
    return id;
  }

  isOpen(id: string): boolean {
    return this.#open.has(id);
  }

  /** The work of the participant may begin when this resolves: the participant is then stored, and is compensated if this process crashes. */
  join(id: string, participant: Participant): Awaitable {
    const saga = this.#open.get(id);
    if (saga === undefined) return undefined;
    saga.participants.push(participant);
    return saga.store?.write({ id, flowId: saga.flowId, outcome: undefined, participants: [...saga.participants] });
  }

  /** Compensates the saga after a timeout; returns a function that cancels the timeout. */
  startTimeout(id: string, ms: number): () => void {
    const cancel = this.#host.clock.after(ms, () => void this.finish(id, "compensation"));
    this.onSagaEnd(id, cancel);
    return cancel;
  }

  /** Calls `run` when the saga ends, before its participants are notified. */
  onSagaEnd(id: string, run: () => void): void {
    this.#open.get(id)?.endListeners.push(run);
  }

  /** Ends the saga and notifies its participants; has no effect for an unknown id. With a store, a success is final only when it is stored. */
  finish(id: string, outcome: SagaOutcome): Awaitable {
    const saga = this.#open.get(id);
    if (saga === undefined) return undefined;
    this.#open.delete(id);
    for (const run of saga.endListeners) run();
    const { flowId, participants, store } = saga;
    if (store === undefined || participants.length === 0) return void this.#notify(participants, outcome);
    // Without a stored outcome, the saga is compensated if this process crashes.
    const stored = outcome === "completion" ? store.write({ id, flowId, outcome, participants }) : undefined;
    return after(stored, () => void this.#notify(participants, outcome).then(() => store.remove(id)));
  }

  /** Notifies participants one after the other, the latest first, as in Camel. All calls are in flight immediately, so that a stopping flow waits for them. */
  async #notify(participants: readonly Participant[], outcome: SagaOutcome): Promise<void> {
    let previous: Promise<void> | undefined;
    for (const participant of participants.toReversed()) previous = participant.notify(outcome, previous);
    await previous;
  }
}

const coordinators = new WeakMap<Host, SagaCoordinator>();

/** The coordinator of a runtime, shared by its saga steps. */
export function sagaCoordinator(host: Host, store: SagaStore | undefined): SagaCoordinator {
  let coordinator = coordinators.get(host);
  if (coordinator === undefined) coordinators.set(host, (coordinator = new SagaCoordinator(host, store)));
  return coordinator;
}
