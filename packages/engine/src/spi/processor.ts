import type { Exchange } from "../exchange/exchange.ts";

/** A value now, or a promise of it: synchronous work never pays for a promise. */
export type Awaitable<T = void> = T | Promise<T>;

/** One compiled step. Throws or rejects with a FlowError on failure; returns a promise only when it truly waits. */
export type Processor = (exchange: Exchange) => Awaitable;

/** A compiled expression: always synchronous, compiled once. */
export type Expression<T = unknown> = (exchange: Exchange) => T;

const constants = new WeakMap<Expression, { readonly value: unknown }>();

/** An expression with one value for every message, which those who compile it can know beforehand. */
export function constantExpression(value: unknown): Expression {
  const expression = (): unknown => value;
  constants.set(expression, { value });
  return expression;
}

/** The value of a constant expression; undefined for any other. */
export function constantOf(expression: Expression): { readonly value: unknown } | undefined {
  return constants.get(expression);
}
