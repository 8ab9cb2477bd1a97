// A queue on disk between routes. The sender continues when its message is durable; the receiver gets it at least once.
import { defineConnector, type ConnectorDeclaration } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { noQueues, type DurableQueues } from "./durable-queues.ts";
import { queueOptions, queuePath } from "./queue-shape.ts";
import { connectDurableQueues } from "./queue-registry.ts";

export function queueConnector(queues: DurableQueues = noQueues): ConnectorDeclaration {
  return defineConnector({
    scheme: "queue",
    title: "Durable queue",
    summary: "Passes the message to another route through a durable queue on disk.",
    guarantees:
      "Messages are delivered at least once: the sender continues when the message is on disk, or in the store of the cluster, and the message is removed only after its run succeeds. After a crash, unfinished messages are delivered again, so make the route idempotent. A failed message is retried with an increasing delay and becomes a dead letter after maximumRedeliveries. Messages are delivered in the order they were sent with one consumer and no retries; messages with the same key are processed one at a time and in order, even during retries. The number of waiting messages is limited by the disk limit of the store, not by memory.",
    group: "core",
    icon: "queue",
    since: "0.1",
    keywords: ["queue", "topic", "publish", "event"],
    syntax: "queue:name",
    roles: ["source", "sink", "poller"],
    trigger: "route",
    usesStore: true,
    path: queuePath,
    options: queueOptions,
    headers: {
      SluiceQueueMessageId: f.string({ doc: "Id of the message in the queue; the same for every attempt." }),
      SluiceQueueAttempt: f.integer({ doc: "Number of the delivery attempt, starting at 1." }),
    },
    examples: [
      {
        title: "Accept an order now, process it later",
        yaml: `- route:
    id: accept
    from:
      uri: timer:order?repeatCount=1&delay=100
      steps:
        - setBody:
            constant: order 1
        - to: queue:orders?keyHeader=customer
- route:
    id: process
    from:
      uri: queue:orders?concurrentConsumers=2
      steps:
        - to: mock:result
`,
        expect: { body: "order 1" },
      },
    ],
    connect: (host, shared) => connectDurableQueues(host, queues, shared),
  });
}
