// Limits how long a starting node waits for each step, and logs the wait, so that a start that hangs can be diagnosed.
import type { Log } from "@sluice/engine";
import { SettingsError } from "../config.ts";
import { systemClock } from "../host/clock.ts";

/** Interval of the log records while it waits. */
const noticeMs = 5_000;
const limitMs = 60_000;

/** Waits for one step of the start; rejects after a time limit, so that a supervisor can start the node again. */
export async function waitForStartStep<T>(log: Log, what: string, step: Promise<T>): Promise<T> {
  const startedMs = systemClock.monotonic();
  let cancel = (): void => undefined;
  const timedOut = new Promise<never>((_, reject) => {
    const check = (): void => {
      const waitedMs = systemClock.monotonic() - startedMs;
      if (waitedMs >= limitMs)
        return reject(
          new SettingsError([
            `SERVICE_CLUSTER: cannot join the cluster: still waiting for ${what} after ${limitMs / 1_000} s: check that the store is healthy`,
          ]),
        );
      log.write("WARN", "sluice.cluster", `Starting: still waiting for ${what} after ${Math.round(waitedMs / 1_000)} s`);
      scheduleCheck();
    };
    const scheduleCheck = (): void => {
      cancel = systemClock.after(noticeMs, check);
    };
    scheduleCheck();
  });
  try {
    return await Promise.race([step, timedOut]);
  } finally {
    cancel();
  }
}
