import { connectorUnderTest, realTimeHost, testConnections } from "@sluice/testkit";
import { expect, it } from "vitest";
import { mqttConnection } from "./mqtt-connection.ts";
import { pahoMqtt5Connector } from "./paho.ts";

it("accepts a wildcard only as a whole level of the topic of a source", () => {
  const host = realTimeHost();
  const declared = { broker: { declaration: mqttConnection, values: { brokerUrl: "tcp://localhost:1" } } };
  const connections = testConnections(host, declared, (clientPackage) => import(clientPackage.package));
  const connector = connectorUnderTest(pahoMqtt5Connector(), Object.assign(host, { connections }));
  const source = (topic: string) => () => connector.source(`paho-mqtt5:${topic}?connection=broker`);
  for (const topic of ["a/+/b", "#", "a/#", "+", "$share/g/a/+", "a"]) expect(source(topic), topic).not.toThrow();
  for (const topic of ["a/#/b", "a#", "a/b+", "#/a"]) expect(source(topic), topic).toThrow(`'${topic}' is not a valid topic filter`);
});
