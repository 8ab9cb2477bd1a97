// Batches records of different runs into one request: they are collected for a few milliseconds, or until the batch is large enough.
import type { Clock } from "@sluice/engine/spi";
import type { KafkaClient, OutgoingRecord, SendOptions } from "./kafka-client.ts";

interface Waiting {
  readonly records: OutgoingRecord[];
  readonly done: Promise<unknown>;
  bytes: number;
  flush(): void;
}

export class RecordBatches {
  readonly #clock: Clock;
  readonly #lingerMs: number;
  readonly #maxBytes: number;
  #waiting: Waiting | undefined = undefined;
  #client: KafkaClient | undefined = undefined;

  constructor(clock: Clock, lingerMs: number, maxBytes: number) {
    this.#clock = clock;
    this.#lingerMs = lingerMs;
    this.#maxBytes = maxBytes;
  }

  /** Resolves when the records are acknowledged. */
  async send(client: KafkaClient, records: readonly OutgoingRecord[], options: SendOptions): Promise<void> {
    if (this.#waiting !== undefined && this.#client !== client) this.#waiting.flush();
    this.#client = client;
    const batch = (this.#waiting ??= this.#begin(client, options));
    batch.records.push(...records);
    for (const { value, key } of records) batch.bytes += (value?.byteLength ?? 0) + (key?.byteLength ?? 0);
    if (batch.bytes >= this.#maxBytes) batch.flush();
    await batch.done;
  }

  #begin(client: KafkaClient, options: SendOptions): Waiting {
    const records: OutgoingRecord[] = [];
    let flush = (): void => undefined;
    const done = new Promise<void>((resolve) => (flush = resolve)).then(() => client.send(records, options));
    const cancel = this.#clock.after(this.#lingerMs, () => batch.flush());
    const batch: Waiting = {
      records,
      done,
      bytes: 0,
      flush: () => {
        cancel();
        if (this.#waiting === batch) this.#waiting = undefined;
        flush();
      },
    };
    return batch;
  }
}
