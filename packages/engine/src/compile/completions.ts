// onCompletion: what a route wants done when an exchange that passed it is over.
import type { StepNode, Values } from "@sluice/model";
import { copyExchange } from "../exchange/copy.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { CompileError, type Compiler } from "../spi/compiler.ts";
import type { Awaitable, Processor } from "../spi/processor.ts";
import type { onCompletionFields } from "../entities/route-entities.ts";

export type OnCompletionOptions = Values<typeof onCompletionFields>;

export interface Completions {
  /** Run on the exchange itself when it leaves the route. */
  readonly before: readonly Processor[];
  /** Run on copies when the whole exchange is over. */
  readonly after: readonly ((exchange: Exchange) => Awaitable)[];
  readonly needOriginal: boolean;
}

export const noCompletions: Completions = { before: [], after: [], needOriginal: false };

export function completions(all: readonly OnCompletionOptions[], compiler: Compiler): Completions {
  const before: Processor[] = [];
  const after: Processor[] = [];
  for (const options of all) {
    if (options.disabled) continue;
    if (options.onCompleteOnly && options.onFailureOnly)
      throw new CompileError("option-conflict", "onCompletion runs never with both onCompleteOnly and onFailureOnly: give one of them or none");
    const steps = compiler.steps(options.steps as readonly StepNode[]);
    const holds = options.onWhen === undefined ? undefined : compiler.predicate(options.onWhen);
    const applies = (exchange: Exchange): boolean => {
      const failed = exchange.failure !== undefined;
      if ((options.onCompleteOnly && failed) || (options.onFailureOnly && !failed)) return false;
      return holds === undefined || holds(exchange);
    };
    const run = (exchange: Exchange): Awaitable => {
      exchange.setProperty("CamelOnCompletion", true);
      if (options.useOriginalMessage && exchange.original !== undefined) exchange.message = exchange.original.copy();
      return steps(exchange);
    };
    if (options.mode === "BeforeConsumer") {
      before.push((exchange) => (applies(exchange) ? run(exchange) : undefined));
    } else {
      after.push((exchange) => {
        if (!applies(exchange)) return undefined;
        const copy = copyExchange(exchange, compiler.host.ids, { pattern: "InOnly" });
        copy.caught = exchange.failure ?? exchange.caught;
        compiler.tasks.detach(copy, run);
        return undefined;
      });
    }
  }
  return { before, after, needOriginal: all.some(({ useOriginalMessage }) => useOriginalMessage) };
}
