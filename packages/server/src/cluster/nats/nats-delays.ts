// Delayed messages on JetStream: they wait in their own stream, because a delayed negative acknowledgement counts against the limit of
// unsettled messages of its consumer. Any node moves a message to its queue when it is due.
import type { JsMsg } from "@nats-io/jetstream";
import { retryOperation } from "../retry-operation.ts";
import { attemptMs, deleteSequence, storeLink, type NatsLink } from "./nats-link.ts";
import { publishQueued, rethrowFull, type Publication } from "./nats-publish.ts";
import { NatsPull } from "./nats-pull.ts";
import { attemptsHeader, attemptsOf, delayStreamOf } from "./nats-queue-message.ts";

const idHeader = "Sluice-Id";
const targetHeader = "Sluice-Target";
const delayHeader = "Sluice-Delay";

/** Maximum number of messages that are moved at the same time. */
const concurrency = 32;
/** A node that dies while it moves a message delays the message by this long. */
const leaseMs = 5_000;
const retryMs = 1_000;

export const delaySubjectOf = ({ name }: NatsLink): string => `${name}.delay`;

export async function publishDelayed(link: NatsLink, { subject, data, id, attempts, delayMs }: Publication & { readonly delayMs: number }): Promise<void> {
  const headers = link.transport.headers();
  headers.set(idHeader, id);
  headers.set(targetHeader, subject);
  headers.set(delayHeader, String(Math.ceil(delayMs)));
  headers.set(attemptsHeader, String(attempts));
  await retryOperation(storeLink(link), () => link.js.publish(delaySubjectOf(link), data, { msgID: id, timeout: attemptMs, headers }).catch(rethrowFull));
}

export class NatsDelays {
  readonly #link: NatsLink;
  readonly #pull: NatsPull;
  #moving = 0;

  constructor(link: NatsLink) {
    this.#link = link;
    this.#pull = new NatsPull(link, {
      stream: delayStreamOf(link),
      consumer: {
        durable_name: "delays",
        filter_subject: delaySubjectOf(link),
        ack_policy: link.jetstream.AckPolicy.Explicit,
        ack_wait: leaseMs * 1e6,
        max_deliver: -1,
        // Waiting messages are unacknowledged.
        max_ack_pending: -1,
      },
      capacity: () => concurrency - this.#moving,
      isChecker: () => true,
      // Without an acknowledgement, for example because the connection was closed, the message is delivered again.
      received: (message) => void this.#received(message).catch(() => undefined),
    });
  }

  stop(): void {
    this.#pull.stop();
  }

  async #received(message: JsMsg): Promise<void> {
    const dueAt = message.info.timestampNanos / 1e6 + Number(message.headers?.get(delayHeader));
    const waitMs = Math.ceil(dueAt - Date.now());
    if (waitMs > 0) return message.nak(waitMs);
    this.#moving++;
    await this.#move(message).catch(() => message.nak(retryMs));
    this.#moving--;
    this.#pull.refresh();
  }

  async #move(message: JsMsg): Promise<void> {
    const { data, headers, seq } = message;
    // Not the id of the delayed message: the queue may already have stored a message with that id, and would drop this one as a duplicate.
    const id = `${headers?.get(idHeader) ?? ""}/due`;
    await publishQueued(this.#link, { subject: headers?.get(targetHeader) ?? "", data, id, attempts: attemptsOf(headers) });
    await retryOperation(storeLink(this.#link), () => deleteSequence(this.#link, delayStreamOf(this.#link), seq));
    message.ack();
  }
}
