import { defineStep } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { cannotFail } from "../step-guarantees.ts";

export const removeProperty = defineStep({
  name: "removeProperty",
  title: "Remove property",
  summary: "Removes one exchange property.",
  guarantees: cannotFail,
  group: "message",
  icon: "bookmark",
  paletteGroup: "data",
  card: { title: "Remove property {name}" },
  since: "0.1",
  shorthand: "name",
  options: { name: f.string({ doc: "Name of the property.", required: true }) },
  examples: [
    {
      title: "Remove a property",
      yaml: "removeProperty: orderId",
      given: { body: "a", properties: { orderId: 1 } },
      expect: { body: "a", properties: {} },
    },
  ],
  compile({ name }) {
    return (exchange) => {
      exchange.removeProperty(name);
    };
  },
});
