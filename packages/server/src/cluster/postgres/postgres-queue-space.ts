// The limit of the messages in all queues. Adding up their sizes on every insert would be too slow, so each node measures them about once a second while
// it stores messages, and adds its own messages to the result. Messages that other nodes store in the meantime may exceed the limit.
import { ClusterError } from "@sluice/engine";
import { systemClock } from "../../host/clock.ts";
import { largeMs, type PostgresLink } from "./postgres-link.ts";

const measureEveryMs = 1_000;
/** Measuring takes at most this share of the time, however large the table is. */
const measureShare = 0.05;
/** While the queues are full, they are measured more often, because each result decides whether messages are accepted again. */
const fullEveryMs = 100;

export class PostgresQueueSpace {
  readonly #link: PostgresLink;
  readonly #limit: number;
  #measured = 0;
  /** Bytes that this node stored since the last measurement began. */
  #added = 0;
  #measuredAt = -Infinity;
  #lastDurationMs = 0;
  #measuring: Promise<void> | undefined = undefined;

  constructor(link: PostgresLink, limit: number) {
    this.#link = link;
    this.#limit = limit;
  }

  /** Call before a message of this size is stored; rejects when the queues are full. */
  async reserve(bytes: number): Promise<void> {
    if (this.#measuredAt === -Infinity || (!this.#fits(bytes) && this.#isOlderThan(fullEveryMs))) await this.#measure();
    else if (this.#isOlderThan(measureEveryMs)) void this.#measure();
    if (!this.#fits(bytes)) throw new ClusterError("full", "the queues of the cluster are full (SERVICE_QUEUE_BYTES)");
    this.#added += bytes;
  }

  #fits(bytes: number): boolean {
    return this.#measured + this.#added + bytes <= this.#limit;
  }

  #isOlderThan(ms: number): boolean {
    return systemClock.monotonic() - this.#measuredAt > Math.max(ms, this.#lastDurationMs / measureShare);
  }

  #measure(): Promise<void> {
    return (this.#measuring ??= this.#sum().finally(() => (this.#measuring = undefined)));
  }

  async #sum(): Promise<void> {
    const startTime = systemClock.monotonic();
    const addedBefore = this.#added;
    try {
      // The sizes of large values are known without reading them.
      const sum = `select coalesce(sum(octet_length(body) + octet_length(envelope)), 0) as bytes from ${this.#link.name}_queue`;
      const [row] = await this.#link.once(sum, [], largeMs);
      this.#measured = Number(row?.["bytes"]);
      this.#added -= addedBefore;
    } catch {
      // The insert that follows reports that the database cannot be reached.
    }
    this.#measuredAt = systemClock.monotonic();
    this.#lastDurationMs = this.#measuredAt - startTime;
  }
}
