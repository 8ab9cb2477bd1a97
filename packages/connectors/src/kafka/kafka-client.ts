// The Kafka client interface that endpoints use, so that the library behind it can be replaced.
import type { Clock } from "@sluice/engine/spi";

export interface KafkaRecord {
  readonly offset: string;
  /** In milliseconds since the epoch. */
  readonly timestamp: string;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers?: Readonly<Record<string, Uint8Array | string | readonly (Uint8Array | string)[] | undefined>>;
}

/** Records of one partition, in order. */
export interface PartitionBatch {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly KafkaRecord[];
  /** True when no further record may be started: the consumer is stopping, or the partition is being reassigned. */
  readonly isOver: boolean;
  /** Every record up to this one is settled. */
  settled(record: KafkaRecord): void;
  /** Starts a commit of the settled offsets if the commit interval has passed. */
  commitIfDue(): void;
  /** Delivers these records again after a delay, or earlier together with later ones of the partition. They must be the last ones of the batch. */
  hold(records: readonly [KafkaRecord, ...KafkaRecord[]], waitMs: number): void;
  /** Redelivers this record and later ones after a delay. Other partitions continue. */
  postpone(record: KafkaRecord, waitMs: number): void;
}

export interface ConsumeOptions {
  readonly groupId: string;
  readonly topics: readonly string[];
  readonly autoOffsetReset: "latest" | "earliest" | "none";
  readonly seekTo: "BEGINNING" | "END" | undefined;
  /** Called when the consumer has moved to `seekTo`. */
  onSeekDone(): void;
  readonly concurrentPartitions: number;
  readonly commitIntervalMs: number;
  readonly commitTimeoutMs: number;
  readonly fetchMinBytes: number;
  readonly fetchMaxBytes: number;
  readonly maxPartitionFetchBytes: number;
  readonly fetchWaitMaxMs: number;
  readonly sessionTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
  readonly rebalanceTimeoutMs: number | undefined;
  readonly metadataMaxAgeMs: number;
  readonly isolationLevel: "read_uncommitted" | "read_committed";
  readonly clock: Clock;
}

export interface KafkaConsumer {
  /** Fetches no more records; resolves when those in progress are settled and committed. */
  close(): Promise<void>;
}

export interface OutgoingRecord {
  readonly topic: string;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly partition: number | undefined;
  readonly timestamp: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

export interface SendOptions {
  readonly acks: -1 | 0 | 1;
  readonly gzip: boolean;
  readonly idempotent: boolean;
  readonly timeoutMs: number;
  readonly maxInFlight: number;
  readonly retries: number;
  readonly retryBackoffMs: number;
  readonly retryBackoffMaxMs: number;
  readonly metadataMaxAgeMs: number;
}

export interface RecordMetadata {
  readonly topic: string;
  readonly partition: number;
  /** Offset of the first record that was sent to this partition. */
  readonly offset: string | undefined;
  readonly timestamp: string | undefined;
}

export interface KafkaClient {
  send(records: readonly OutgoingRecord[], options: SendOptions): Promise<readonly RecordMetadata[]>;
  /** `crashed` is called when the consumer stops unexpectedly. */
  consume(options: ConsumeOptions, work: (batch: PartitionBatch) => Promise<void>, crashed: (error: unknown) => void): Promise<KafkaConsumer>;
  /** True when a consumer failed because no broker responded. */
  isConnectionFailure(error: unknown): boolean;
  topics(): Promise<readonly string[]>;
  /** One round trip; resolves with the number of brokers. */
  ping(): Promise<number>;
  /** Calls `listener` with an error message when a broker becomes unreachable, and with undefined when one is reachable. */
  watchLinks(listener: (problem: string | undefined) => void): () => void;
  close(): Promise<void>;
}
