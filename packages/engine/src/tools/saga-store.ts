// The contract between the step `saga` and a store outside the process, so that another process can end the sagas of a process that died.
import type { Headers } from "../exchange/headers.ts";

export type SagaOutcome = "completion" | "compensation";

/** The ids that identify a `saga` step. */
export interface SagaStep {
  readonly flowId: string;
  readonly routeId: string;
  readonly stepId: string;
}

/** A participant of a saga: the step that calls the endpoint for the outcome, and the headers of the call. */
export interface SagaParticipant {
  readonly step: SagaStep;
  readonly headers: Headers;
}

export interface OpenSaga {
  readonly id: string;
  /** The flow that began it. */
  readonly flowId: string;
  /** Undefined until it is decided. */
  readonly outcome: SagaOutcome | undefined;
  /** In the order in which they joined. */
  readonly participants: readonly SagaParticipant[];
}

/** The interface of a bean of kind `saga-service` that stores sagas. */
export interface SagaStore {
  /** Resolves when this state of the saga is stored. */
  write(saga: OpenSaga): Promise<void>;
  /** Called when all participants have been notified. */
  remove(id: string): void;
  /**
   * Registers a step that can be a participant of a saga of another process. `notify` calls its endpoint when `previous` has resolved, and resolves
   * when the call is over. Returns a function that removes the registration.
   */
  register(step: SagaStep, notify: (outcome: SagaOutcome, headers: Headers, previous: Promise<void> | undefined) => Promise<void>): () => void;
}
