import { defineStep } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { cannotFail } from "../step-guarantees.ts";

export const removeHeader = defineStep({
  name: "removeHeader",
  title: "Remove header",
  summary: "Removes one message header.",
  guarantees: cannotFail,
  group: "message",
  icon: "tag",
  paletteGroup: "data",
  card: { title: "Remove header {name}" },
  since: "0.1",
  shorthand: "name",
  options: {
    name: f.string({ doc: "Name of the header; case-insensitive.", required: true }),
  },
  examples: [
    {
      title: "Remove a token",
      yaml: "removeHeader: token",
      given: { headers: { Token: "abc", lang: "de" } },
      expect: { headers: { lang: "de" } },
    },
  ],
  compile({ name }) {
    return (exchange) => {
      exchange.message.headers.delete(name);
    };
  },
});
