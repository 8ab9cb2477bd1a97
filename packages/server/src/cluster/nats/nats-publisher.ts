// Publishes to JetStream and waits for the acknowledgement. The client's own `publish` takes about three times the CPU time, because it creates a timer
// and several promises for each message.
import type { JetStreamApiError } from "@nats-io/jetstream";
import type { Msg, MsgHdrs } from "@nats-io/transport-node";
import { systemClock } from "../../host/clock.ts";
import { attemptMs, type NatsLink } from "./nats-link.ts";

const checkMs = 250;

interface Unacknowledged {
  readonly subject: string;
  readonly until: number;
  resolve(): void;
  reject(error: Error): void;
}

type PublisherParts = Pick<NatsLink, "connection" | "transport" | "jetstream" | "sendGrouped" | "name">;

export class NatsPublisher {
  readonly #parts: PublisherParts;
  readonly #inbox: string;
  /** By the last token of the reply subject; the oldest first. */
  readonly #unacknowledged = new Map<string, Unacknowledged>();
  #count = 0;
  #cancelCheck: (() => void) | undefined = undefined;

  constructor(parts: PublisherParts) {
    const { connection, transport, name } = parts;
    this.#parts = parts;
    this.#inbox = `${transport.createInbox(inboxPrefixOf(name))}.`;
    connection.subscribe(`${this.#inbox}*`, {
      callback: (error, message) => {
        if (error === null) this.#acknowledge(message);
      },
    });
  }

  /** Rejects with an error of the client when the message was not acknowledged in time, or when the stream rejected it. */
  publish(subject: string, data: Uint8Array, headers: MsgHdrs): Promise<void> {
    const { connection, sendGrouped } = this.#parts;
    return sendGrouped(
      () =>
        new Promise((resolve, reject) => {
          const token = (++this.#count).toString(36);
          connection.publish(subject, data, { headers, reply: this.#inbox + token });
          this.#unacknowledged.set(token, { subject, until: systemClock.monotonic() + attemptMs, resolve, reject });
          this.#cancelCheck ??= systemClock.after(checkMs, () => this.#check());
        }),
    );
  }

  close(): void {
    this.#cancelCheck?.();
    const error = new this.#parts.transport.ClosedConnectionError();
    for (const { reject } of this.#unacknowledged.values()) reject(error);
    this.#unacknowledged.clear();
  }

  #acknowledge(message: Msg): void {
    const token = message.subject.slice(this.#inbox.length);
    const found = this.#unacknowledged.get(token);
    if (found === undefined) return;
    this.#unacknowledged.delete(token);
    const error = this.#errorOf(message, found.subject);
    if (error === undefined) found.resolve();
    else found.reject(error);
  }

  #errorOf(message: Msg, subject: string): Error | undefined {
    const { transport, jetstream } = this.#parts;
    const { data, headers } = message;
    if (data.length === 0) return headers?.code === 503 ? new transport.NoRespondersError(subject) : new transport.RequestError("empty acknowledgement");
    const { error } = message.json<{ readonly error?: ConstructorParameters<typeof JetStreamApiError>[0] }>();
    return error === undefined ? undefined : new jetstream.JetStreamApiError(error);
  }

  /** All have the same time limit, so the oldest is the first to reach it. */
  #check(): void {
    this.#cancelCheck = undefined;
    const now = systemClock.monotonic();
    for (const [token, { until, reject }] of this.#unacknowledged) {
      if (until > now) break;
      this.#unacknowledged.delete(token);
      reject(new this.#parts.transport.TimeoutError());
    }
    if (this.#unacknowledged.size > 0) this.#cancelCheck = systemClock.after(checkMs, () => this.#check());
  }
}

/** The servers may restrict a user to the inboxes of one cluster. */
export const inboxPrefixOf = (name: string): string => `_INBOX_${name}`;
