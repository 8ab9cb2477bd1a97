// Placeholder for an endpoint. It stores nothing: messages of a test session are recorded by the session.
import { defineConnector } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { sinkFields } from "../camel-options.ts";

const ignoredDoc = "Accepted but ignored: expectations belong in tests, not in flows.";

export const mock = defineConnector({
  scheme: "mock",
  title: "Mock",
  summary: "Accepts messages without changing them; a test session can check them.",
  guarantees: "Nothing is stored or sent. In a test session, messages are recorded by the session.",
  group: "core",
  icon: "flask-conical",
  paletteGroup: "watch",
  card: { subtitle: "{name}" },
  since: "0.1",
  syntax: "mock:name",
  roles: ["sink"],
  local: true,
  workers: "any",
  path: { name: f.string({ doc: "Name of the mock, for tests.", required: true }) },
  options: {
    ...sinkFields,
    expectedCount: f.integer({ doc: ignoredDoc, default: -1, group: "advanced" }),
    resultWaitTime: f.duration({ doc: ignoredDoc, default: 0, group: "advanced" }),
    resultMinimumWaitTime: f.duration({ doc: ignoredDoc, default: 0, group: "advanced" }),
    assertPeriod: f.duration({ doc: ignoredDoc, default: 0, group: "advanced" }),
    retainFirst: f.integer({ doc: ignoredDoc, default: -1, group: "advanced" }),
    retainLast: f.integer({ doc: ignoredDoc, default: -1, group: "advanced" }),
    reportGroup: f.integer({ doc: ignoredDoc, group: "advanced" }),
    failFast: f.boolean({ doc: ignoredDoc, default: true, group: "advanced" }),
    copyOnExchange: f.boolean({ doc: ignoredDoc, default: true, group: "advanced" }),
    log: f.boolean({ doc: "Accepted but ignored: use the step log.", default: false, group: "advanced" }),
  },
  headers: {},
  examples: [
    {
      title: "A mock endpoint",
      yaml: `to: mock:orders`,
      given: { body: "order" },
      expect: { body: "order" },
    },
  ],
  connect: () => ({ sink: () => ({ send: () => undefined }) }),
});
