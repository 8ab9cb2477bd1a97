// Stores the message and restores it later. Stored messages belong to the exchange and its copies.
import { CompileError, defineStep, type Compiler, type Exchange, type Message } from "@sluice/engine/spi";
import { copyExchange } from "@sluice/engine/tools";
import { f } from "@sluice/model";
import { mergeResult } from "../merge-result.ts";
import { strategyFields, strategyOf, type StrategyOptions } from "../strategy-option.ts";
import { template } from "../template.ts";
import { claimFilter } from "./claim-filter.ts";

class ClaimStore {
  readonly messages = new Map<string, Message>();
  readonly stack: Message[] = [];
}

export const claimCheck = defineStep({
  name: "claimCheck",
  title: "Claim check",
  summary: "Stores the message and restores it later.",
  guarantees: "Messages are stored in memory, belong to the exchange and its copies, and are released when the exchange ends.",
  group: "message",
  icon: "ticket",
  paletteGroup: "data",
  card: { subtitle: "{operation}" },
  since: "0.1",
  options: {
    operation: f.enum(["Set", "Get", "GetAndRemove", "Push", "Pop"], { doc: "Set, Get and GetAndRemove use a key; Push and Pop use a stack.", required: true }),
    key: f.string({ doc: "Name under which the message is stored; may contain Simple expressions." }),
    filter: f.string({
      doc: "The parts to restore: body, headers and header:<pattern>, separated by commas. The prefix - excludes a part, -- removes it from the message.",
    }),
    aggregationStrategy: strategyFields.aggregationStrategy,
    aggregationStrategyMethodName: strategyFields.aggregationStrategyMethodName,
  },
  examples: [
    {
      title: "Store and restore",
      yaml: "pipeline: {steps: [{claimCheck: {operation: Push}}, {setBody: {constant: other}}, {claimCheck: {operation: Pop}}]}",
      given: { body: "mine" },
      expect: { body: "mine" },
    },
  ],
  compile({ operation, key, filter, aggregationStrategy }, compiler, node) {
    if (key === undefined && operation !== "Push" && operation !== "Pop")
      throw new CompileError("option-missing", `claimCheck ${operation} needs a key`, { hint: "add key, or use Push and Pop" });
    const keyOf = template(key ?? "", compiler, node.span);
    const restore = compileRestore(filter, { aggregationStrategy }, compiler);
    return (exchange) => {
      const store = claimStoreOf(exchange);
      if (operation === "Set") store.messages.set(keyOf(exchange), exchange.message.copy());
      else if (operation === "Push") store.stack.push(exchange.message.copy());
      else {
        const message = operation === "Pop" ? store.stack.pop() : store.messages.get(keyOf(exchange));
        if (operation === "GetAndRemove") store.messages.delete(keyOf(exchange));
        if (message !== undefined) restore(exchange, message);
      }
    };
  },
});

/** Merges a stored message: with the strategy if there is one, else with the filter. */
function compileRestore(filter: string | undefined, options: StrategyOptions, compiler: Compiler): (exchange: Exchange, stored: Message) => void {
  const strategy = strategyOf(options, compiler);
  if (strategy !== undefined && filter !== undefined)
    throw new CompileError("option-conflict", "filter and aggregationStrategy cannot be used together", { hint: "keep one of them", option: "filter" });
  if (strategy === undefined) {
    const merge = claimFilter(filter);
    return (exchange, stored) => merge(exchange.message, stored);
  }
  return (exchange, stored) => {
    const copy = copyExchange(exchange, compiler.host.ids);
    copy.message = stored.copy();
    mergeResult(exchange, strategy.aggregate(exchange, copy, exchange), { stops: false });
  };
}

function claimStoreOf(exchange: Exchange): ClaimStore {
  const existing = exchange.property("CamelClaimCheckRepository");
  if (existing instanceof ClaimStore) return existing;
  const store = new ClaimStore();
  exchange.setProperty("CamelClaimCheckRepository", store);
  return store;
}
