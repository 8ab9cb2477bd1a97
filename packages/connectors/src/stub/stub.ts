// An in-memory queue that replaces another endpoint: put `stub:` before a URI and its options are ignored.
import { defineConnector } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { connectSedaQueues } from "../seda/seda-queues.ts";
import { sedaOptions } from "../seda/seda-shape.ts";

export const stub = defineConnector({
  scheme: "stub",
  title: "Stub",
  summary: "Replaces another endpoint with an in-memory queue that accepts every option.",
  guarantees: "Behaves like seda: an in-memory queue, first in, first out, 1,000 messages by default, lost in a crash.",
  group: "core",
  icon: "plug",
  since: "0.1",
  syntax: "stub:name",
  roles: ["source", "sink", "poller"],
  trigger: "route",
  path: { name: f.string({ doc: "The replaced endpoint, or any name.", required: true, examples: ["jms:queue:orders"] }) },
  options: sedaOptions,
  lenient: true,
  headers: {},
  examples: [
    {
      title: "Replace a queue that does not exist yet",
      yaml: `to: {uri: "stub:jms:queue:orders", parameters: {waitForTaskToComplete: Never}}`,
      given: { body: "order" },
      expect: { body: "order" },
    },
  ],
  connect: connectSedaQueues,
});
