// A kafkajs consumer whose offsets advance only past settled records.
import type * as KafkaJS from "kafkajs";
import { every } from "../messaging/incoming.ts";
import type { ConsumeOptions, KafkaConsumer, KafkaRecord, PartitionBatch } from "./kafka-client.ts";
import { HeldRecords } from "./held-records.ts";
import { OffsetCommits } from "./offset-commits.ts";

export interface ConsumerListener {
  /** Called when the consumer stops unexpectedly. */
  crashed(error: unknown): void;
  /** Called with a problem when a broker does not respond, and with undefined when it responds again. */
  reachability(problem: string | undefined): void;
}

export async function kafkajsConsumer(
  kafka: KafkaJS.Kafka,
  admin: KafkaJS.Admin,
  options: ConsumeOptions,
  work: (batch: PartitionBatch) => Promise<void>,
  { crashed, reachability }: ConsumerListener,
): Promise<KafkaConsumer> {
  const { clock } = options;
  const consumer = kafka.consumer(configOf(options));
  const resumes = new Set<() => void>();
  let isClosed = false;
  const commits = new OffsetCommits(clock, options.commitIntervalMs, options.commitTimeoutMs);
  let committedAt = clock.monotonic();
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    if (!isClosed) crashed(payload.error);
  });
  // A broker that stops responding does not close its sockets; only missing responses reveal it.
  let isUnresponsive = false;
  consumer.on(consumer.events.REQUEST_TIMEOUT, ({ payload }) => {
    isUnresponsive = true;
    reachability(`${payload.broker} does not respond`);
  });
  consumer.on(consumer.events.FETCH, () => {
    if (isUnresponsive) reachability(undefined);
    isUnresponsive = false;
  });

  const held = new HeldRecords(clock);
  consumer.on(consumer.events.GROUP_JOIN, () => held.clear());
  /** By partition: the processing of held records whose delay ended before more records were fetched. */
  const dueWork = new Map<string, Promise<void>>();

  /** False if `seekTo` failed. Records fetched before the seek are not processed: they might be delivered again after it. */
  let sought: Promise<boolean> = Promise.resolve(true);

  const eachBatch = async (payload: KafkaJS.EachBatchPayload): Promise<void> => {
    const { topic, partition, messages } = payload.batch;
    await dueWork.get(`${topic} ${partition}`);
    if (!(await sought) || isClosed) return;
    // Held records failed meanwhile, or the position was moved: the records are fetched again.
    if (payload.isStale()) return;
    const earlier = held.take({ topic, partition });
    await processRecords(payload, earlier.length === 0 ? messages : [...earlier, ...messages]);
  };

  const processHeld = (payload: KafkaJS.EachBatchPayload): void => {
    const { topic, partition } = payload.batch;
    const key = `${topic} ${partition}`;
    const working = processRecords(payload, held.take({ topic, partition }))
      .catch(crashed)
      .finally(() => dueWork.delete(key));
    dueWork.set(key, working);
  };

  const processRecords = async (payload: KafkaJS.EachBatchPayload, records: readonly KafkaRecord[]): Promise<void> => {
    const { batch, heartbeat, resolveOffset, uncommittedOffsets, commitOffsetsIfNecessary, isRunning, isStale } = payload;
    const { topic, partition } = batch;
    /** Commits the resolved offsets of all partitions. */
    const commit = (): Promise<void> => commitOffsetsIfNecessary(held.limit(uncommittedOffsets()) as KafkaJS.OffsetsByTopicPartition);
    let isRebalancing = false;
    let settledOffset: string | undefined;
    // Offset arithmetic is slow in the client, so only the last of several settled offsets is resolved.
    const resolveSettled = (): void => {
      if (settledOffset !== undefined) resolveOffset(settledOffset);
      settledOffset = undefined;
    };
    // A run may take longer than the session timeout.
    const stopHeartbeat = every(clock, options.heartbeatIntervalMs, () => void heartbeat().catch(() => (isRebalancing = true)));
    try {
      await work({
        topic,
        partition,
        records,
        get isOver() {
          return isClosed || isRebalancing || !isRunning() || isStale();
        },
        settled(record) {
          settledOffset = record.offset;
          held.settled({ topic, partition }, record);
        },
        hold(lastRecords, waitMs) {
          settledOffset = (lastRecords.at(-1) as KafkaRecord).offset;
          held.hold({ topic, partition }, lastRecords, waitMs, () => processHeld(payload));
        },
        commitIfDue() {
          const now = clock.monotonic();
          if (now - committedAt < options.commitIntervalMs) return;
          committedAt = now;
          resolveSettled();
          commits.request(commit);
        },
        postpone({ offset }, waitMs) {
          resolveSettled();
          consumer.pause([{ topic, partitions: [partition] }]);
          consumer.seek({ topic, partition, offset });
          const cancel = clock.after(waitMs, () => {
            resumes.delete(cancel);
            consumer.resume([{ topic, partitions: [partition] }]);
          });
          resumes.add(cancel);
        },
      });
    } finally {
      stopHeartbeat();
      resolveSettled();
      committedAt = clock.monotonic();
      commits.request(commit);
      // Another member may get the partition, or this one leaves the group.
      if (isClosed || isRebalancing || !isRunning()) await commits.flush();
    }
  };

  const close = async (): Promise<void> => {
    isClosed = true;
    held.close();
    for (const cancel of resumes) cancel();
    await Promise.allSettled(dueWork.values());
    await commits.close();
    // Stops after the records in progress, whose offsets are committed, and leaves the group.
    await consumer.disconnect();
  };

  try {
    await consumer.connect();
    if (options.autoOffsetReset === "none") await requireOffsets(admin, options);
    await consumer.subscribe({ topics: [...options.topics], fromBeginning: options.autoOffsetReset === "earliest" });
    if (options.seekTo !== undefined)
      sought = seekOnJoin(consumer, admin, options.seekTo).then(
        () => {
          options.onSeekDone();
          return true;
        },
        (error: unknown) => {
          if (!isClosed) crashed(error);
          return false;
        },
      );
    await consumer.run({
      // The client would wait for a commit after each batch.
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: options.concurrentPartitions,
      eachBatch,
    });
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
  return { close };
}

function configOf(options: ConsumeOptions): KafkaJS.ConsumerConfig {
  return {
    groupId: options.groupId,
    sessionTimeout: options.sessionTimeoutMs,
    heartbeatInterval: options.heartbeatIntervalMs,
    minBytes: options.fetchMinBytes,
    maxBytes: options.fetchMaxBytes,
    maxBytesPerPartition: options.maxPartitionFetchBytes,
    maxWaitTimeInMs: options.fetchWaitMaxMs,
    metadataMaxAge: options.metadataMaxAgeMs,
    readUncommitted: options.isolationLevel === "read_uncommitted",
    allowAutoTopicCreation: true,
    ...(options.rebalanceTimeoutMs === undefined ? {} : { rebalanceTimeout: options.rebalanceTimeoutMs }),
    // The runtime restarts the consumer, and reports it as down until then.
    retry: { retries: 5, initialRetryTime: 100, maxRetryTime: 2000, restartOnFailure: () => Promise.resolve(false) },
  };
}

async function requireOffsets(admin: KafkaJS.Admin, { groupId, topics }: ConsumeOptions): Promise<void> {
  const found = await admin.fetchOffsets({ groupId, topics: [...topics] });
  const missing = found.find(({ partitions }) => partitions.some(({ offset }) => offset === "-1"));
  if (missing !== undefined)
    throw new Error(`group '${groupId}' has no offset for topic '${missing.topic}' and autoOffsetReset is none: set it to earliest or latest`);
}

/** Seeks once, when the group first assigns partitions. */
async function seekOnJoin(consumer: KafkaJS.Consumer, admin: KafkaJS.Admin, seekTo: "BEGINNING" | "END"): Promise<void> {
  const assignment = await new Promise<KafkaJS.ConsumerGroupJoinEvent["payload"]["memberAssignment"]>((resolve) => {
    const stop = consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      stop();
      resolve(payload.memberAssignment);
    });
  });
  for (const [topic, partitions] of Object.entries(assignment))
    for (const { partition, low, high } of await admin.fetchTopicOffsets(topic))
      if (partitions.includes(partition)) consumer.seek({ topic, partition, offset: seekTo === "BEGINNING" ? low : high });
}
