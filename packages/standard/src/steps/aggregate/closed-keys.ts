import { FlowError } from "@sluice/engine/spi";
import { OldestKey } from "../../oldest-key.ts";

const maxClosedKeys = 100_000;

/** The keys of completed groups, which accept no more messages. `limit` is how many keys are stored: 0 means 100,000, and undefined means none. */
export class ClosedKeys {
  readonly #keys = new Set<string>();
  readonly #oldest = new OldestKey(this.#keys);
  readonly #maxKeys: number;

  constructor(limit: number | undefined) {
    this.#maxKeys = limit === undefined ? -1 : limit === 0 ? maxClosedKeys : Math.min(limit, maxClosedKeys);
  }

  /** Throws when the group was completed; `key` is the correlation key shown in the message. */
  check(groupId: string, key: string): void {
    if (this.#keys.has(groupId))
      throw new FlowError("org.apache.camel.processor.aggregate.ClosedCorrelationKeyException", `The correlation key [${key}] has been closed`, {
        code: "correlation-key-closed",
      });
  }

  add(groupId: string): void {
    if (this.#maxKeys < 0) return;
    this.#keys.add(groupId);
    if (this.#keys.size > this.#maxKeys) this.#keys.delete(this.#oldest.next() as string);
  }
}
