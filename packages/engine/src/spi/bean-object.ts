/** An object of the operator as flows see it: nothing of it but its methods can be reached. */
export interface BeanObject {
  readonly methods: ReadonlyMap<string, BeanFunction>;
  /** Called with the flow, for an object that was made for it. */
  start?(): void | Promise<void>;
  stop?(): void | Promise<void>;
}

export type BeanFunction = (...parameters: readonly never[]) => unknown;
