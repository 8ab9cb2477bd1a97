// Batches records of different runs into one request: they are collected for a few milliseconds, or until the batch is large enough.
import type { Clock } from "@sluice/engine/spi";
import type { KafkaClient, OutgoingRecord, SendOptions } from "./kafka-client.ts";

interface Batch {
  readonly records: OutgoingRecord[];
  readonly done: Promise<unknown>;
  bytes: number;
  flush(): void;
}

export interface BatchLimits {
  readonly lingerMs: number;
  /** A batch of this size is sent immediately. */
  readonly fullBytes: number;
  /** Maximum size of a request. */
  readonly maxBytes: number;
}

/** The client encodes a request synchronously, about 40 µs per record: more records would block the event loop. */
const maxRecords = 500;

export class RecordBatches {
  readonly #clock: Clock;
  readonly #limits: BatchLimits;
  /** The batch that collects records. */
  #current: Batch | undefined = undefined;
  #client: KafkaClient | undefined = undefined;

  constructor(clock: Clock, limits: BatchLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Resolves when the records, which fit into one request, are acknowledged. */
  async send(client: KafkaClient, records: readonly OutgoingRecord[], options: SendOptions): Promise<void> {
    const { fullBytes, maxBytes } = this.#limits;
    const bytes = records.reduce((sum, record) => sum + sizeOf(record), 0);
    const current = this.#current;
    if (current !== undefined && (this.#client !== client || current.bytes + bytes > maxBytes || current.records.length + records.length > maxRecords))
      current.flush();
    this.#client = client;
    const batch = (this.#current ??= this.#begin(client, options));
    for (const record of records) batch.records.push(record);
    batch.bytes += bytes;
    if (batch.bytes >= fullBytes || batch.records.length >= maxRecords) batch.flush();
    await batch.done;
  }

  #begin(client: KafkaClient, options: SendOptions): Batch {
    const records: OutgoingRecord[] = [];
    let flush = (): void => undefined;
    const done = new Promise<void>((resolve) => (flush = resolve)).then(() => client.send(records, options));
    const cancel = this.#clock.after(this.#limits.lingerMs, () => batch.flush());
    const batch: Batch = {
      records,
      done,
      bytes: 0,
      flush: () => {
        cancel();
        if (this.#current === batch) this.#current = undefined;
        flush();
      },
    };
    return batch;
  }
}

/** Splits records into requests of at most `maxBytes` and `maxRecords`; a larger record gets its own. */
export function* requestsOf(records: readonly OutgoingRecord[], maxBytes: number): Generator<readonly OutgoingRecord[]> {
  let from = 0;
  let bytes = batchOverhead;
  for (const [index, record] of records.entries()) {
    const size = sizeOf(record);
    if (index > from && (bytes + size > maxBytes || index - from >= maxRecords)) {
      yield records.slice(from, index);
      from = index;
      bytes = batchOverhead;
    }
    bytes += size;
  }
  if (from < records.length) yield from === 0 ? records : records.slice(from);
}

/** Bytes that the format adds to a batch, and at most to a record and to a header. */
const batchOverhead = 61;
const recordOverhead = 21;
const headerOverhead = 10;

function sizeOf({ key, value, headers }: OutgoingRecord): number {
  let size = recordOverhead + (key?.byteLength ?? 0) + (value?.byteLength ?? 0);
  for (const name in headers) size += headerOverhead + Buffer.byteLength(name) + Buffer.byteLength(headers[name] ?? "");
  return size;
}
