// Lists of many records, sent to librdkafka's mock broker, which kcat contains.
import { afterAll, describe, expect, it } from "vitest";
import { connectorUnderTest, exchangeOf, FakeHost, serverFor, SteppingClock, testConnections } from "@sluice/testkit";
import { kafkaConnection } from "./kafka-connection.ts";
import { kafkaConnector } from "./kafka.ts";

const server = await serverFor("kafka", { own: true });

describe.skipIf(server === undefined)("long lists (needs kcat)", () => {
  const host = Object.assign(new FakeHost(), { clock: new SteppingClock(1) });
  const values = { brokers: `127.0.0.1:${server?.port ?? 0}` };
  const connections = testConnections(host, { events: { declaration: kafkaConnection, values } }, (clientPackage) => import(clientPackage.package));
  const connector = connectorUnderTest(kafkaConnector(), Object.assign(host, { connections }));
  afterAll(async () => {
    await connections.close();
    await server?.end();
  });
  const orders = Array.from({ length: 60_000 }, (_, id) => ({ id, name: `order ${id}` }));

  it.each(["", "&recordMetadata=true"])("are serialized in slices %s", async (options) => {
    const yieldsBefore = host.clock.yields;
    await connector.sink(`kafka:long-lists?connection=events&partitionKey=0${options}`).send(exchangeOf(orders.slice(0, 1_000)));
    // A slice ends when the clock was read more than ten times, once per record.
    expect(host.clock.yields - yieldsBefore).toBe(90);
  });

  it("fail before anything is sent when one record is too large", async () => {
    const sink = connector.sink("kafka:too-large?connection=events&partitionKey=0&maxRequestSize=1000&recordMetadata=true");
    await expect(sink.send(exchangeOf([...orders, "x".repeat(1_001)]))).rejects.toThrow(/has 1001 bytes, more than maxRequestSize/);
    const exchange = exchangeOf("first");
    await sink.send(exchange);
    expect(exchange.message.headers.get("CamelKafkaRecordMeta")).toMatchObject([{ offset: "0" }]);
  });
});
