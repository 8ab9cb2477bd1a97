// Holds fetched records that wait for more records. The consumer continues to fetch, but the offsets of held records must not be committed.
import type { Clock } from "@sluice/engine/spi";
import type { KafkaRecord } from "./kafka-client.ts";

interface Offsets {
  readonly topics: readonly { readonly topic: string; readonly partitions: readonly { readonly partition: number; readonly offset: string }[] }[];
}

export interface Partition {
  readonly topic: string;
  readonly partition: number;
}

export const keyOf = ({ topic, partition }: Partition): string => `${topic} ${partition}`;
const isBefore = (a: string, b: string): boolean => BigInt(a) < BigInt(b);

export class HeldRecords {
  readonly #clock: Clock;
  readonly #held = new Map<string, { readonly records: readonly KafkaRecord[]; readonly cancel: () => void }>();
  /** By partition: the offset of the first record that is held, or that was held and is still in progress. */
  readonly #limits = new Map<string, string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Holds records and calls `due` after the delay, unless they are taken earlier. */
  hold(partition: Partition, records: readonly [KafkaRecord, ...KafkaRecord[]], waitMs: number, due: () => void): void {
    const key = keyOf(partition);
    this.#held.set(key, { records, cancel: this.#clock.after(waitMs, due) });
    this.#limits.set(key, records[0].offset);
  }

  /** The records that were held; they precede those that are fetched next. */
  take(partition: Partition): readonly KafkaRecord[] {
    const key = keyOf(partition);
    const held = this.#held.get(key);
    // Nothing was held, or the consumer fetches from an earlier offset again.
    if (held === undefined) this.#limits.delete(key);
    held?.cancel();
    this.#held.delete(key);
    return held?.records ?? [];
  }

  /** The record and all earlier ones of its partition are settled. */
  settled(partition: Partition, { offset }: KafkaRecord): void {
    if (this.#limits.size === 0) return;
    const key = keyOf(partition);
    if (this.#limits.has(key)) this.#limits.set(key, String(BigInt(offset) + 1n));
  }

  /** Offsets to commit, none of them after a record that is not settled. */
  limit(offsets: Offsets): Offsets {
    if (this.#limits.size === 0) return offsets;
    return {
      topics: offsets.topics.map(({ topic, partitions }) => ({
        topic,
        partitions: partitions.map(({ partition, offset }) => {
          const limit = this.#limits.get(keyOf({ topic, partition }));
          return { partition, offset: limit !== undefined && isBefore(limit, offset) ? limit : offset };
        }),
      })),
    };
  }

  /** For a new assignment of partitions: the client fetches from the committed offsets again. */
  clear(): void {
    this.close();
    this.#limits.clear();
  }

  /** Drops the held records, but continues to limit the offsets. */
  close(): void {
    for (const { cancel } of this.#held.values()) cancel();
    this.#held.clear();
  }
}
