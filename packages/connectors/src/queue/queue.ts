// A queue on disk between routes: the sender goes on when its message would survive a loss of power, the receiver gets it
// at least once.
import { defineConnector, type ConnectorDeclaration } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { noQueues, type DurableQueues } from "./durable-queues.ts";
import { queueOptions, queuePath } from "./queue-shape.ts";
import { connectQueues } from "./queues.ts";

export function queueConnector(queues: DurableQueues = noQueues): ConnectorDeclaration {
  return defineConnector({
    scheme: "queue",
    title: "Durable queue",
    summary: "Hands the message to another route through a queue on disk: nothing that was accepted is lost.",
    group: "core",
    icon: "queue",
    since: "0.1",
    syntax: "queue:name",
    path: queuePath,
    options: queueOptions,
    headers: {
      SluiceQueueMessageId: f.string({ doc: "The id of the message in the queue; the same for every try." }),
      SluiceQueueAttempt: f.integer({ doc: "Which try of this message it is, counted from 1." }),
    },
    examples: [
      {
        title: "Take an order now, work on it when there is time",
        yaml: `- route:
    id: take
    from:
      uri: timer:order?repeatCount=1&delay=100
      steps:
        - setBody:
            constant: order 1
        - to: queue:orders?keyHeader=customer
- route:
    id: work
    from:
      uri: queue:orders?concurrentConsumers=2
      steps:
        - to: mock:result
`,
        expect: { body: "order 1" },
      },
    ],
    connect: (host) => connectQueues(host, queues),
  });
}
