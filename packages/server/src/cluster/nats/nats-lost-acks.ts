// Repairs a consumer that waits for acknowledgements of messages that no longer exist. A server that crashes may lose acknowledgements; after the
// restart it tries to deliver those messages again, although they are deleted. Each attempt fails ("deleted message") and ends the delivery of the
// other messages until the next request, so that several of them block the consumer forever. Acknowledging such a sequence removes it.
import { nextOf, type NatsLink } from "./nats-link.ts";

/** Existing messages read per check; the next check continues. */
const maxRead = 500;
/** Sequences acknowledged per check. */
const maxRange = 10_000;

export interface CheckedConsumer {
  readonly stream: string;
  readonly name: string;
  readonly subject: string;
}

export class LostAcks {
  readonly #link: NatsLink;
  readonly #consumer: CheckedConsumer;
  /** The last sequence that was checked. */
  #checked = 0;

  constructor(link: NatsLink, consumer: CheckedConsumer) {
    this.#link = link;
    this.#consumer = consumer;
  }

  /** Acknowledges deleted messages; returns how many sequences it acknowledged. */
  async repair(): Promise<number> {
    const { stream, name } = this.#consumer;
    const { connection, jsm } = this.#link;
    const info = await jsm.consumers.info(stream, name);
    if (info.num_ack_pending === 0) return 0;
    const last = info.delivered.stream_seq;
    const floor = info.ack_floor.stream_seq;
    const first = (this.#checked > floor && this.#checked < last ? this.#checked : floor) + 1;
    const { existing, end } = await this.#read(first, Math.min(last, first + maxRange - 1));
    const isComplete = first === floor + 1 && end === last;
    this.#checked = end;
    // Deletions in progress may look the same; acknowledging them is harmless.
    const hasLost = isComplete ? info.num_ack_pending > existing.size : info.num_ack_pending + info.num_pending > (await this.#count());
    if (!hasLost) return 0;
    for (let seq = first; seq <= end; seq++)
      // Delivery sequence 0 is never assigned, so the server uses the one that it has stored.
      if (!existing.has(seq)) connection.publish(`$JS.ACK.${stream}.${name}.1.${seq}.0.0.0`, "+ACK");
    return end - first + 1 - existing.size;
  }

  /** How many messages exist. */
  async #count(): Promise<number> {
    const { stream, subject } = this.#consumer;
    const { state } = await this.#link.jsm.streams.info(stream, { subjects_filter: subject });
    return state.subjects?.[subject] ?? 0;
  }

  /** The messages that exist from `first` to `end`, which is at most `last`. */
  async #read(first: number, last: number): Promise<{ readonly existing: ReadonlySet<number>; readonly end: number }> {
    const { stream, subject } = this.#consumer;
    const existing = new Set<number>();
    for (let seq = first; seq <= last;) {
      const next = await this.#link.jsm.streams.getMessage(stream, nextOf(seq, subject));
      if (next === null || next.seq > last) break;
      existing.add(next.seq);
      if (existing.size === maxRead) return { existing, end: next.seq };
      seq = next.seq + 1;
    }
    return { existing, end: last };
  }
}
