// Chains work that may be synchronous or asynchronous, without creating a promise for synchronous work.
import { toFlowError, type Awaitable, type FlowError } from "@sluice/engine/spi";

/** Runs `run` and calls one of two continuations with its outcome; synchronous when `run` is. */
export function settle<T>(run: () => Awaitable, onDone: () => Awaitable<T>, onError: (error: FlowError) => Awaitable<T>): Awaitable<T> {
  let pending: Awaitable;
  try {
    pending = run();
  } catch (error) {
    return onError(toFlowError(error));
  }
  return pending instanceof Promise ? pending.then(onDone, (error: unknown) => onError(toFlowError(error))) : onDone();
}

/** Calls `next` when `pending` is done; failures are passed through. */
export function after<T, R>(pending: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> {
  return pending instanceof Promise ? pending.then(next) : next(pending);
}
