import { defineStep } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { conversionFields, converter } from "../conversion.ts";
import { variable } from "../variables.ts";
import { sharedVariables } from "../step-guarantees.ts";

export const convertVariableTo = defineStep({
  name: "convertVariableTo",
  title: "Convert variable",
  summary: "Converts a variable to another type, in place or into another variable.",
  guarantees: `The step changes only a variable of its own exchange, on the main thread. If the conversion fails, the variable is unchanged and the error handler of the route is called. ${sharedVariables}`,
  group: "message",
  icon: "replace-all",
  paletteGroup: "data",
  card: { title: "Convert variable {name}", subtitle: "to {type}" },
  since: "0.1",
  options: {
    name: f.string({ doc: "Name of the variable, with its scope if any.", required: true }),
    toName: f.string({ doc: "Variable for the result; the same variable by default." }),
    ...conversionFields,
  },
  examples: [{ title: "A number", yaml: "convertVariableTo: {name: n, type: int}", given: { variables: { n: "8" } }, expect: { variables: { n: 8 } } }],
  compile({ name, toName, ...options }, compiler) {
    const convert = converter(options);
    const source = variable(name, compiler.host);
    const target = toName === undefined ? source : variable(toName, compiler.host);
    return (exchange) => {
      const value = source.get(exchange);
      if (value !== null && value !== undefined) target.set(exchange, convert(value));
    };
  },
});
