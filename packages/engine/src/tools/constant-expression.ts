import type { Expression } from "../spi/processor.ts";

/** Marks a constant expression with its value; a registered symbol, so that it works across copies of this package. */
const constant: unique symbol = Symbol.for("sluice.constant");

type ConstantExpression = Expression & { [constant]?: { readonly value: unknown } };

/** An expression with the same value for every message, known at compile time. */
export function constantExpression(value: unknown): Expression {
  const expression: ConstantExpression = () => value;
  expression[constant] = { value };
  return expression;
}

/** The value of a constant expression; undefined for any other. */
export function constantOf(expression: Expression): { readonly value: unknown } | undefined {
  return (expression as ConstantExpression)[constant];
}
