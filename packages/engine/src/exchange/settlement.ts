// Maps the outcome of a run to the settlement of its message. Every source acknowledges, redelivers or returns messages based on this value only.
import { FlowError } from "../errors/flow-error.ts";
import { ending, type Exchange } from "./exchange.ts";

export type Settlement =
  /** Acknowledge it, even if the route handled a failure itself or filtered the message out. */
  | { readonly kind: "done" }
  /** Redeliver it, or move it to the dead letters. */
  | { readonly kind: "failed" | "rolled-back"; readonly failure: FlowError }
  /**
   * Return it without counting an attempt: the message was not the cause. `refused`: the route had too many runs in flight;
   * `drained`: the route was stopped before the run completed.
   */
  | { readonly kind: "released"; readonly reason: "refused" | "drained"; readonly failure: FlowError };

const done: Settlement = { kind: "done" };

/** How to settle the message of a completed exchange. Does not allocate in the success case. */
export function settlementOf({ failure, ending: ended }: Exchange): Settlement {
  if (failure === undefined) return ended === ending.rolledBack ? { kind: "rolled-back", failure: rolledBack() } : done;
  if (failure.code === "limit-inflight") return { kind: "released", reason: "refused", failure };
  if (failure.code === "run-abandoned") return { kind: "released", reason: "drained", failure };
  return { kind: failure.rollback ? "rolled-back" : "failed", failure };
}

function rolledBack(): FlowError {
  return new FlowError("org.apache.camel.RollbackExchangeException", "the run was rolled back", { code: "run-rolled-back", rollback: true });
}
