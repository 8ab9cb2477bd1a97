import { defineStep } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { namesToRemove } from "../name-pattern.ts";
import { cannotFail } from "../step-guarantees.ts";

export const removeHeaders = defineStep({
  name: "removeHeaders",
  title: "Remove headers",
  summary: "Removes every message header whose name matches a pattern.",
  guarantees: cannotFail,
  group: "message",
  icon: "tags",
  paletteGroup: "data",
  card: { title: "Remove headers", subtitle: "{pattern}" },
  since: "0.1",
  shorthand: "pattern",
  options: {
    pattern: f.string({
      doc: "Exact name, prefix ending in *, or regular expression; case-insensitive.",
      required: true,
      examples: ["X-*"],
    }),
    excludePattern: f.string({ doc: "Names to keep even if they match." }),
  },
  examples: [
    {
      title: "Remove proxy headers",
      yaml: 'removeHeaders: {pattern: "X-*", excludePattern: X-Request-Id}',
      given: { headers: { "X-Via": "p", "X-Request-Id": "1", lang: "de" } },
      expect: { headers: { "X-Request-Id": "1", lang: "de" } },
    },
  ],
  compile({ pattern, excludePattern }) {
    const removes = namesToRemove(pattern, excludePattern);
    return ({ message: { headers } }) => {
      for (const name of [...headers].map(([key]) => key)) if (removes(name)) headers.delete(name);
    };
  },
});
