// Puts the message aside and brings it back. What is put aside belongs to the exchange and its copies.
import { CompileError, copyExchange, defineStep, type Compiler, type Exchange, type Message } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { mergeResult } from "../merge-result.ts";
import { strategyFields, strategyOf, type StrategyOptions } from "../strategy-option.ts";
import { template } from "../template.ts";
import { claimFilter } from "./claim-filter.ts";

class Cloakroom {
  readonly kept = new Map<string, Message>();
  readonly stack: Message[] = [];
}

export const claimCheck = defineStep({
  name: "claimCheck",
  title: "Claim check",
  summary: "Puts the message aside and brings it back later.",
  group: "message",
  icon: "ticket",
  since: "0.1",
  options: {
    operation: f.enum(["Set", "Get", "GetAndRemove", "Push", "Pop"], { doc: "Set, Get and GetAndRemove use a key; Push and Pop use a stack.", required: true }),
    key: f.string({ doc: "Under which name the message is kept; may contain Simple." }),
    filter: f.string({ doc: "What comes back: a comma list of body, headers and header:<pattern>; - leaves out, -- removes from the message." }),
    aggregationStrategy: strategyFields.aggregationStrategy,
  },
  examples: [
    {
      title: "Side step",
      yaml: "pipeline: {steps: [{claimCheck: {operation: Push}}, {setBody: {constant: other}}, {claimCheck: {operation: Pop}}]}",
      given: { body: "mine" },
      expect: { body: "mine" },
    },
  ],
  compile({ operation, key, filter, aggregationStrategy }, compiler, node) {
    if (key === undefined && operation !== "Push" && operation !== "Pop") throw new CompileError("option-missing", `claimCheck ${operation} needs a key`);
    const keyOf = template(key ?? "", compiler, node.span);
    const bringBack = merging(filter, { aggregationStrategy }, compiler);
    return (exchange) => {
      const room = cloakroomOf(exchange);
      if (operation === "Set") room.kept.set(keyOf(exchange), exchange.message.copy());
      else if (operation === "Push") room.stack.push(exchange.message.copy());
      else {
        const message = operation === "Pop" ? room.stack.pop() : room.kept.get(keyOf(exchange));
        if (operation === "GetAndRemove") room.kept.delete(keyOf(exchange));
        if (message !== undefined) bringBack(exchange, message);
      }
    };
  },
});

/** How a kept message comes back: by the strategy if one is named, else by the filter. */
function merging(filter: string | undefined, options: StrategyOptions, compiler: Compiler): (exchange: Exchange, kept: Message) => void {
  const strategy = strategyOf(options, compiler);
  if (strategy !== undefined && filter !== undefined)
    throw new CompileError("option-conflict", "claimCheck takes a filter or an aggregationStrategy, not both");
  if (strategy === undefined) {
    const merge = claimFilter(filter);
    return (exchange, kept) => merge(exchange.message, kept);
  }
  return (exchange, kept) => {
    const copy = copyExchange(exchange, compiler.host.ids);
    copy.message = kept.copy();
    mergeResult(exchange, strategy.aggregate(exchange, copy, exchange), { stops: false });
  };
}

function cloakroomOf(exchange: Exchange): Cloakroom {
  const known = exchange.property("CamelClaimCheckRepository");
  if (known instanceof Cloakroom) return known;
  const room = new Cloakroom();
  exchange.setProperty("CamelClaimCheckRepository", room);
  return room;
}
