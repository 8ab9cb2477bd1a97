import { performance } from "node:perf_hooks";
import type { FakeClock } from "./fake-host.ts";

/** Waits until a condition holds. The default timeout is long, so that a stalled machine does not fail the test. */
export async function eventually(condition: () => boolean | Promise<boolean>, timeoutMs = 120_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`the condition was not met within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Advances a fake clock until a condition holds, with real time in between, in which files are read and sockets respond. */
export async function advanceUntil(clock: FakeClock, condition: () => boolean | Promise<boolean>, stepMs = 1_000): Promise<void> {
  await eventually(async () => {
    if (await condition()) return true;
    await clock.advance(stepMs);
    return false;
  });
}
