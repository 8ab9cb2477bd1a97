// AMQP 1.0 under the scheme names that Camel uses for JMS brokers.
import { CompileError, defineConnector, type ConnectionRequest, type ConnectorDeclaration, type Endpoint } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { inlineValues, rejectTrue } from "../messaging/connection-options.ts";
import { noDeadLetters, type DeadLetters } from "../sluice/sluice.ts";
import type { AmqpClient } from "./amqp-connection.ts";
import { jmsOptions, jmsPath, serializationOptions, type JmsOptions } from "./jms-options.ts";
import { jmsSink } from "./jms-sink.ts";
import { jmsSource } from "./jms-source.ts";

export function amqpConnector(deadLetters: DeadLetters = noDeadLetters): ConnectorDeclaration {
  return defineConnector({
    scheme: "amqp",
    aliases: ["jms", "activemq", "activemq6"],
    title: "JMS and AMQP 1.0",
    summary: "Receives messages from queues and topics of AMQP 1.0 brokers, and sends messages to them.",
    guarantees:
      "Messages are delivered at least once: a message is accepted when its run is done, so after a crash the broker delivers it again. With several concurrent consumers, messages can overtake each other; one consumer preserves the order of the queue. Sending waits until the broker accepts the message.",
    group: "messaging",
    icon: "queue",
    since: "0.2",
    keywords: ["queue", "topic", "publish", "event"],
    card: { subtitle: "{destinationName}" },
    syntax: "amqp:destinationType:destinationName",
    roles: ["source", "sink"],
    trigger: "outside",
    workers: "any",
    path: jmsPath,
    options: jmsOptions as typeof jmsOptions & Record<string, ReturnType<typeof f.string>>,
    headers: {
      JMSMessageID: f.string({ doc: "The id of the message." }),
      JMSCorrelationID: f.string({ doc: "The id of the request that the message belongs to." }),
      JMSDeliveryMode: f.integer({ doc: "Whether the message is persistent (2) or not (1)." }),
      JMSDestination: f.string({ doc: "The address that the message was sent to." }),
      JMSExpiration: f.integer({ doc: "When the message expires, in milliseconds since 1970; 0 for never." }),
      JMSPriority: f.integer({ doc: "The priority of the message." }),
      JMSRedelivered: f.boolean({ doc: "Whether the message was delivered before." }),
      JMSXDeliveryCount: f.integer({ doc: "Number of deliveries of the message, including this one." }),
      JMSTimestamp: f.integer({ doc: "When the message was sent, in milliseconds since 1970." }),
      JMSReplyTo: f.string({ doc: "The address that a reply is sent to." }),
      JMSType: f.string({ doc: "The type of the message, set by its sender." }),
      JMSXGroupID: f.string({ doc: "The message group; messages of one group go to one consumer." }),
      JMSXUserID: f.string({ doc: "The user name of the sender." }),
      CamelJmsMessageType: f.string({ doc: "`Text`, `Bytes`, `Map`, `Stream`, `Object` or `Message`." }),
      CamelJmsDestinationName: f.string({ doc: "Set by the route: the queue or topic that the message is sent to." }),
      CamelJmsRequestTimeout: f.integer({ doc: "Set by the route: how long to wait for a reply, in milliseconds." }),
      CamelJMSDestinationProduced: f.string({ doc: "The address that the message was sent to." }),
    },
    examples: [],
    connect: (host) => ({
      source: (endpoint, scope) => jmsSource(checkEndpoint(endpoint), scope.connection<AmqpClient>(requestOf(endpoint.options)), { host, deadLetters }),
      sink: (endpoint, scope) => jmsSink(checkEndpoint(endpoint), scope.connection<AmqpClient>(requestOf(endpoint.options)), host),
    }),
  });
}

function checkEndpoint(endpoint: Endpoint<JmsOptions>): Endpoint<JmsOptions> {
  const { jmsMessageType, correlationProperty } = endpoint.options;
  for (const [option, reason] of Object.entries(serializationOptions))
    rejectTrue(option, endpoint.options[option as keyof typeof serializationOptions], reason);
  if (jmsMessageType === "Object" || jmsMessageType === "Stream")
    throw new CompileError("bad-option", `jmsMessageType=${jmsMessageType} requires Java: use Text, Bytes or Map`, { option: "jmsMessageType" });
  // The name becomes part of the selector of a shared reply queue.
  if (correlationProperty !== undefined && !/^[A-Za-z_$][\w$]*$/.test(correlationProperty))
    throw new CompileError("bad-option", `correlationProperty '${correlationProperty}' is not a valid property name: use letters, digits, '_' and '$'`, {
      option: "correlationProperty",
    });
  return endpoint;
}

function requestOf(options: JmsOptions): ConnectionRequest {
  const { connectionFactory: reference, username, password } = options;
  // A client id alone does not describe a connection.
  const isInline = reference === undefined && (username !== undefined || password !== undefined);
  return { reference, kinds: ["amqp"], inline: isInline ? inlineValues({ username: true, password: true, clientId: true }, options) : {} };
}
