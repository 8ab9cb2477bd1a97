// Retries of operations that are safe to repeat.
import { ClusterError, isClusterError } from "@sluice/engine";
import { systemClock } from "../host/clock.ts";

/** How long an operation is retried. */
const retryMs = 10_000;
const pauseMs = 100;

export interface StoreLink {
  isClosed(): boolean;
  /** While false, nothing is sent. */
  isConnected(): boolean;
  /** `not-executed`: it certainly had no effect; `unknown`: it may have had an effect; `final`: do not repeat it. */
  classify(error: unknown): "not-executed" | "unknown" | "final";
}

/**
 * Repeats an operation until it succeeds or fails permanently; throws "unreachable" or "uncertain" ten seconds after `since`. While the store is
 * connected, tries at least once.
 */
export async function retryOperation<T>(link: StoreLink, attempt: () => Promise<T>, since = systemClock.monotonic()): Promise<T> {
  const until = since + retryMs;
  let wasSent = false;
  for (let cause: unknown; ;) {
    if (link.isClosed()) throw new ClusterError("closed", "the connection to the cluster store is closed");
    if (link.isConnected()) {
      try {
        return await attempt();
      } catch (error) {
        const failureKind = isClusterError(error) ? "final" : link.classify(error);
        if (failureKind === "final") throw error;
        cause = error;
        if (failureKind === "unknown") wasSent = true;
      }
    }
    if (systemClock.monotonic() > until)
      throw new ClusterError(wasSent ? "uncertain" : "unreachable", wasSent ? "the cluster store did not respond" : "cluster store unreachable", { cause });
    await new Promise<void>((resolve) => systemClock.after(pauseMs, resolve));
  }
}
