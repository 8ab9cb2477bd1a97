import { defineStep, type Compiler, type Processor } from "@sluice/engine/spi";
import { f, type ExpressionNode, type Span } from "@sluice/model";
import { isTemplate, template } from "../template.ts";
import { variable, variableByName } from "../variables.ts";
import { setsOneValue, sharedVariables } from "../step-guarantees.ts";

export const variableOptions = {
  name: f.string({
    doc: "Name of the variable; may contain Simple expressions. The prefix global: or route:<routeId>: sets a wider scope.",
    required: true,
  }),
  expression: f.expression({ doc: "Value of the variable.", required: true, inline: true }),
};

export function variableSetter(name: string, expression: ExpressionNode, compiler: Compiler, span: Span): Processor {
  const value = compiler.expression(expression);
  if (!isTemplate(name)) {
    const target = variable(name, compiler.host);
    return (exchange) => target.set(exchange, value(exchange));
  }
  const nameOf = template(name, compiler, span);
  const find = variableByName(compiler.host);
  return (exchange) => find(nameOf(exchange)).set(exchange, value(exchange));
}

export const setVariable = defineStep({
  name: "setVariable",
  title: "Set variable",
  summary: "Sets a variable of the exchange, a route or the whole runtime.",
  guarantees: `${setsOneValue} ${sharedVariables}`,
  group: "message",
  icon: "variable",
  paletteGroup: "data",
  card: { title: "Set variable {name}", subtitle: "{expression}" },
  since: "0.1",
  options: variableOptions,
  examples: [
    {
      title: "Store the customer",
      yaml: 'setVariable: {name: customer, simple: "${body}"}',
      given: { body: "Ada" },
      expect: { body: "Ada", variables: { customer: "Ada" } },
    },
  ],
  compile({ name, expression }, compiler, node) {
    return variableSetter(name, expression, compiler, node.span);
  },
});
