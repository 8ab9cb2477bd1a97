// The aggregation strategy of a step: a bean, or an expression that yields the new body.
import type { Compiler, Expression } from "@sluice/engine/spi";
import { CompileError } from "@sluice/engine/spi";
import { f, type ExpressionNode } from "@sluice/model";
import type { AggregationStrategy } from "../beans/aggregation-strategy.ts";
import { functionStrategy, type Merge } from "../operator-functions/function-strategy.ts";

export const strategyFields = {
  aggregationStrategy: f.string({
    doc: "How results are merged: the name of a bean, or #class:<type>.",
    examples: ["#class:org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy"],
    names: "aggregation-strategy",
  }),
  aggregationStrategyMethodName: f.string({ doc: "Method of the operator's bean that merges messages; `aggregate` by default.", group: "advanced" }),
  aggregationStrategyMethodAllowNull: f.boolean({
    doc: "Accepted but ignored: an operator function is called for every message; its first argument is undefined for the first one.",
    default: false,
    group: "advanced",
  }),
  aggregationExpression: f.expression({
    doc: "Merges with an expression instead of a bean. It is evaluated for each new message, and its value becomes the body of the result; the variable `aggregate` is the previous body. Not part of Camel.",
    group: "advanced",
  }),
};

export interface StrategyOptions {
  readonly aggregationStrategy?: string | undefined;
  readonly aggregationStrategyMethodName?: string | undefined;
  readonly aggregationExpression?: ExpressionNode | undefined;
}

/** The strategy named in the options, if any. */
export function strategyOf(options: StrategyOptions, compiler: Compiler): AggregationStrategy | undefined {
  const { aggregationStrategy, aggregationExpression } = options;
  if (aggregationStrategy !== undefined && aggregationExpression !== undefined)
    throw new CompileError("option-conflict", "aggregationStrategy and aggregationExpression cannot be used together", {
      hint: "keep one of them",
      option: "aggregationExpression",
    });
  if (aggregationStrategy === undefined && options.aggregationStrategyMethodName !== undefined)
    throw new CompileError("option-missing", "aggregationStrategyMethodName requires aggregationStrategy", {
      hint: "specify the bean in aggregationStrategy",
      option: "aggregationStrategyMethodName",
    });
  if (aggregationStrategy !== undefined) return namedStrategy(aggregationStrategy, options.aggregationStrategyMethodName, compiler);
  return aggregationExpression === undefined ? undefined : expressionStrategy(compiler.expression(aggregationExpression));
}

function namedStrategy(name: string, method: string | undefined, { registry }: Compiler): AggregationStrategy {
  const bean = method === undefined ? registry.bean(name, "aggregation-strategy") : registry.bean(`${name}.${method}`, "function");
  return typeof bean === "function" ? functionStrategy(name, bean as Merge) : (bean as AggregationStrategy);
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
