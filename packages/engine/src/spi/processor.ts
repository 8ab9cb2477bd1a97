import type { Exchange } from "../exchange/exchange.ts";

/** A value, or a promise of it: synchronous work avoids the cost of a promise. */
export type Awaitable<T = void> = T | Promise<T>;

/** One compiled step. Throws or rejects with a FlowError on failure; returns a promise only when it actually waits. */
export type Processor = (exchange: Exchange) => Awaitable;

/** A compiled expression: always synchronous, compiled once. */
export type Expression<T = unknown> = (exchange: Exchange) => T;
