import type { Clock } from "../spi/host.ts";

/** Runs `work` and waits for it until a deadline of the monotonic clock; false on timeout. A late result is ignored. */
export function completesBefore(work: () => Promise<unknown>, until: number, clock: Clock): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(Math.max(0, until - clock.monotonic()), () => resolve(false));
    work().then(
      () => {
        cancel();
        resolve(true);
      },
      (error: unknown) => {
        cancel();
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}
