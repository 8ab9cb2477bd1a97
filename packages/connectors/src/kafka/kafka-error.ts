import { FlowError, isFlowError } from "@sluice/engine/spi";

interface LibraryError extends Error {
  readonly type?: string;
  readonly retriable?: boolean;
}

const types: Readonly<Record<string, readonly [string, string]>> = {
  MESSAGE_TOO_LARGE: ["org.apache.kafka.common.errors.RecordTooLargeException", "kafka-too-large"],
  RECORD_LIST_TOO_LARGE: ["org.apache.kafka.common.errors.RecordTooLargeException", "kafka-too-large"],
  TOPIC_AUTHORIZATION_FAILED: ["org.apache.kafka.common.errors.TopicAuthorizationException", "kafka-not-allowed"],
  UNKNOWN_TOPIC_OR_PARTITION: ["org.apache.kafka.common.errors.UnknownTopicOrPartitionException", "kafka-no-topic"],
};

/** Converts a failure of the client to the exception that Camel's component would throw. */
export function kafkaError(thrown: unknown, topic: string): FlowError {
  if (isFlowError(thrown)) return thrown;
  const error = rootOf(thrown);
  const failure = (type: string, code: string, retryable: boolean): FlowError =>
    new FlowError(type, `Kafka, topic '${topic}': ${error.message}`, { code, retryable, details: { kafkaErrorType: error.type ?? error.name } });
  const mapping = types[error.type ?? ""];
  if (mapping !== undefined) return failure(mapping[0], mapping[1], error.retriable === true);
  if (/SASL/.test(error.name)) return failure("org.apache.kafka.common.errors.SaslAuthenticationException", "kafka-login", false);
  if (/Timeout|Connection|BrokerNotFound|LockTimeout/.test(error.name))
    return failure("org.apache.kafka.common.errors.TimeoutException", "kafka-timeout", true);
  return failure("org.apache.kafka.common.KafkaException", "kafka-failed", error.retriable !== false);
}

/** The client wraps the cause when it stops retrying. */
function rootOf(thrown: unknown): LibraryError {
  let error = thrown as LibraryError;
  for (let depth = 0; depth < 10 && error.cause instanceof Error && /NumberOfRetriesExceeded|Aggregate/.test(error.name); depth++) error = error.cause;
  return error instanceof Error ? error : new Error(String(thrown));
}
