// Delays and long loops that do not block other flows. Steps that take time must use one of these functions.
import type { Exchange } from "../exchange/exchange.ts";
import { FlowError, isFlowError } from "../errors/flow-error.ts";
import type { Clock } from "../spi/host.ts";
import type { Awaitable } from "../spi/processor.ts";

/** How long a loop may block the event loop before it yields. */
const sliceMs = 10;

/** Waits, unless the message belongs to a session that skips time; rejects when the run is cancelled meanwhile. */
export function pause(exchange: Exchange, ms: number, clock: Clock): Awaitable {
  if (!(ms > 0) || exchange.run.session?.skipTime === true) return undefined;
  return new Promise<void>((resolve, reject) => {
    const { signal } = exchange.run;
    const cancel = clock.after(ms, () => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    });
    const onAbort = (): void => {
      cancel();
      reject(cancelledError(signal));
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
}

/** The error that a step should throw when its run was cancelled. */
export function cancelledError(signal: AbortSignal): FlowError {
  return isFlowError(signal.reason)
    ? signal.reason
    : new FlowError("java.util.concurrent.CancellationException", "the run was cancelled", { code: "run-cancelled", cause: signal.reason });
}

/**
 * Calls `body` for each item in order until it returns false. Synchronous while the calls are synchronous and the loop is short; then returns
 * one promise for the remaining calls and yields to the event loop between slices.
 */
export function each<T>(items: Iterator<T>, body: (item: T, index: number) => Awaitable<boolean | void>, clock: Clock): Awaitable {
  let startedAt = clock.monotonic();
  let index = 0;
  for (;;) {
    const next = items.next();
    if (next.done === true) return undefined;
    const result = body(next.value, index++);
    if (result instanceof Promise) return continueAsync(result);
    if (result === false) return undefined;
    if (clock.monotonic() - startedAt > sliceMs) return continueAsync(undefined);
  }

  async function continueAsync(first: Promise<boolean | void> | undefined): Promise<void> {
    if (first === undefined) await clock.yieldToEventLoop();
    else if ((await first) === false) return;
    startedAt = clock.monotonic();
    for (let next = items.next(); next.done !== true; next = items.next()) {
      const result = body(next.value, index++);
      if ((result instanceof Promise ? await result : result) === false) return;
      if (clock.monotonic() - startedAt > sliceMs) {
        await clock.yieldToEventLoop();
        startedAt = clock.monotonic();
      }
    }
  }
}

/** Runs a generator and yields to the event loop after each time slice; starts with a fresh slice. */
export async function inSlices<T>(steps: Generator<undefined, T>, clock: Clock): Promise<T> {
  await clock.yieldToEventLoop();
  let startedAt = clock.monotonic();
  for (;;) {
    const step = steps.next();
    if (step.done === true) {
      await clock.yieldToEventLoop();
      return step.value;
    }
    if (clock.monotonic() - startedAt <= sliceMs) continue;
    await clock.yieldToEventLoop();
    startedAt = clock.monotonic();
  }
}
