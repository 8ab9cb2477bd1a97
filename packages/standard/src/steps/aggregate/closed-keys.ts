import { FlowError } from "@sluice/engine/spi";
import { OldestKey } from "../../oldest-key.ts";

const mostClosedKeys = 100_000;

/** The keys of completed groups that take no more messages. `remembered` limits how many are kept; 0 keeps as many as possible. */
export class ClosedKeys {
  readonly #keys = new Set<string>();
  readonly #oldest = new OldestKey(this.#keys);
  readonly #most: number;

  constructor(remembered: number | undefined) {
    this.#most = remembered === undefined ? -1 : remembered === 0 ? mostClosedKeys : Math.min(remembered, mostClosedKeys);
  }

  /** Throws when the group stored under `place` was completed; `key` is the correlation key shown in the message. */
  check(place: string, key: string): void {
    if (this.#keys.has(place))
      throw new FlowError("org.apache.camel.processor.aggregate.ClosedCorrelationKeyException", `The correlation key [${key}] has been closed`, {
        code: "correlation-key-closed",
      });
  }

  add(place: string): void {
    if (this.#most < 0) return;
    this.#keys.add(place);
    if (this.#keys.size > this.#most) this.#keys.delete(this.#oldest.next() as string);
  }
}
