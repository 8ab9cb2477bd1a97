// Waiting and long loops, done so that other flows live: the only two ways a step may take time.
import type { Exchange } from "../exchange/exchange.ts";
import { FlowError } from "../errors/flow-error.ts";
import type { Clock } from "./host.ts";
import type { Awaitable } from "./processor.ts";

/** How long a loop may hold the event loop before it lets others go first. */
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

/** The failure of a run that was cancelled, as a step should throw it. */
export function cancelledError(signal: AbortSignal): FlowError {
  return signal.reason instanceof FlowError
    ? signal.reason
    : new FlowError("java.util.concurrent.CancellationException", "the run was cancelled", { code: "run-cancelled", cause: signal.reason });
}

/**
 * Calls `body` for each item in turn until it returns false. Synchronous as long as every call is and the
 * work stays short; otherwise one promise for the rest, which lets the event loop breathe between slices.
 */
export function each<T>(items: Iterator<T>, body: (item: T, index: number) => Awaitable<boolean | void>, clock: Clock): Awaitable {
  let began = clock.monotonic();
  let index = 0;
  for (;;) {
    const next = items.next();
    if (next.done === true) return undefined;
    const result = body(next.value, index++);
    if (result instanceof Promise) return rest(result);
    if (result === false) return undefined;
    if (clock.monotonic() - began > sliceMs) return rest(undefined);
  }

  async function rest(first: Promise<boolean | void> | undefined): Promise<void> {
    if (first === undefined) await clock.breathe();
    else if ((await first) === false) return;
    began = clock.monotonic();
    for (let next = items.next(); next.done !== true; next = items.next()) {
      const result = body(next.value, index++);
      if ((result instanceof Promise ? await result : result) === false) return;
      if (clock.monotonic() - began > sliceMs) {
        await clock.breathe();
        began = clock.monotonic();
      }
    }
  }
}
