// Sending a long list to Kafka never blocks the event loop for a large part of the time it takes.
import { afterAll, describe, expect, it } from "vitest";
import { connectorUnderTest, exchangeOf, realTimeHost, serverFor, testConnections } from "@sluice/testkit";
import { kafkaConnection } from "../../packages/connectors/src/kafka/kafka-connection.ts";
import { kafkaConnector } from "../../packages/connectors/src/kafka/kafka.ts";

const server = await serverFor("kafka", { own: true });

describe.skipIf(server === undefined)("a long list (needs kcat)", () => {
  const host = realTimeHost();
  const values = { brokers: `127.0.0.1:${server?.port ?? 0}` };
  const connections = testConnections(host, { events: { declaration: kafkaConnection, values } }, (clientPackage) => import(clientPackage.package));
  const connector = connectorUnderTest(kafkaConnector(), Object.assign(host, { connections }));
  afterAll(async () => {
    await connections.close();
    await server?.end();
  });
  const orders = Array.from({ length: 150_000 }, (_, id) => ({ id, name: `order ${id}` }));

  it.each(["", "&recordMetadata=true"])("is sent in many turns of the event loop %s", async (options) => {
    const sink = connector.sink(`kafka:long-lists?connection=events&partitionKey=0${options}`);
    await sink.send(exchangeOf("first"));
    let smallestPart = 1;
    // Code that blocks does so for every list; garbage collection affects only some.
    for (let list = 0; list < 3; list++) {
      const watch = watchLoop();
      await sink.send(exchangeOf(orders));
      smallestPart = Math.min(smallestPart, watch.end());
    }
    expect(smallestPart).toBeLessThan(0.1);
  });
});

/** The longest turn of the event loop, as a part of all the CPU time. Time in which this process did not run does not count. */
function watchLoop(): { end(): number } {
  let longest = 0;
  let total = 0;
  let before = process.cpuUsage();
  const measure = (): void => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    longest = Math.max(longest, user + system);
    total += user + system;
  };
  const timer = setInterval(measure, 1);
  return {
    end() {
      clearInterval(timer);
      measure();
      return longest / total;
    },
  };
}
