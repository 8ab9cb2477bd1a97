// NATS and JetStream.
import { defineConnector, type ConnectorDeclaration } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { inlineValues, noManualAck, rejectTrue } from "../messaging/connection-options.ts";
import { noDeadLetters, type DeadLetters } from "../sluice/sluice.ts";
import { jetstreamSource } from "./jetstream-source.ts";
import { natsConnectionFields, type NatsClient } from "./nats-connection.ts";
import { natsOptions, natsPath, type NatsOptions } from "./nats-options.ts";
import { natsSink } from "./nats-sink.ts";
import { natsSource } from "./nats-source.ts";

export function natsConnector(deadLetters: DeadLetters = noDeadLetters): ConnectorDeclaration {
  return defineConnector({
    scheme: "nats",
    title: "NATS",
    summary: "Receives messages from NATS and JetStream, and sends messages to them.",
    guarantees:
      "Plain NATS delivers messages at most once: the server does not store messages, so those sent while the route is stopped or disconnected are lost; waiting messages are stored in memory up to a limit. JetStream delivers messages at least once: a message is acknowledged when its run is done and delivered again after a crash. poolSize messages run concurrently; poolSize=1 preserves their order.",
    group: "messaging",
    icon: "queue",
    since: "0.2",
    keywords: ["queue", "topic", "publish", "event"],
    syntax: "nats:topic",
    roles: ["source", "sink"],
    trigger: "outside",
    workers: "any",
    path: natsPath,
    options: natsOptions,
    headers: {
      CamelNatsSubject: f.string({ doc: "The subject of the message." }),
      CamelNatsReplyTo: f.string({ doc: "The subject for the reply." }),
      CamelNatsSID: f.string({ doc: "The id of the subscription." }),
      CamelNatsQueueName: f.string({ doc: "The queue group of the subscription." }),
      CamelNatsMessageTimestamp: f.integer({ doc: "When the message was received or stored by the stream, in milliseconds since the epoch." }),
      CamelNatsDeliveryCounter: f.integer({ doc: "Number of deliveries of a message of a stream, including this one." }),
      CamelNatsStatusCode: f.integer({ doc: "Status code, for status messages of the server." }),
      CamelNatsStatusError: f.string({ doc: "The text of the status." }),
    },
    examples: [],
    connect: (host) => ({
      source(endpoint, scope) {
        rejectTrue("manualAck", endpoint.options.manualAck, noManualAck);
        const connection = scope.connection<NatsClient>(requestOf(endpoint.options));
        return (endpoint.options.jetstreamEnabled ? jetstreamSource : natsSource)(endpoint, connection, { host, deadLetters });
      },
      sink: (endpoint, scope) => natsSink(endpoint, scope.connection<NatsClient>(requestOf(endpoint.options)), host),
    }),
  });
}

function requestOf(options: NatsOptions) {
  return { reference: options.connection, kinds: ["nats"], inline: inlineValues(natsConnectionFields, options) };
}
