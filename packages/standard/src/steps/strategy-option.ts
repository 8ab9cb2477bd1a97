// How a step names its aggregation strategy: a bean, or an expression that makes the new body.
import type { Compiler, Expression } from "@sluice/engine/spi";
import { CompileError } from "@sluice/engine/spi";
import { f, type ExpressionNode } from "@sluice/model";
import type { AggregationStrategy } from "../beans/aggregation-strategy.ts";

export const strategyFields = {
  aggregationStrategy: f.string({
    doc: "How the results are merged: a bean's name or #class:<type>.",
    examples: ["#class:org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy"],
  }),
  aggregationExpression: f.expression({
    doc: "Merges with an expression instead of a bean: evaluated for each new message, it makes the body of the result; variable `aggregate` holds the body so far. Not part of Camel.",
    group: "advanced",
  }),
};

export interface StrategyOptions {
  readonly aggregationStrategy?: string | undefined;
  readonly aggregationExpression?: ExpressionNode | undefined;
}

/** The strategy the options name, or undefined when they name none. */
export function strategyOf(options: StrategyOptions, compiler: Compiler): AggregationStrategy | undefined {
  const { aggregationStrategy, aggregationExpression } = options;
  if (aggregationStrategy !== undefined && aggregationExpression !== undefined)
    throw new CompileError("option-conflict", "give aggregationStrategy or aggregationExpression, not both", {
      hint: "keep one of them",
      option: "aggregationExpression",
    });
  if (aggregationStrategy !== undefined) return compiler.registry.bean(aggregationStrategy, "aggregation-strategy") as AggregationStrategy;
  return aggregationExpression === undefined ? undefined : expressionStrategy(compiler.expression(aggregationExpression));
}

function expressionStrategy(expression: Expression): AggregationStrategy {
  return {
    aggregate(old, next) {
      if (next.failure !== undefined) {
        if (old !== undefined) old.failure = next.failure;
        return old ?? next;
      }
      next.setVariable("aggregate", old === undefined ? null : old.message.body);
      const body = expression(next);
      const result = old ?? next;
      result.message.body = body;
      result.variables?.delete("aggregate");
      return result;
    },
  };
}
