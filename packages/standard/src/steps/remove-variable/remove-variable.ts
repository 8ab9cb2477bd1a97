import { defineStep } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { variable } from "../variables.ts";
import { cannotFail, sharedVariables } from "../step-guarantees.ts";

export const removeVariable = defineStep({
  name: "removeVariable",
  title: "Remove variable",
  summary: "Removes one variable.",
  guarantees: `${cannotFail} ${sharedVariables}`,
  group: "message",
  icon: "variable",
  paletteGroup: "data",
  card: { title: "Remove variable {name}" },
  since: "0.1",
  shorthand: "name",
  options: {
    name: f.string({
      doc: "Name of the variable, with its scope if any.",
      required: true,
    }),
  },
  examples: [
    {
      title: "Remove a variable",
      yaml: "removeVariable: customer",
      given: { variables: { customer: "Ada", n: 1 } },
      expect: { variables: { n: 1 } },
    },
  ],
  compile({ name }, compiler) {
    const target = variable(name, compiler.host);
    return (exchange) => target.remove(exchange);
  },
});
