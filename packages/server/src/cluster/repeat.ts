import { systemClock } from "../host/clock.ts";

const retryMs = 500;
const maxAttempts = 1_000;

/** Repeats a write until it succeeds, for several minutes at most. If this process ends first, another node repeats the work. */
export async function repeatUntilStored(write: () => Promise<unknown>): Promise<void> {
  for (let attempt = 0; attempt < maxAttempts; attempt++)
    try {
      await write();
      return;
    } catch {
      await pauseBeforeRetry();
    }
}

export const pauseBeforeRetry = (): Promise<void> => new Promise((resolve) => systemClock.after(retryMs, resolve));
