import { defineStep } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { namesToRemove } from "../name-pattern.ts";
import { cannotFail } from "../step-guarantees.ts";

export const removeProperties = defineStep({
  name: "removeProperties",
  title: "Remove properties",
  summary: "Removes every exchange property whose name matches a pattern.",
  guarantees: cannotFail,
  group: "message",
  icon: "bookmark",
  paletteGroup: "data",
  card: { title: "Remove properties", subtitle: "{pattern}" },
  since: "0.1",
  shorthand: "pattern",
  options: {
    pattern: f.string({
      doc: "Exact name, prefix ending in *, or regular expression; case-insensitive.",
      required: true,
    }),
    excludePattern: f.string({ doc: "Names to keep even if they match." }),
  },
  examples: [
    {
      title: "Remove by prefix",
      yaml: "removeProperties: tmp*",
      given: { properties: { tmpA: 1, tmpB: 2, orderId: 3 } },
      expect: { properties: { orderId: 3 } },
    },
  ],
  compile({ pattern, excludePattern }) {
    const removes = namesToRemove(pattern, excludePattern);
    return (exchange) => {
      if (exchange.properties === undefined) return;
      for (const name of [...exchange.properties.keys()]) if (removes(name)) exchange.removeProperty(name);
    };
  },
});
