// MQTT 3.1.1 and MQTT 5, under the scheme names of Camel's two components.
import { defineConnector, type ConnectorDeclaration, type Endpoint, type EndpointScope, type Host } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { mapHeader } from "../header-fields.ts";
import { inlineValues, jsonMapOf, noManualAck, rejectTrue } from "../messaging/connection-options.ts";
import { noDeadLetters, type DeadLetters } from "../sluice/sluice.ts";
import { mqttConnectionFields } from "./mqtt-connection.ts";
import type { MqttLinks } from "./mqtt-links.ts";
import { paho3, paho5, type PahoDialect } from "./paho-dialect.ts";
import { pahoMqtt5Options, pahoOptions, pahoPath, type PahoOptions } from "./paho-options.ts";
import { pahoSink } from "./paho-sink.ts";
import { pahoSource } from "./paho-source.ts";

const sourceHeaders = {
  CamelMqttTopic: f.string({ doc: "The topic of the message." }),
  CamelMqttQoS: f.integer({ doc: "Quality of service of the delivery." }),
};

const common = {
  group: "messaging",
  icon: "queue",
  since: "0.2",
  keywords: ["queue", "topic", "publish", "event"],
  roles: ["source", "sink"],
  trigger: "outside",
  workers: "any",
  path: pahoPath,
  examples: [],
} as const;

export function pahoConnector(deadLetters: DeadLetters = noDeadLetters): ConnectorDeclaration {
  return defineConnector({
    ...common,
    scheme: "paho",
    title: "MQTT 3.1.1",
    summary: "Receives and sends MQTT 3.1.1 messages.",
    guarantees:
      "With QoS 1 or 2 and cleanSession=false, messages are delivered at least once: a message is acknowledged when its run is done. Otherwise they are delivered at most once, and messages sent while the route is disconnected are lost. Messages of one route run one at a time and in order. Sending waits for the confirmation of the broker.",
    syntax: "paho:topic",
    options: pahoOptions,
    headers: {
      ...sourceHeaders,
      CamelPahoQos: f.integer({ doc: "Set by the route: quality of service of the message to send." }),
      CamelPahoRetained: f.boolean({ doc: "Whether the message is retained; if set by the route, whether the message to send is retained." }),
      CamelPahoOverrideTopic: f.string({ doc: "Set by the route: overrides the endpoint's topic; removed after sending." }),
    },
    connect: (host) => connect(host, paho3, deadLetters),
  });
}

export function pahoMqtt5Connector(deadLetters: DeadLetters = noDeadLetters): ConnectorDeclaration {
  return defineConnector({
    ...common,
    scheme: "paho-mqtt5",
    title: "MQTT 5",
    summary: "Receives and sends MQTT 5 messages.",
    guarantees:
      "With QoS 1 or 2 and cleanStart=false, messages are delivered at least once: a message is acknowledged when its run is done. Otherwise they are delivered at most once, and messages sent while the route is disconnected are lost. Messages of one route run one at a time and in order. Sending waits for the confirmation of the broker.",
    syntax: "paho-mqtt5:topic",
    options: pahoMqtt5Options,
    headers: {
      ...sourceHeaders,
      CamelPahoMqtt5Qos: f.integer({ doc: "Set by the route: quality of service of the message to send." }),
      CamelPahoMqtt5Retained: f.boolean({ doc: "Whether the message is retained; if set by the route, whether the message to send is retained." }),
      CamelPahoMqtt5OverrideTopic: f.string({ doc: "Set by the route: overrides the endpoint's topic; removed after sending." }),
      CamelPahoMqtt5MsgProperties: mapHeader("Message properties, such as contentType and responseTopic."),
    },
    connect: (host) => connect(host, paho5, deadLetters),
  });
}

function connect(host: Host, dialect: PahoDialect, deadLetters: DeadLetters) {
  return {
    source(endpoint: Endpoint<PahoOptions>, scope: EndpointScope) {
      rejectTrue("manualAcksEnabled", endpoint.options.manualAcksEnabled, noManualAck);
      return pahoSource(endpoint, connectionOf(endpoint, scope), { host, deadLetters, dialect });
    },
    sink: (endpoint: Endpoint<PahoOptions>, scope: EndpointScope) => pahoSink(endpoint, dialect, connectionOf(endpoint, scope), host),
  };
}

function connectionOf({ options }: Endpoint<PahoOptions>, scope: EndpointScope) {
  // An invalid option is reported on deployment, not when the connection is opened.
  jsonMapOf("customWebSocketHeaders", options.customWebSocketHeaders);
  return scope.connection<MqttLinks>({ reference: options.connection, kinds: ["mqtt"], inline: inlineValues(mqttConnectionFields, options) });
}
