/** Work in steps of an iterator, so that its driver can yield to the event loop between steps. */
export type InSteps<T> = Generator<undefined, T>;

/** Runs all steps synchronously. */
export function allAtOnce<T>(steps: InSteps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
