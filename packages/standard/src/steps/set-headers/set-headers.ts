import { defineStep } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { clauseFields } from "../clause.ts";
import { headerFields, headerSetter } from "../set-header/set-header.ts";
import { setsSeveralValues } from "../step-guarantees.ts";

export const setHeaders = defineStep({
  name: "setHeaders",
  title: "Set headers",
  summary: "Sets several message headers in order; later values can use earlier ones.",
  guarantees: setsSeveralValues,
  group: "message",
  icon: "tags",
  paletteGroup: "data",
  since: "0.1",
  options: {
    headers: f.list(f.object({ ...headerFields, ...clauseFields }, { doc: "One header.", required: true }), {
      doc: "The headers, in order.",
      required: true,
    }),
  },
  examples: [
    {
      title: "One value uses another",
      yaml: 'setHeaders: {headers: [{name: first, constant: Ada}, {name: full, simple: "${header.first} Lovelace"}]}',
      expect: { headers: { first: "Ada", full: "Ada Lovelace" } },
    },
  ],
  compile({ headers }, compiler, node) {
    const setters = headers.filter(({ disabled }) => !disabled).map((header) => headerSetter(header.name, header.expression, compiler, node.span));
    return (exchange) => {
      for (const set of setters) set(exchange);
    };
  },
});
