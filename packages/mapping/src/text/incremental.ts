/** A computation that can be paused at each `yield`, so that its caller can yield to the event loop. */
export type Incremental<T> = Generator<undefined, T>;

/** Runs it synchronously, without pauses. */
export function runToEnd<T>(computation: Incremental<T>): T {
  for (;;) {
    const next = computation.next();
    if (next.done === true) return next.value;
  }
}
