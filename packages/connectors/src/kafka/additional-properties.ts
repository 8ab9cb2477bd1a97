// `additionalProperties.linger.ms=20`: settings under the names of the Java client. A setting sets its equivalent option; a setting without one is
// rejected.
import { CompileError, type Endpoint } from "@sluice/engine/spi";
import { bindEndpoint, closest } from "@sluice/model";
import { kafkaOptions, kafkaPath, type KafkaOptions } from "./kafka-options.ts";

export const additionalPrefix = "additionalProperties.";

const equivalents: Readonly<Record<string, keyof typeof kafkaOptions>> = {
  acks: "requestRequiredAcks",
  "auto.commit.interval.ms": "autoCommitIntervalMs",
  "auto.offset.reset": "autoOffsetReset",
  "batch.size": "producerBatchSize",
  "bootstrap.servers": "brokers",
  "client.id": "clientId",
  "compression.type": "compressionCodec",
  "delivery.timeout.ms": "deliveryTimeoutMs",
  "enable.idempotence": "enableIdempotence",
  "fetch.max.bytes": "fetchMaxBytes",
  "fetch.max.wait.ms": "fetchWaitMaxMs",
  "fetch.min.bytes": "fetchMinBytes",
  "group.id": "groupId",
  "heartbeat.interval.ms": "heartbeatIntervalMs",
  "isolation.level": "isolationLevel",
  "key.deserializer": "keyDeserializer",
  "key.serializer": "keySerializer",
  "linger.ms": "lingerMs",
  "max.in.flight.requests.per.connection": "maxInFlightRequest",
  "max.partition.fetch.bytes": "maxPartitionFetchBytes",
  "max.poll.interval.ms": "maxPollIntervalMs",
  "max.poll.records": "maxPollRecords",
  "max.request.size": "maxRequestSize",
  "metadata.max.age.ms": "metadataMaxAgeMs",
  "reconnect.backoff.max.ms": "reconnectBackoffMaxMs",
  "reconnect.backoff.ms": "reconnectBackoffMs",
  "request.timeout.ms": "requestTimeoutMs",
  retries: "retries",
  "retry.backoff.max.ms": "retryBackoffMaxMs",
  "retry.backoff.ms": "retryBackoffMs",
  "sasl.mechanism": "saslMechanism",
  "security.protocol": "securityProtocol",
  "session.timeout.ms": "sessionTimeoutMs",
  "ssl.endpoint.identification.algorithm": "sslEndpointAlgorithm",
  "transactional.id": "transactionalId",
  "value.deserializer": "valueDeserializer",
  "value.serializer": "valueSerializer",
};

const isRegistryProperty = (name: string): boolean => /^(apicurio|schema|specific\.avro)\./.test(name);

export function withAdditionalProperties(endpoint: Endpoint<KafkaOptions>): Endpoint<KafkaOptions> {
  const options: Record<string, unknown> = { ...endpoint.options };
  for (const [written, value] of Object.entries(endpoint.extra)) {
    const name = written.slice(additionalPrefix.length);
    const option = Object.hasOwn(equivalents, name) ? equivalents[name] : undefined;
    if (option === undefined) {
      const suggestion = closest(name, Object.keys(equivalents));
      throw new CompileError("kafka-property", `'${name}' of the Java client has no equivalent here`, {
        option: written,
        hint: isRegistryProperty(name)
          ? "schema registries are not supported: exchange JSON or bytes, and use marshal and unmarshal"
          : suggestion === undefined
            ? `remove it, or use one of ${Object.keys(equivalents).join(", ")}`
            : `did you mean '${suggestion}'?`,
      });
    }
    const bound = bindEndpoint(
      { uri: "kafka:any", parameters: { [option]: value } },
      { scheme: "kafka", syntax: "kafka:topic", path: kafkaPath, options: kafkaOptions as never },
    );
    const [problem] = bound.problems;
    if (problem !== undefined) throw new CompileError(problem.code, `${written}: ${problem.message}`, { option: written });
    options[option] = bound.values[option];
  }
  return { ...endpoint, options: options as KafkaOptions };
}
