import { CompileError, defineStep, type Exchange } from "@sluice/engine/spi";
import { f } from "@sluice/model";

/** Calls a function the operator of this runtime has registered; there are no other beans to call. */
export const bean = defineStep({
  name: "bean",
  title: "Bean",
  summary: "Calls a function that the operator registered; what it returns becomes the body.",
  group: "message",
  icon: "function-square",
  since: "0.1",
  shorthand: "ref",
  options: {
    ref: f.string({ doc: "Name of the function, or of the object that has it." }),
    method: f.string({ doc: "Name of the function within the object." }),
    beanType: f.string({ doc: "A Java class; refused, for there is no Java here.", group: "advanced" }),
    scope: f.string({ doc: "Accepted for Camel routes.", group: "advanced" }),
  },
  examples: [
    {
      title: "A function `prices.total` of the operator, which gives the sum of a list",
      yaml: "bean: {ref: prices, method: total}",
      given: { body: [10, 20, 12] },
      expect: { body: 42 },
    },
  ],
  compile({ ref, method, beanType }, compiler) {
    if (beanType !== undefined)
      throw new CompileError("bean-type", `beanType '${beanType}' names a Java class and there is no Java here`, {
        hint: "register a function with SERVICE_FUNCTIONS and name it in ref",
      });
    if (ref === undefined) throw new CompileError("option-missing", "step 'bean' needs 'ref'", { hint: "name a function registered with SERVICE_FUNCTIONS" });
    const call = compiler.registry.bean(method === undefined ? ref : `${ref}.${method}`, "function") as (exchange: Exchange) => unknown;
    const take = (exchange: Exchange, result: unknown): void => {
      if (result !== undefined) exchange.message.body = result;
    };
    return (exchange) => {
      exchange.unshareProperties();
      const result = call(exchange);
      if (result instanceof Promise) return result.then((value: unknown) => take(exchange, value));
      take(exchange, result);
      return undefined;
    };
  },
});
