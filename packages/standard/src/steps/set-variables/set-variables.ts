import { defineStep } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { clauseFields } from "../clause.ts";
import { variableOptions, variableSetter } from "../set-variable/set-variable.ts";
import { setsSeveralValues, sharedVariables } from "../step-guarantees.ts";

export const setVariables = defineStep({
  name: "setVariables",
  title: "Set variables",
  summary: "Sets several variables in order; later values can use earlier ones.",
  guarantees: `${setsSeveralValues} ${sharedVariables}`,
  group: "message",
  icon: "variable",
  paletteGroup: "data",
  since: "0.1",
  options: {
    variables: f.list(f.object({ ...variableOptions, ...clauseFields }, { doc: "One variable.", required: true }), {
      doc: "The variables, in order.",
      required: true,
    }),
  },
  examples: [
    {
      title: "One value uses another",
      yaml: 'setVariables: {variables: [{name: a, constant: x}, {name: b, simple: "${variable.a}y"}]}',
      expect: { variables: { a: "x", b: "xy" } },
    },
  ],
  compile({ variables }, compiler, node) {
    const setters = variables.filter(({ disabled }) => !disabled).map(({ name, expression }) => variableSetter(name, expression, compiler, node.span));
    return (exchange) => {
      for (const set of setters) void set(exchange);
    };
  },
});
