import type { RunDestination } from "../run-store/run-store.ts";
import type { Calls } from "./calls.ts";
import type { SentRuns } from "./messages.ts";

/** Delay and maximum number of retries while the leader is being replaced. */
const retryMs = 1_000;
const maxRetries = 15;

/** Sends ended runs to the leader, which stores them. */
export function sendRuns(calls: Calls): RunDestination {
  return {
    async write(runs, omitted) {
      for (let retries = 0; ; retries++)
        try {
          return await calls.call<void>("leader", "store-runs", { runs, omitted } satisfies SentRuns);
        } catch (error) {
          if (!["exited", "unhandled"].includes((error as NodeJS.ErrnoException).code ?? "") || retries === maxRetries) throw error;
          await new Promise((resolve) => setTimeout(resolve, retryMs).unref());
        }
    },
  };
}
