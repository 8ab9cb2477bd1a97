import { connectorUnderTest, FakeRouteInput, realTimeHost, testConnections } from "@sluice/testkit";
import { expect, it } from "vitest";
import { jaasValue, kafkaConnection } from "./kafka-connection.ts";
import { withAdditionalProperties } from "./additional-properties.ts";
import type { KafkaOptions } from "./kafka-options.ts";
import { kafkaConnector } from "./kafka.ts";

it("reads a user name and a password that contain quotation marks", () => {
  const config = `org.apache.kafka.common.security.plain.PlainLoginModule required username="o'brien" password='say "yes"';`;
  expect([jaasValue(config, "username"), jaasValue(config, "password")]).toEqual(["o'brien", 'say "yes"']);
  expect(jaasValue(undefined, "username")).toBeUndefined();
});

function kafkaUnderTest() {
  const host = realTimeHost();
  const connections = testConnections(
    host,
    { events: { declaration: kafkaConnection, values: { brokers: "localhost:9092" } } },
    (clientPackage) => import(clientPackage.package),
  );
  return connectorUnderTest(kafkaConnector(), Object.assign(host, { connections }));
}

it("reads settings of the Java client that have an equivalent, and rejects the others", () => {
  const connector = kafkaUnderTest();
  const source = (setting: string) => () => connector.source(`kafka:orders?connection=events&additionalProperties.${setting}`);
  expect(source("max.poll.records=5")).not.toThrow();
  expect(source("max.poll.records=many")).toThrow(/additionalProperties\.max\.poll\.records: .*maxPollRecords/);
  expect(source("schema.registry.url=http://x")).toThrow("'schema.registry.url' of the Java client has no equivalent here");
  expect(source("constructor=x")).toThrow("'constructor' of the Java client has no equivalent here");
  const endpoint = { scheme: "kafka", uri: "kafka:x", path: "x", options: { lingerMs: 5 } as KafkaOptions, trusted: true, authored: true };
  const { options } = withAdditionalProperties({ ...endpoint, extra: { "additionalProperties.linger.ms": "20", "additionalProperties.acks": "1" } });
  expect(options).toEqual({ lingerMs: 20, requestRequiredAcks: "1" });
});

it("rejects an assignor that would have no effect", () => {
  const connector = kafkaUnderTest();
  const source = (assignor: string) => () => connector.source(`kafka:orders?connection=events&partitionAssignor=${assignor}`);
  expect(source("org.apache.kafka.clients.consumer.CooperativeStickyAssignor")).toThrow(/partitionAssignor '.*CooperativeStickyAssignor' is not supported/);
  expect(source("org.apache.kafka.clients.consumer.RoundRobinAssignor")).not.toThrow();
  expect(source("org.apache.kafka.clients.consumer.RangeAssignor")).not.toThrow();
});

it("rejects addresses that cannot be used, with preValidateHostAndPort=true", async () => {
  const connector = kafkaUnderTest();
  const start = (brokers: string) => connector.source(`kafka:orders?brokers=${brokers}&preValidateHostAndPort=true`).start(new FakeRouteInput());
  await expect(start("localhost")).rejects.toThrow("'localhost' in brokers is not an address: write host:port");
  await expect(start("localhost:9092,no-such-host.invalid:9092")).rejects.toThrow(
    /'no-such-host.invalid:9092' in brokers cannot be resolved .* set preValidateHostAndPort=false/,
  );
});
