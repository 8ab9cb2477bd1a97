/** A closure as a value, such as the argument of `collect { it.name }`. */
export class Closure {
  readonly arity: number;
  readonly #run: (parameters: readonly unknown[]) => unknown;

  constructor(arity: number, run: (parameters: readonly unknown[]) => unknown) {
    this.arity = arity;
    this.#run = run;
  }

  call(...parameters: readonly unknown[]): unknown {
    return this.#run(parameters);
  }

  /** A map entry is passed to one parameter as `{key, value}` and to two parameters as key and value. */
  callEntry(key: string, value: unknown, ...more: readonly unknown[]): unknown {
    return this.arity - more.length >= 2
      ? this.#run([key, value, ...more])
      : this.#run([
          new Map<string, unknown>([
            ["key", key],
            ["value", value],
          ]),
          ...more,
        ]);
  }
}
