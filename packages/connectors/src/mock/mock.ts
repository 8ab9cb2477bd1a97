// Stands where an endpoint will be. It keeps nothing: what a test session sees is recorded by the session, not here.
import { defineConnector } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { sinkFields } from "../camel-options.ts";

const accepted = "Accepted for flows from Camel and without effect: expectations are part of a test, not of a flow.";

export const mock = defineConnector({
  scheme: "mock",
  title: "Mock",
  summary: "Takes a message and passes it on unchanged; in a test session its messages can be checked.",
  group: "core",
  icon: "flask-conical",
  since: "0.1",
  syntax: "mock:name",
  workers: "any",
  path: { name: f.string({ doc: "The name tests know it by.", required: true }) },
  options: {
    ...sinkFields,
    expectedCount: f.integer({ doc: accepted, default: -1, group: "advanced" }),
    resultWaitTime: f.duration({ doc: accepted, default: 0, group: "advanced" }),
    resultMinimumWaitTime: f.duration({ doc: accepted, default: 0, group: "advanced" }),
    assertPeriod: f.duration({ doc: accepted, default: 0, group: "advanced" }),
    retainFirst: f.integer({ doc: accepted, default: -1, group: "advanced" }),
    retainLast: f.integer({ doc: accepted, default: -1, group: "advanced" }),
    reportGroup: f.integer({ doc: accepted, group: "advanced" }),
    failFast: f.boolean({ doc: accepted, default: true, group: "advanced" }),
    copyOnExchange: f.boolean({ doc: accepted, default: true, group: "advanced" }),
    log: f.boolean({ doc: accepted, default: false, group: "advanced" }),
  },
  headers: {},
  examples: [
    {
      title: "A place for tests to look",
      yaml: `to: mock:orders`,
      given: { body: "order" },
      expect: { body: "order" },
    },
  ],
  connect: () => ({ sink: () => ({ send: () => undefined }) }),
});
