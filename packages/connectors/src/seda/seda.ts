// A queue in memory between routes: the sender goes on, the receiver works at its own pace.
import { defineConnector } from "@sluice/engine/spi";
import { connectQueues } from "./queues.ts";
import { sedaOptions, sedaPath } from "./seda-shape.ts";

export const seda = defineConnector({
  scheme: "seda",
  title: "Queue in memory",
  summary: "Hands a copy of the message to another route through a queue in memory.",
  group: "core",
  icon: "list-end",
  since: "0.1",
  syntax: "seda:name",
  path: sedaPath,
  options: sedaOptions,
  headers: {},
  examples: [
    {
      title: "Waiting for the other end of the queue",
      yaml: `- route:
    id: sender
    from:
      uri: direct:start
      steps:
        - to: seda:greetings
- route:
    id: worker
    from:
      uri: seda:greetings
      steps:
        - setBody: {simple: "Hello \${body}"}`,
      given: { body: "Ada" },
      expect: { body: "Hello Ada" },
    },
  ],
  connect: connectQueues,
});
