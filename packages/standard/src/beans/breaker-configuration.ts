import { defineBean } from "@sluice/engine/spi";
import { breakerFields } from "../steps/circuit-breaker/breaker-fields.ts";

export const breakerConfiguration = defineBean({
  names: ["org.apache.camel.model.Resilience4jConfigurationDefinition", "Resilience4jConfigurationDefinition", "resilience4jConfiguration"],
  kind: "circuit-breaker-configuration",
  title: "Circuit breaker configuration",
  summary: "Circuit breaker settings, shared by several steps.",
  group: "errors",
  since: "0.1",
  properties: breakerFields,
  create: (properties) => properties,
});
