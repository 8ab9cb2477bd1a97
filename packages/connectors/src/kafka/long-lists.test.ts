// Lists of many records, sent to librdkafka's mock broker, which kcat contains.
import { afterAll, describe, expect, it } from "vitest";
import { connectorUnderTest, exchangeOf, realTimeHost, serverFor, testConnections } from "@sluice/testkit";
import { kafkaConnection } from "./kafka-connection.ts";
import { kafkaConnector } from "./kafka.ts";

const server = await serverFor("kafka", { own: true });

describe.skipIf(server === undefined)("long lists (needs kcat)", () => {
  const host = realTimeHost();
  const values = { brokers: `127.0.0.1:${server?.port ?? 0}` };
  const connections = testConnections(host, { events: { declaration: kafkaConnection, values } }, (clientPackage) => import(clientPackage.package));
  const connector = connectorUnderTest(kafkaConnector(), Object.assign(host, { connections }));
  afterAll(async () => {
    await connections.close();
    await server?.end();
  });
  const orders = Array.from({ length: 150_000 }, (_, id) => ({ id, name: `order ${id}` }));

  it.each(["", "&recordMetadata=true"])("never block the event loop for more than 100 ms %s", async (options) => {
    const sink = connector.sink(`kafka:long-lists?connection=events&partitionKey=0${options}`);
    await sink.send(exchangeOf("first"));
    let shortestBlock = Infinity;
    // Blocking code blocks for every list; garbage collection and a busy machine affect only some.
    for (let list = 0; list < 5 && shortestBlock >= 100; list++) {
      const watch = watchLoop();
      await sink.send(exchangeOf(orders));
      shortestBlock = Math.min(shortestBlock, watch.end());
    }
    expect(shortestBlock).toBeLessThan(100);
  });

  it("fail before anything is sent when one record is too large", async () => {
    const sink = connector.sink("kafka:too-large?connection=events&partitionKey=0&maxRequestSize=1000&recordMetadata=true");
    await expect(sink.send(exchangeOf([...orders.slice(0, 60_000), "x".repeat(1_001)]))).rejects.toThrow(/has 1001 bytes, more than maxRequestSize/);
    const exchange = exchangeOf("first");
    await sink.send(exchange);
    expect(exchange.message.headers.get("CamelKafkaRecordMeta")).toMatchObject([{ offset: "0" }]);
  });
});

/** Measures the longest time between two turns of the event loop. Time in which this process did not run does not count. */
function watchLoop(): { end(): number } {
  let longest = 0;
  let [at, cpu] = [performance.now(), process.cpuUsage()];
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(cpu);
    longest = Math.max(longest, Math.min(performance.now() - at, (user + system) / 1000));
    [at, cpu] = [performance.now(), process.cpuUsage()];
  }, 1);
  return {
    end() {
      clearInterval(timer);
      return longest;
    },
  };
}
