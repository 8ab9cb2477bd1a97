import { connectorUnderTest, realTimeHost, testConnections } from "@sluice/testkit";
import { expect, it } from "vitest";
import { jaasValue, kafkaConnection } from "./kafka-connection.ts";
import { kafkaConnector } from "./kafka.ts";

it("reads a user name and a password that contain quotation marks", () => {
  const config = `org.apache.kafka.common.security.plain.PlainLoginModule required username="o'brien" password='say "yes"';`;
  expect([jaasValue(config, "username"), jaasValue(config, "password")]).toEqual(["o'brien", 'say "yes"']);
  expect(jaasValue(undefined, "username")).toBeUndefined();
});

it("rejects an assignor that would have no effect", () => {
  const host = realTimeHost();
  const connections = testConnections(
    host,
    { events: { declaration: kafkaConnection, values: { brokers: "localhost:9092" } } },
    (need) => import(need.package),
  );
  const connector = connectorUnderTest(kafkaConnector(), Object.assign(host, { connections }));
  const source = (assignor: string) => () => connector.source(`kafka:orders?connection=events&partitionAssignor=${assignor}`);
  expect(source("org.apache.kafka.clients.consumer.CooperativeStickyAssignor")).toThrow(/partitionAssignor '.*CooperativeStickyAssignor' is not supported/);
  expect(source("org.apache.kafka.clients.consumer.RoundRobinAssignor")).not.toThrow();
  expect(source("org.apache.kafka.clients.consumer.RangeAssignor")).not.toThrow();
});
