// Removes the consumers of queues that no node consumes anymore, for example because their flow was removed: each costs the servers memory and CPU
// time, even when it is idle. No message is lost: the messages are in the stream, and the next consumer of the queue starts with the first one.
import { systemClock } from "../../host/clock.ts";
import { queueStreamOf } from "./nats-queue-message.ts";
import type { NatsLink } from "./nats-link.ts";

const intervalMs = 60_000;

export const consumerPrefix = "queue_";

export class IdleConsumers {
  readonly #link: NatsLink;
  readonly #isConsumed: (name: string) => boolean;
  /** Consumers that were idle in the previous check. One check is not enough: a node that has just started may not consume its queues yet. */
  #suspects: ReadonlySet<string> = new Set();
  #cancel: () => void = () => undefined;

  /** `isConsumed` is true for the consumers that this node uses. */
  constructor(link: NatsLink, isConsumed: (name: string) => boolean) {
    this.#link = link;
    this.#isConsumed = isConsumed;
    this.#checkLater();
  }

  /** Removes the consumers that were also idle in the previous check. */
  async check(): Promise<void> {
    const { jsm } = this.#link;
    const stream = queueStreamOf(this.#link);
    const idle: string[] = [];
    for await (const { name, num_waiting: requests, num_ack_pending: unsettled } of jsm.consumers.list(stream))
      if (name.startsWith(consumerPrefix) && requests === 0 && unsettled === 0 && !this.#isConsumed(name)) idle.push(name);
    const removed = idle.filter((name) => this.#suspects.has(name));
    this.#suspects = new Set(idle);
    for (const name of removed) await jsm.consumers.delete(stream, name);
  }

  stop(): void {
    this.#cancel();
  }

  #checkLater(): void {
    this.#cancel = systemClock.after(intervalMs, () => {
      const next = (): void => this.#checkLater();
      // After an error, the next check tries again.
      if (this.#link.isUp) void this.check().then(next, next);
      else next();
    });
  }
}
