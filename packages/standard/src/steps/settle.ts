// Joins work that may be over at once or later, without a promise where none is needed.
import { toFlowError, type Awaitable, type FlowError } from "@sluice/engine/spi";

/** Runs `run` and hands its outcome to one of two continuations; synchronous as long as `run` is. */
export function settle<T>(run: () => Awaitable, onDone: () => Awaitable<T>, onError: (error: FlowError) => Awaitable<T>): Awaitable<T> {
  let pending: Awaitable;
  try {
    pending = run();
  } catch (thrown) {
    return onError(toFlowError(thrown));
  }
  return pending instanceof Promise ? pending.then(onDone, (thrown: unknown) => onError(toFlowError(thrown))) : onDone();
}

/** Goes on with `next` once `pending` is over; a failure passes through untouched. */
export function after<T, R>(pending: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> {
  return pending instanceof Promise ? pending.then(next) : next(pending);
}
