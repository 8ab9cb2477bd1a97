// A channel for publishing that matches confirmations, returned messages and replies to their senders.
import type { ConfirmChannel, ConsumeMessage, Message, Options } from "amqplib";
import type { Clock } from "@sluice/engine/spi";
import { combineUntilImmediate, type CorkableStream } from "../messaging/combine-writes.ts";
import { withTimeout } from "../messaging/incoming.ts";
import { confirmTimeout, rabbitError, unroutable } from "./rabbitmq-error.ts";

const directReplyTo = "amq.rabbitmq.reply-to";

export interface Publication {
  readonly exchange: string;
  readonly routingKey: string;
  readonly content: Buffer;
  /** The publisher adds `mandatory` to them. */
  readonly properties: Options.Publish & { readonly messageId: string };
}

export class Publisher {
  readonly #channel: ConfirmChannel;
  readonly #stream: CorkableStream | undefined;
  readonly #clock: Clock;
  /** Unconfirmed publications; the server returns an unroutable message before it confirms it. */
  readonly #pending = new Set<{ readonly publication: Publication; returned(reason: string): void }>();
  /** By correlation id. */
  readonly #replies = new Map<string, { done(message: ConsumeMessage): void; failed(problem: Error): void }>();
  #consuming: Promise<unknown> | undefined = undefined;
  #drained: Promise<void> | undefined = undefined;
  /** The server's reason for closing the channel. */
  #problem: string | undefined = undefined;
  isOpen = true;

  constructor(channel: ConfirmChannel, clock: Clock) {
    this.#channel = channel;
    this.#stream = (channel.connection as unknown as { readonly stream?: CorkableStream }).stream;
    this.#clock = clock;
    channel.on("error", (error: Error) => void (this.#problem = error.message));
    channel.on("close", () => this.#closed());
    channel.on("return", (message) => {
      const { replyText } = message.fields as unknown as { readonly replyText: string };
      for (const { publication, returned } of this.#pending) if (isSame(publication, message)) returned(replyText);
    });
  }

  /** Waits for room in the buffer of the channel. Resolves when the server has confirmed the message; without confirmations, when it is written. */
  publish(publication: Publication, { isConfirmed, timeoutMs }: { readonly isConfirmed: boolean; readonly timeoutMs: number }): Promise<void> {
    const publish = isConfirmed ? () => this.#confirmed(publication, timeoutMs) : async () => this.#write(publication, () => undefined);
    if (this.#drained === undefined) return publish();
    return withTimeout(this.#clock, timeoutMs, this.#drained, () => confirmTimeout(timeoutMs, whereOf(publication))).then(publish);
  }

  /** Sends a request and resolves with its reply, or undefined on timeout. */
  async request(
    publication: Publication,
    correlationId: string,
    timeouts: { readonly confirmMs: number; readonly replyMs: number; readonly signal: AbortSignal },
  ): Promise<ConsumeMessage | undefined> {
    this.#consuming ??= this.#channel.consume(
      directReplyTo,
      (message) => message !== null && this.#replies.get(message.properties.correlationId as string)?.done(message),
      { noAck: true },
    );
    await this.#consuming;
    let cancel = (): void => undefined;
    let onAbort = (): void => undefined;
    const reply = new Promise<ConsumeMessage | undefined>((resolve, reject) => {
      this.#replies.set(correlationId, { done: resolve, failed: reject });
      cancel = this.#clock.after(timeouts.replyMs, () => resolve(undefined));
      onAbort = () => reject(timeouts.signal.reason as Error);
      timeouts.signal.addEventListener("abort", onAbort, { once: true });
    });
    // It is awaited below; until then a rejection must not be reported as unhandled.
    reply.catch(() => undefined);
    try {
      const properties = { ...publication.properties, replyTo: directReplyTo, correlationId };
      await this.#confirmed({ ...publication, properties }, timeouts.confirmMs);
      return await reply;
    } finally {
      cancel();
      // A run may send many requests, and its signal would keep a listener for each.
      timeouts.signal.removeEventListener("abort", onAbort);
      this.#replies.delete(correlationId);
    }
  }

  async close(): Promise<void> {
    if (!this.isOpen) return;
    this.isOpen = false;
    await this.#channel.close();
  }

  #confirmed(publication: Publication, timeoutMs: number): Promise<void> {
    publication.properties.mandatory = true;
    return new Promise((resolve, reject) => {
      const end = (failure?: Error): void => {
        cancel();
        this.#pending.delete(pending);
        if (failure === undefined) resolve();
        else reject(failure);
      };
      const cancel = this.#clock.after(timeoutMs, () => end(confirmTimeout(timeoutMs, whereOf(publication))));
      const pending = { publication, returned: (reason: string) => end(unroutable(whereOf(publication), reason)) };
      this.#pending.add(pending);
      try {
        this.#write(publication, (error) => end(error === null || error === undefined ? undefined : rabbitError(this.#reason(error), whereOf(publication))));
      } catch (error) {
        end(rabbitError(error, whereOf(publication)));
      }
    });
  }

  #write({ exchange, routingKey, content, properties }: Publication, confirmed: (error: unknown) => void): void {
    const hasRoom = this.#channel.publish(exchange, routingKey, content, properties, confirmed);
    combineUntilImmediate(this.#stream);
    if (hasRoom) return;
    this.#drained ??= new Promise((resolve) => {
      const resume = (): void => {
        this.#drained = undefined;
        this.#channel.off("drain", resume);
        this.#channel.off("close", resume);
        resolve();
      };
      this.#channel.on("drain", resume);
      this.#channel.on("close", resume);
    });
  }

  /** The client reports only that the channel is closed; the server gave the reason. */
  #reason(error: unknown): Error {
    return this.#problem === undefined ? (error as Error) : Object.assign(new Error(this.#problem), { code: codeIn(this.#problem) });
  }

  #closed(): void {
    this.isOpen = false;
    for (const { failed } of this.#replies.values()) failed(rabbitError(this.#reason(new Error("the channel was closed")), "a pending request"));
  }
}

/** The reply code in the server's text: `404 (NOT-FOUND)`. */
function codeIn(problem: string): number | undefined {
  const found = /\b([45]\d\d)\b \(/.exec(problem)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** Messages of one run may have the same id, so all other parts are compared too. */
function isSame({ exchange, routingKey, content, properties }: Publication, returned: Message): boolean {
  const { fields } = returned;
  return (
    properties.messageId === returned.properties.messageId &&
    exchange === fields.exchange &&
    routingKey === fields.routingKey &&
    content.equals(returned.content)
  );
}

const whereOf = ({ exchange, routingKey }: Publication): string => `exchange '${exchange === "" ? "default" : exchange}' with routing key '${routingKey}'`;
