import { defineBean } from "@sluice/engine/spi";

/** The step `saga` coordinates sagas in memory itself, so there is nothing to create. */
export const memorySagas = defineBean({
  names: ["org.apache.camel.saga.InMemorySagaService", "InMemorySagaService"],
  kind: "saga-service",
  title: "Memory saga service",
  summary: "Coordinates sagas in memory; this is the default. In a cluster, the nodes share open sagas.",
  group: "repository",
  since: "0.1",
  properties: {},
  create: () => ({}),
});
