import type { Clock } from "@sluice/engine/spi";
import { keyOf } from "./held-records.ts";
import type { KafkaRecord, PartitionBatch } from "./kafka-client.ts";

/** Determines how long batches that are not full wait for more records. */
export class FillTimes {
  readonly #clock: Clock;
  readonly #intervalMs: number | undefined;
  /** The first record of the batch that waits in each partition, and when it was fetched. */
  readonly #waiting = new Map<string, { readonly offset: string; readonly since: number }>();

  constructor(clock: Clock, intervalMs: number | undefined) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
  }

  /** How long the batch that starts with this record waits; 0 when it is due. */
  waitMs(batch: PartitionBatch, { offset }: KafkaRecord): number {
    if (this.#intervalMs === undefined) return 0;
    const key = keyOf(batch);
    const now = this.#clock.monotonic();
    const known = this.#waiting.get(key);
    const waiting = known?.offset === offset ? known : { offset, since: now };
    const remainingMs = waiting.since + this.#intervalMs - now;
    if (remainingMs > 0) this.#waiting.set(key, waiting);
    else this.#waiting.delete(key);
    return Math.max(remainingMs, 0);
  }
}
