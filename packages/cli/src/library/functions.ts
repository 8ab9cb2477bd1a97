// The parameters and results of operator functions (SERVICE_FUNCTIONS): `import type { Exchange } from "sluice/functions"`. The module exports types
// only.

/** One message being processed by a route. */
export interface Exchange {
  readonly id: string;
  readonly pattern: "InOnly" | "InOut";
  readonly message: Message;
  readonly run: Run;
  property(name: string): unknown;
  setProperty(name: string, value: unknown): void;
  removeProperty(name: string): void;
  variable(name: string): unknown;
  setVariable(name: string, value: unknown): void;
}

export interface Message {
  /** Text, bytes (`Uint8Array`), a number, a list, an object, or null. */
  body: unknown;
  readonly headers: Headers;
}

/** Header names are case-insensitive. */
export interface Headers {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  has(name: string): boolean;
  delete(name: string): boolean;
  toObject(): Record<string, unknown>;
}

export interface Run {
  readonly id: string;
  readonly route: { readonly id: string; readonly flowId: string };
  /** Aborted when the run is cancelled or times out: pass it to `fetch`. */
  readonly signal: AbortSignal;
}

/** For `bean` and `bean:`: the result, awaited if it is a promise, becomes the body; `undefined` leaves the body unchanged. */
export type BeanFunction = (exchange: Exchange) => unknown;

/** For `process`: the result is ignored, a promise is awaited. */
export type Processor = (exchange: Exchange) => void | Promise<void>;

/** For `method` and `${bean:…}` as a value: synchronous, no promise. */
export type ValueFunction = (exchange: Exchange) => unknown;

/** For `method` and `${bean:…}` as a condition: synchronous, no promise. */
export type Condition = (exchange: Exchange) => boolean;

/** For an aggregation strategy, synchronous: returns one of the two exchanges, or the body of the result. `old` is undefined for the first message. */
export type Aggregation = (old: Exchange | undefined, next: Exchange) => unknown;

/** For `sort`: less than 0 if `a` comes before `b`. */
export type Comparator = (a: unknown, b: unknown) => number;

/** For `idempotentConsumer`. */
export interface IdempotentRepository {
  /** Adds a key; false if it already exists. */
  add(key: string): boolean | Promise<boolean>;
  contains(key: string): boolean | Promise<boolean>;
  remove(key: string): void | Promise<void>;
  /** Called when the message with this key was processed. */
  confirm(key: string): void | Promise<void>;
}

/** The constructor parameter of a class: the `properties` of the flow's bean as strings, and `constructors` by position. */
export type BeanProperties = Readonly<Record<string, string | undefined>>;
