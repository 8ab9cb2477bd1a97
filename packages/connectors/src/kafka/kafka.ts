// Kafka, through a replaceable client.
import { CompileError, defineConnector, type ConnectorDeclaration } from "@sluice/engine/spi";
import { inlineValues } from "../messaging/connection-options.ts";
import { noDeadLetters, type DeadLetters } from "../sluice/sluice.ts";
import { additionalPrefix, withAdditionalProperties } from "./additional-properties.ts";
import type { KafkaClient } from "./kafka-client.ts";
import { kafkaConnectionFields } from "./kafka-connection.ts";
import { kafkaHeaders } from "./kafka-headers.ts";
import { kafkaOptions, kafkaPath, type KafkaOptions } from "./kafka-options.ts";
import { kafkaSink } from "./kafka-sink.ts";
import { kafkaSource } from "./kafka-source.ts";

export function kafkaConnector(deadLetters: DeadLetters = noDeadLetters): ConnectorDeclaration {
  return defineConnector({
    scheme: "kafka",
    title: "Kafka",
    summary: "Receives records from Kafka topics, and sends records to them.",
    guarantees:
      "Messages are delivered at least once: an offset is committed only after all earlier records of the partition are settled, so after a crash records are read again. Records of one partition run one at a time and in order; partitions run concurrently. A record whose run fails becomes a dead letter, with breakOnFirstError after maximumRedeliveries. Sending waits for the confirmation of the brokers.",
    group: "messaging",
    icon: "queue",
    since: "0.2",
    keywords: ["queue", "topic", "publish", "event"],
    syntax: "kafka:topic",
    roles: ["source", "sink"],
    trigger: "outside",
    workers: "any",
    path: kafkaPath,
    options: kafkaOptions,
    prefixes: [additionalPrefix],
    headers: kafkaHeaders,
    examples: [],
    connect: (host) => ({
      source(written, scope) {
        const endpoint = withAdditionalProperties(written);
        const { partitionAssignor } = endpoint.options;
        if (partitionAssignor !== undefined && !/(RoundRobin|Range)Assignor$/.test(partitionAssignor))
          throw new CompileError("bad-option", `partitionAssignor '${partitionAssignor}' is not supported: partitions are assigned round robin`, {
            option: "partitionAssignor",
            hint: "remove the option, or set it to org.apache.kafka.clients.consumer.RoundRobinAssignor",
          });
        const request = requestOf(endpoint.options, endpoint.options.consumerRequestTimeoutMs);
        return kafkaSource(endpoint, scope.connection<KafkaClient>(request), { host, deadLetters });
      },
      sink(written, scope) {
        const endpoint = withAdditionalProperties(written);
        if (endpoint.options.topic.includes(","))
          throw new CompileError("bad-option", `'${endpoint.uri}' contains several topics, but a sink can send to only one`, { option: "topic" });
        return kafkaSink(endpoint, scope.connection<KafkaClient>(requestOf(endpoint.options)), host);
      },
    }),
  });
}

function requestOf(options: KafkaOptions, requestTimeoutMs?: number) {
  // The option requestTimeoutMs belongs to the sink, which applies it to each request.
  const { requestTimeoutMs: _own, ...fields } = kafkaConnectionFields;
  const inline = inlineValues(fields, options);
  const isInline = requestTimeoutMs !== undefined && Object.keys(inline).length > 0;
  return { reference: options.connection, kinds: ["kafka"], inline: isInline ? { ...inline, requestTimeoutMs: String(requestTimeoutMs) } : inline };
}
