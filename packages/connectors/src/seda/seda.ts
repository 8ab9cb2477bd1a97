// An in-memory queue between routes: the sender continues, the receiver runs asynchronously.
import { defineConnector } from "@sluice/engine/spi";
import { connectSedaQueues } from "./seda-queues.ts";
import { sedaOptions, sedaPath } from "./seda-shape.ts";

export const seda = defineConnector({
  scheme: "seda",
  title: "In-memory queue",
  summary: "Passes a copy of the message to another route through an in-memory queue.",
  guarantees:
    "Messages are stored in memory and are lost in a crash; use `queue:` if they must not be lost. A normal stop or redeploy processes waiting messages first. Order is first in, first out with one consumer; with several consumers, messages run concurrently and can overtake each other. A queue holds 1,000 messages by default; when it is full, sending fails, waits (blockWhenFull) or discards the message (discardWhenFull). A failed message is not retried by the queue.",
  group: "core",
  icon: "list-end",
  card: { title: "{name}", subtitle: "Route, in the background" },
  since: "0.1",
  syntax: "seda:name",
  roles: ["source", "sink", "poller"],
  trigger: "route",
  local: true,
  path: sedaPath,
  options: sedaOptions,
  headers: {},
  examples: [
    {
      title: "Wait for the reply of the consumer",
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
  connect: connectSedaQueues,
});
