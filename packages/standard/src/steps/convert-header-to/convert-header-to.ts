import { defineStep } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { conversionFields, converter } from "../conversion.ts";
import { template } from "../template.ts";

export const convertHeaderTo = defineStep({
  name: "convertHeaderTo",
  title: "Convert header",
  summary: "Converts a header to another type, in place or into another header.",
  guarantees:
    "The step changes only its own message, on the main thread, and stores nothing between messages. If the conversion fails, the header is unchanged and the error handler of the route is called.",
  group: "message",
  icon: "replace-all",
  paletteGroup: "data",
  card: { title: "Convert header {name}", subtitle: "to {type}" },
  since: "0.1",
  options: {
    name: f.string({ doc: "The header; may contain Simple expressions.", required: true }),
    toName: f.string({ doc: "Header for the result; the same header by default." }),
    ...conversionFields,
  },
  examples: [
    {
      title: "A number in another header",
      yaml: "convertHeaderTo: {name: qty, toName: number, type: int}",
      given: { headers: { qty: "9" } },
      expect: { headers: { qty: "9", number: 9 } },
    },
  ],
  compile({ name, toName, ...options }, compiler, node) {
    const convert = converter(options);
    const source = template(name, compiler, node.span);
    const target = toName === undefined ? source : template(toName, compiler, node.span);
    return (exchange) => {
      const { headers } = exchange.message;
      const value = headers.get(source(exchange));
      if (value === null || value === undefined) return;
      const converted = convert(value);
      if (converted === null) headers.delete(target(exchange));
      else headers.set(target(exchange), converted);
    };
  },
});
