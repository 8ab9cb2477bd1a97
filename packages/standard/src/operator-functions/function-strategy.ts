import { FlowError, isExchange, type Exchange } from "@sluice/engine/spi";
import type { AggregationStrategy } from "../beans/aggregation-strategy.ts";

/** Merges with an operator function: `old` is undefined for the first message. */
export type Merge = (old: Exchange | undefined, next: Exchange) => unknown;

/** Merges with a function: it returns one of the two exchanges, or the body of the result. */
export function functionStrategy(name: string, merge: Merge): AggregationStrategy {
  return {
    aggregate(old, next) {
      old?.unshareProperties();
      next.unshareProperties();
      const merged = merge(old, next);
      if (merged instanceof Promise) {
        merged.catch(() => undefined);
        throw new FlowError(
          "java.lang.IllegalStateException",
          `the aggregation strategy '${name}' returns a promise, but messages are merged synchronously; return a value`,
          { code: "function-promise" },
        );
      }
      if (isExchange(merged)) return merged;
      const result = old ?? next;
      if (old !== undefined && next.failure !== undefined) old.failure ??= next.failure;
      if (merged !== undefined) result.message.body = merged;
      return result;
    },
  };
}
