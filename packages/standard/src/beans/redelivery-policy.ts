import { defineBean, redeliveryFields } from "@sluice/engine/spi";

export const redeliveryPolicy = defineBean({
  names: ["org.apache.camel.processor.errorhandler.RedeliveryPolicy", "RedeliveryPolicy", "redeliveryPolicy"],
  kind: "redelivery-policy",
  title: "Redelivery policy",
  summary: "When and how often a failed step is tried again, for several handlers and clauses at once.",
  group: "errors",
  since: "0.1",
  properties: redeliveryFields,
  create: (properties) => properties,
});
