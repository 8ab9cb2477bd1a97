// RabbitMQ over AMQP 0-9-1. Camel 3's scheme `rabbitmq` is an alias.
import { defineConnector, type ConnectorDeclaration, type Endpoint } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { noDeadLetters, type DeadLetters } from "../sluice/sluice.ts";
import type { RabbitClient } from "./rabbitmq-connection.ts";
import { addressOf, rabbitOptions, rabbitPath, type RabbitOptions } from "./rabbitmq-options.ts";
import { rabbitSink } from "./rabbitmq-sink.ts";
import { rabbitSource } from "./rabbitmq-source.ts";

export function springRabbitmqConnector(deadLetters: DeadLetters = noDeadLetters): ConnectorDeclaration {
  return defineConnector({
    scheme: "spring-rabbitmq",
    aliases: ["rabbitmq"],
    title: "RabbitMQ",
    summary: "Receives messages from RabbitMQ queues and sends messages to exchanges.",
    guarantees:
      "Messages are delivered at least once: a message is acknowledged when its run is done, so after a crash the server delivers it again. One message of a queue runs at a time, in order; with more concurrentConsumers, messages can overtake each other. Sending waits for the confirmation of the server and fails when no queue receives the message.",
    group: "messaging",
    icon: "queue",
    since: "0.2",
    keywords: ["queue", "topic", "publish", "event"],
    syntax: "spring-rabbitmq:exchangeName",
    roles: ["source", "sink"],
    trigger: "outside",
    workers: "any",
    prefixes: ["arg."],
    path: rabbitPath,
    options: rabbitOptions,
    headers: {
      CamelSpringRabbitmqRoutingOverrideKey: f.string({ doc: "Set by the route: the routing key of the message to send." }),
      CamelSpringRabbitmqExchangeOverrideName: f.string({ doc: "Set by the route: the exchange to send to." }),
      CamelSpringRabbitmqRedelivered: f.boolean({ doc: "Whether the message was delivered before." }),
      CamelSpringRabbitmqDeliveryTag: f.integer({ doc: "The number of the delivery." }),
      CamelSpringRabbitmqExchangeName: f.string({ doc: "The exchange that the message was published to." }),
      CamelSpringRabbitmqRoutingKey: f.string({ doc: "The routing key of the received message." }),
      CamelSpringRabbitmqDeliveryMode: f.string({ doc: "`PERSISTENT`, the default for sending, or `NON_PERSISTENT`." }),
      CamelSpringRabbitmqType: f.string({ doc: "The type of the message, set by its sender." }),
      CamelSpringRabbitmqContentType: f.string({ doc: "The content type. Bodies of `text/…` are text, all others bytes." }),
      CamelSpringRabbitmqContentLength: f.integer({ doc: "The length of the body in bytes." }),
      CamelSpringRabbitmqContentEncoding: f.string({ doc: "The encoding of the content." }),
      CamelSpringRabbitmqMessageId: f.string({ doc: "The id of the message; generated if missing." }),
      CamelSpringRabbitmqCorrelationId: f.string({ doc: "The id of the request that the message belongs to." }),
      CamelSpringRabbitmqReplyTo: f.string({ doc: "The queue for the reply." }),
      CamelSpringRabbitmqExpiration: f.string({ doc: "How many milliseconds the message stays in a queue before it expires." }),
      CamelSpringRabbitmqTimestamp: f.string({ doc: "When the message was sent." }),
      CamelSpringRabbitmqUserId: f.string({ doc: "The user name of the sender, verified by the server." }),
      CamelSpringRabbitmqAppId: f.string({ doc: "The application of the sender." }),
      CamelSpringRabbitmqPriority: f.integer({ doc: "The priority of the message." }),
      CamelSpringRabbitmqClusterId: f.string({ doc: "The id of the cluster." }),
    },
    examples: [],
    connect: (host) => ({
      source: (endpoint, scope) => rabbitSource(endpoint, scope.connection<RabbitClient>(requestOf(endpoint)), { host, deadLetters }),
      sink: (endpoint, scope) => rabbitSink(endpoint, scope.connection<RabbitClient>(requestOf(endpoint)), host),
    }),
  });
}

const requestOf = ({ options }: Endpoint<RabbitOptions>) => ({ reference: options.connectionFactory, kinds: ["rabbitmq"], inline: addressOf(options) });
