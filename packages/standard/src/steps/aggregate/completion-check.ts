import { CompileError, type Compiler, type Exchange, type Expression } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import type { ExpressionNode } from "@sluice/model";

export type CompletedBy = "size" | "timeout" | "interval" | "predicate" | "consumer" | "strategy" | "force";

export interface CompletionCheck {
  /** The reason a group of this size is complete; undefined when it is not. */
  readonly isComplete: (exchange: Exchange, size: number) => CompletedBy | undefined;
  /** How long the group may wait for its next message; 0 for no limit. */
  readonly timeoutMs: (exchange: Exchange) => number;
  readonly hasTimeouts: boolean;
}

export interface CompletionOptions {
  readonly completionSize: number;
  readonly completionSizeExpression?: ExpressionNode | undefined;
  readonly completionTimeout: number;
  readonly completionTimeoutExpression?: ExpressionNode | undefined;
  readonly completionInterval: number;
  readonly completionPredicate?: ExpressionNode | undefined;
  readonly completionFromBatchConsumer: boolean;
}

/** Compiles the conditions; rejects an aggregate that could never complete a group. */
export function completionCheck(options: CompletionOptions, compiler: Compiler): CompletionCheck {
  const { completionSize, completionTimeout, completionInterval, completionFromBatchConsumer } = options;
  const hasTimeouts = completionTimeout > 0 || options.completionTimeoutExpression !== undefined;
  if (completionInterval > 0 && hasTimeouts)
    throw new CompileError("option-conflict", "completionInterval and completionTimeout cannot be used together", {
      hint: "keep one of them",
      option: options.completionTimeoutExpression === undefined ? "completionTimeout" : "completionTimeoutExpression",
    });
  const size = compile(options.completionSizeExpression, compiler);
  const timeout = compile(options.completionTimeoutExpression, compiler);
  const predicate = options.completionPredicate === undefined ? undefined : compiler.predicate(options.completionPredicate);
  if (completionSize === 0 && completionInterval === 0 && !hasTimeouts && size === undefined && predicate === undefined && !completionFromBatchConsumer)
    throw new CompileError("option-missing", "aggregate needs a completion condition, such as completionSize or completionTimeout", {
      hint: "add completionSize or completionTimeout: without a condition, groups are never completed",
    });
  let receivedInBatch = 0;
  return {
    hasTimeouts,
    isComplete(exchange, count) {
      if (completionFromBatchConsumer) {
        const batchSize = number(exchange.property("CamelBatchSize"));
        if (batchSize > 0 && ++receivedInBatch >= batchSize) {
          receivedInBatch = 0;
          return "consumer";
        }
      }
      if (exchange.property("CamelAggregationCompleteCurrentGroup") === true) return "strategy";
      if (predicate?.(exchange) === true) return "predicate";
      const required = number(size?.(exchange)) || completionSize;
      return required > 0 && count >= required ? "size" : undefined;
    },
    timeoutMs: (exchange) => number(timeout?.(exchange)) || completionTimeout,
  };
}

function compile(node: ExpressionNode | undefined, compiler: Compiler): Expression | undefined {
  return node === undefined ? undefined : compiler.expression(node);
}

/** A positive number, or 0 for anything else. */
function number(value: unknown): number {
  const result = typeof value === "number" ? value : Number(asText(value).trim() || Number.NaN);
  return result > 0 ? result : 0;
}
