import { defineBean } from "@sluice/engine/spi";
import { redeliveryFields } from "@sluice/engine/tools";

export const redeliveryPolicy = defineBean({
  names: ["org.apache.camel.processor.errorhandler.RedeliveryPolicy", "RedeliveryPolicy", "redeliveryPolicy"],
  kind: "redelivery-policy",
  title: "Redelivery policy",
  summary: "Retry settings, shared by several error handlers and clauses.",
  group: "errors",
  since: "0.1",
  properties: redeliveryFields,
  create: (properties) => properties,
});
