// A queue in memory that takes any other endpoint's place: write `stub:` before a URI and its options no longer matter.
import { defineConnector } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { connectQueues } from "../seda/queues.ts";
import { sedaOptions } from "../seda/seda-shape.ts";

export const stub = defineConnector({
  scheme: "stub",
  title: "Stub",
  summary: "Stands in for any endpoint: a queue in memory that accepts every option.",
  group: "core",
  icon: "plug",
  since: "0.1",
  syntax: "stub:name",
  path: { name: f.string({ doc: "The endpoint it stands in for, or any name.", required: true, examples: ["jms:queue:orders"] }) },
  options: sedaOptions,
  lenient: true,
  headers: {},
  examples: [
    {
      title: "In place of a queue that is not there yet",
      yaml: `to: {uri: "stub:jms:queue:orders", parameters: {waitForTaskToComplete: Never}}`,
      given: { body: "order" },
      expect: { body: "order" },
    },
  ],
  connect: connectQueues,
});
