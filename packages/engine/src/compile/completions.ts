// onCompletion: steps to run when an exchange that entered the route completes.
import type { Values } from "@sluice/model";
import { copyExchange } from "../tools/copy-exchange.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { CompileError, type Compiler } from "../spi/compiler.ts";
import type { Awaitable, Processor } from "../spi/processor.ts";
import type { onCompletionFields } from "../entities/route-entities.ts";

export type OnCompletionOptions = Values<typeof onCompletionFields>;

export interface Completions {
  /** Run on the exchange itself when it leaves the route. */
  readonly before: readonly Processor[];
  /** Called when the whole exchange has completed; each works on a copy and never throws. */
  readonly after: readonly ((exchange: Exchange) => void)[];
  readonly needOriginal: boolean;
}

export const noCompletions: Completions = { before: [], after: [], needOriginal: false };

export function completions(all: readonly OnCompletionOptions[], compiler: Compiler): Completions {
  const before: Processor[] = [];
  const after: ((exchange: Exchange) => void)[] = [];
  for (const options of all) {
    if (options.disabled) continue;
    if (options.onCompleteOnly && options.onFailureOnly)
      throw new CompileError("option-conflict", "onCompletion never runs with both onCompleteOnly and onFailureOnly: keep one of them or none");
    const steps = compiler.steps(options.steps);
    const condition = options.onWhen === undefined ? undefined : compiler.predicate(options.onWhen);
    const applies = (exchange: Exchange): boolean => {
      const failed = exchange.failure !== undefined;
      if ((options.onCompleteOnly && failed) || (options.onFailureOnly && !failed)) return false;
      return condition === undefined || condition(exchange);
    };
    const run = (exchange: Exchange): Awaitable => {
      exchange.setProperty("CamelOnCompletion", true);
      if (options.useOriginalMessage && exchange.original !== undefined) exchange.message = exchange.original.copy();
      return steps(exchange);
    };
    if (options.mode === "BeforeConsumer") {
      before.push((exchange) => (applies(exchange) ? run(exchange) : undefined));
    } else {
      const detach = (exchange: Exchange, process: Processor): void => {
        const copy = copyExchange(exchange, compiler.host.ids, { pattern: "InOnly" });
        copy.caught = exchange.failure ?? exchange.caught;
        compiler.tasks.detach(copy, process);
      };
      after.push((exchange) => {
        try {
          if (applies(exchange)) detach(exchange, run);
        } catch (fault) {
          // A failing condition is reported as a separate failed run: the exchange itself completed successfully.
          detach(exchange, () => {
            throw fault;
          });
        }
      });
    }
  }
  return { before, after, needOriginal: all.some(({ useOriginalMessage }) => useOriginalMessage) };
}
