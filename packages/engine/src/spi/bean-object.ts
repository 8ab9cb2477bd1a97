/** Exposes an operator's object to flows: only its methods are accessible. */
export interface BeanObject {
  readonly methods: ReadonlyMap<string, BeanFunction>;
  /** Called when the flow starts; only for an object that was created for this flow. */
  start?(): void | Promise<void>;
  stop?(): void | Promise<void>;
}

export type BeanFunction = (...parameters: readonly never[]) => unknown;
