import { describe, expect, it } from "vitest";
import { brokerUrls, factoryFields } from "./connection-factory.ts";

const qpid = "org.apache.qpid.jms.JmsConnectionFactory";
const artemis = "org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory";

describe("parsing of JMS connection factories", () => {
  it.each([
    [qpid, { remoteURI: "amqp://h:5673?jms.username=u&jms.password=p&jms.clientID=c" }, { url: "amqp://h:5673", username: "u", password: "p", clientId: "c" }],
    [
      qpid,
      { remoteURI: "failover:(amqp://a:1,amqps://b:2)?failover.maxReconnectAttempts=20", username: "u" },
      { url: "amqp://a:1,amqps://b:2", username: "u" },
    ],
    [artemis, { brokerURL: "tcp://h:61616", user: "u" }, { url: "amqp://h:61616", username: "u" }],
    ["org.messaginghub.pooled.jms.JmsPoolConnectionFactory", { maxConnections: "5", "connectionFactory.remoteURI": "amqp://h" }, { url: "amqp://h" }],
    [qpid, { remoteURI: "amqp://u:p%40@h:5672" }, { url: "amqp://h:5672", username: "u", password: "p@" }],
  ])("reads the connection fields of %s from %j", (className, properties, expected) => {
    expect(factoryFields(properties, className)).toEqual(expected);
  });

  it("rejects addresses that are not AMQP", () => {
    expect(() => factoryFields({ brokerURL: "tcp://h:61616" }, qpid)).toThrow("OpenWire is not supported");
    expect(() => brokerUrls("vm://localhost")).toThrow("OpenWire is not supported");
  });
});
