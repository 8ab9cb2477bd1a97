// Header names of Camel's Kafka component, including those of Camel 3, which flows still use.
import { f } from "@sluice/model";
import type { Exchange } from "@sluice/engine/spi";
import { mapHeader, rowsHeader } from "../header-fields.ts";

export const kafkaHeaders = {
  CamelKafkaTopic: f.string({ doc: "The topic of the record." }),
  CamelKafkaPartition: f.integer({ doc: "The partition of the record." }),
  CamelKafkaOffset: f.integer({ doc: "The offset of the record." }),
  CamelKafkaTimestamp: f.integer({ doc: "Timestamp of the record, in milliseconds since the epoch." }),
  CamelKafkaKey: f.string({ doc: "Key of the record; if set by the route, the key of the record to send." }),
  CamelKafkaHeaders: mapHeader("Headers of the record."),
  CamelKafkaLastPollRecord: f.boolean({ doc: "Whether this is the last record of a fetch from its partition." }),
  CamelKafkaLastRecordBeforeCommit: f.boolean({ doc: "With autoCommitEnable=false, whether the offset is committed after this record." }),
  CamelKafkaPartitionKey: f.integer({ doc: "Set by the route: the partition to send to." }),
  CamelKafkaOverrideTopic: f.string({ doc: "Set by the route: overrides the endpoint's topic; removed after sending." }),
  CamelKafkaOverrideTimestamp: f.integer({ doc: "Set by the route: timestamp of the record to send, in milliseconds since the epoch." }),
  CamelKafkaRecordMeta: rowsHeader("With recordMetadata: topic, partition, offset and timestamp of the stored records."),
};

const olderNames: Readonly<Record<string, string>> = {
  CamelKafkaKey: "kafka.KEY",
  CamelKafkaPartitionKey: "kafka.PARTITION_KEY",
  CamelKafkaOverrideTopic: "kafka.OVERRIDE_TOPIC",
  CamelKafkaOverrideTimestamp: "kafka.OVERRIDE_TIMESTAMP",
};

/** A header set by the route, under its Camel 4 or Camel 3 name. Headers from a message never select a topic. */
export function ownHeader({ message }: Pick<Exchange, "message">, name: keyof typeof kafkaHeaders): unknown {
  const older = olderNames[name];
  return message.headers.getOwn(name) ?? (older === undefined ? undefined : message.headers.getOwn(older));
}

export function removeHeader({ message }: Exchange, name: keyof typeof kafkaHeaders): void {
  message.headers.delete(name);
  const older = olderNames[name];
  if (older !== undefined) message.headers.delete(older);
}

export const isOlderName = (key: string): boolean => key.startsWith("kafka.");
