import { defineStep } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { template } from "../template.ts";
import { setsOneValue } from "../step-guarantees.ts";

export const setProperty = defineStep({
  name: "setProperty",
  title: "Set property",
  summary: "Sets an exchange property, which later steps can read and which is never sent to other systems.",
  guarantees: setsOneValue,
  group: "message",
  icon: "bookmark",
  paletteGroup: "data",
  card: { title: "Set property {name}", subtitle: "{expression}" },
  since: "0.1",
  options: {
    name: f.string({ doc: "Name of the property; may contain Simple expressions.", required: true }),
    expression: f.expression({ doc: "Value of the property.", required: true, inline: true }),
  },
  examples: [
    {
      title: "Store the body",
      yaml: 'setProperty: {name: originalBody, simple: "${body}"}',
      given: { body: "a" },
      expect: { properties: { originalBody: "a" } },
    },
  ],
  compile({ name, expression }, compiler, node) {
    const nameOf = template(name, compiler, node.span);
    const value = compiler.expression(expression);
    return (exchange) => exchange.setProperty(nameOf(exchange), value(exchange));
  },
});
