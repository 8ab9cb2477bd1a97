import { CompileError, defineConnector } from "@sluice/engine/spi";
import { bodyFromCall, operatorCall } from "@sluice/engine/tools";
import { f } from "@sluice/model";
import { sinkFields } from "../camel-options.ts";

/** Calls an operator function through an endpoint; equivalent to the step `bean`. */
export const bean = defineConnector({
  scheme: "bean",
  aliases: ["class"],
  title: "Bean",
  summary: "Calls a function registered by the operator; its result becomes the body.",
  guarantees:
    "Calls the function in the process of the runtime and waits for its result; if the function fails, the step fails. Order and delivery guarantees are those of the route. Concurrent runs call it concurrently.",
  group: "scripting",
  icon: "function-square",
  paletteGroup: "code",
  card: { title: "Run {beanName}", subtitle: "{method}" },
  since: "0.1",
  syntax: "bean:beanName",
  roles: ["sink"],
  local: true,
  workers: "any",
  path: { beanName: f.string({ doc: "Name of the function, of the object that contains it, or of a class.", required: true }) },
  options: {
    ...sinkFields,
    method: f.string({ doc: "Name of the function in the object." }),
    scope: f.string({ doc: "Accepted but ignored.", group: "advanced" }),
  },
  headers: {},
  examples: [
    {
      title: "An operator function `prices.total` that sums a list",
      yaml: "to: bean:prices?method=total",
      given: { body: [10, 20, 12] },
      expect: { body: 42 },
    },
  ],
  connect: () => ({
    sink({ authored, options: { beanName, method } }, scope) {
      if (!authored) throw new CompileError("endpoint-refused", "part of it came from the message, and a message must not choose the function");
      return { send: bodyFromCall(operatorCall({ bean: beanName, method }, scope)) };
    },
  }),
});
