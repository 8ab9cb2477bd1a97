// Receives the replies of a sink and matches them to requests by correlation id.
import type * as Rhea from "rhea";
import { FlowError, type Clock } from "@sluice/engine/spi";
import type { AmqpSession } from "./amqp-session.ts";
import { destinationOf } from "./destination.ts";
import type { JmsOptions } from "./jms-options.ts";

const credit = 1000;

export class ReplyReceiver {
  /** The reply address named in requests. */
  readonly address: string;
  /** Prefix of the correlation ids of this sink, by which a shared queue is filtered. */
  readonly prefix: string;
  /** Whether the queue delivers only replies whose correlation ids have the prefix. */
  readonly isFiltered: boolean;
  readonly #waiting: Map<string, (reply: Rhea.Message) => void>;

  private constructor(address: string, prefix: string, isFiltered: boolean, waiting: Map<string, (reply: Rhea.Message) => void>) {
    this.address = address;
    this.prefix = prefix;
    this.isFiltered = isFiltered;
    this.#waiting = waiting;
  }

  static async open(session: AmqpSession, options: JmsOptions, newId: () => string): Promise<ReplyReceiver> {
    const waiting = new Map<string, (reply: Rhea.Message) => void>();
    const prefix = `${newId()}-`;
    const source = sourceOf(session, options, prefix);
    const { correlationProperty } = options;
    const receiver = await session.openReceiver(
      { source },
      (message, delivery) => {
        // A reply without a pending request arrived after the timeout and is dropped.
        delivery.accept();
        receiver.add_credit(1);
        const properties = message.application_properties as Readonly<Record<string, unknown>> | undefined;
        const id: unknown = correlationProperty === undefined ? message.correlation_id : properties?.[correlationProperty];
        waiting.get(String(id))?.(message);
      },
      options.replyTo ?? "a temporary queue",
    );
    receiver.add_credit(credit);
    const replyQueue = options.replyToOverride ?? options.replyTo;
    const address = replyQueue === undefined ? receiver.source.address : destinationOf(replyQueue, "queue", session.client).address;
    return new ReplyReceiver(address, prefix, source.filter !== undefined, waiting);
  }

  /** Resolves with the reply, or undefined on timeout. Rejects when the run is cancelled. */
  async reply(
    correlationId: string,
    send: () => Promise<void>,
    { clock, timeoutMs, signal }: { clock: Clock; timeoutMs: number; signal: AbortSignal },
  ): Promise<Rhea.Message | undefined> {
    let cancel = (): void => undefined;
    let onAbort = (): void => undefined;
    const replied = new Promise<Rhea.Message | undefined>((resolve, reject) => {
      this.#waiting.set(correlationId, resolve);
      cancel = clock.after(timeoutMs, () => resolve(undefined));
      onAbort = () => reject(signal.reason as Error);
      signal.addEventListener("abort", onAbort, { once: true });
    });
    replied.catch(() => undefined);
    try {
      await send();
      return await replied;
    } finally {
      cancel();
      // A run may send many requests, and its signal would keep a listener for each.
      signal.removeEventListener("abort", onAbort);
      this.#waiting.delete(correlationId);
    }
  }
}

function sourceOf({ client }: AmqpSession, { replyTo, replyToType, correlationProperty }: JmsOptions, prefix: string): Rhea.Source {
  if (replyTo === undefined || replyToType === "Temporary")
    return { dynamic: true, durable: 0, expiry_policy: "link-detach", capabilities: ["temporary-queue"] } as unknown as Rhea.Source;
  const { address, hasDurableLink } = destinationOf(replyTo, "queue", client);
  const isFiltered = replyToType === "Shared" || (replyToType === undefined && client.countsFailures);
  if (isFiltered && !client.countsFailures)
    throw new FlowError(
      "jakarta.jms.JMSException",
      `RabbitMQ before version 4 cannot share the reply queue '${replyTo}': use replyToType=Exclusive with a dedicated queue`,
      {
        code: "jms-no-selector",
      },
    );
  const filter = isFiltered
    ? { filter: client.rhea.filter.selector(`${correlationProperty ?? "JMSCorrelationID"} LIKE '${prefix}%'`) as Record<string, unknown> }
    : {};
  return { address, capabilities: ["queue"], ...(hasDurableLink ? { durable: 2 } : {}), ...filter };
}
