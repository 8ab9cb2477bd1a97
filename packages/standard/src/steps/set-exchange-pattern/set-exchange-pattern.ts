import { defineStep } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { cannotFail } from "../step-guarantees.ts";

export const setExchangePattern = defineStep({
  name: "setExchangePattern",
  title: "Set exchange pattern",
  summary: "Sets whether later calls expect a reply.",
  guarantees: cannotFail,
  group: "message",
  icon: "repeat",
  paletteGroup: "data",
  card: { subtitle: "{pattern}" },
  since: "0.1",
  shorthand: "pattern",
  options: {
    pattern: f.enum(["InOnly", "InOut"], {
      doc: "InOut expects a reply, InOnly does not.",
      required: true,
    }),
  },
  examples: [
    {
      title: "No reply expected",
      yaml: "setExchangePattern: InOnly",
      given: { body: "a" },
      expect: { body: "a" },
    },
  ],
  compile({ pattern }) {
    return (exchange) => {
      exchange.pattern = pattern;
    };
  },
});
