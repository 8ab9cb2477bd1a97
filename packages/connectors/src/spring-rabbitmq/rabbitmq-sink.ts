import { FlowError, type Connection, type Endpoint, type Exchange, type Host, type Sink } from "@sluice/engine/spi";
import { applyReply } from "../messaging/incoming.ts";
import { payloadOf } from "../messaging/outgoing.ts";
import { DeclaredElements, exchangeNameOf, queueNames } from "./declared-elements.ts";
import { Publisher, type Publication } from "./publisher.ts";
import type { RabbitClient } from "./rabbitmq-connection.ts";
import { rabbitError } from "./rabbitmq-error.ts";
import { exchangeHeaders, ownHeader, propertiesToSend, receivedMessage, routingKeyHeaders } from "./rabbitmq-message.ts";
import type { RabbitOptions } from "./rabbitmq-options.ts";

export function rabbitSink(endpoint: Endpoint<RabbitOptions>, connection: Connection<RabbitClient>, host: Host): Sink {
  const { options } = endpoint;
  const elements = new DeclaredElements(endpoint);
  const where = `'${options.exchangeName}'`;
  let current: { readonly client: RabbitClient; readonly publisher: Promise<Publisher>; opened: Publisher | undefined } | undefined;

  async function openPublisher(client: RabbitClient): Promise<Publisher> {
    try {
      if (elements.isDeclaredBySink) {
        const channel = await client.createChannel();
        channel.on("error", () => undefined);
        await elements.declare(channel, queueNames(options));
        await channel.close();
      }
      return new Publisher(await client.createConfirmChannel(), host.clock);
    } catch (error) {
      throw rabbitError(error, where);
    }
  }

  /** The channel of this sink, recreated when it or its connection is closed. */
  async function currentPublisher(): Promise<Publisher> {
    const client = await connection.client();
    const known = current?.client === client ? current : undefined;
    if (known?.opened?.isOpen === true) return known.opened;
    if (known !== undefined) {
      const publisher = await known.publisher;
      if (publisher.isOpen) return publisher;
      if (current !== known) return currentPublisher();
    }
    const opening: NonNullable<typeof current> = { client, publisher: openPublisher(client), opened: undefined };
    current = opening;
    opening.publisher.then(
      (publisher) => void (opening.opened = publisher),
      () => void (current === opening && (current = undefined)),
    );
    return opening.publisher;
  }

  function publicationOf(exchange: Exchange, payload: Buffer): Publication {
    const { message } = exchange;
    const properties = propertiesToSend(exchange, message.body);
    // Returned messages are matched by their ids.
    properties.messageId ??= host.ids.next();
    return {
      exchange: exchangeNameOf(ownHeader(message, exchangeHeaders) ?? options.exchangeName),
      routingKey: ownHeader(message, routingKeyHeaders) ?? options.routingKey ?? "",
      content: payload,
      properties: properties as Publication["properties"],
    };
  }

  async function request(exchange: Exchange, publisher: Publisher, publication: Publication): Promise<void> {
    const timeouts = { confirmMs: options.confirmTimeout, replyMs: options.replyTimeout, signal: exchange.run.signal };
    const reply = await publisher.request(publication, publication.properties.correlationId ?? host.ids.next(), timeouts);
    if (reply === undefined)
      throw new FlowError("org.apache.camel.ExchangeTimedOutException", `no reply from ${where} within ${options.replyTimeout} ms`, {
        code: "rabbitmq-no-reply",
        retryable: true,
      });
    applyReply(exchange.message, receivedMessage(reply));
  }

  return {
    async start() {
      if (options.testConnectionOnStartup) await connection.client();
    },
    async send(exchange) {
      const pending = payloadOf(exchange.message.body);
      const payload = pending instanceof Promise ? await pending : pending;
      if (payload === undefined && !options.allowNullBody)
        throw new FlowError("org.apache.camel.InvalidPayloadException", `the message for ${where} has no body: set one, or use allowNullBody=true`, {
          code: "rabbitmq-no-body",
        });
      const publication = publicationOf(exchange, payload ?? Buffer.alloc(0));
      const publisher = await currentPublisher();
      const expectsReply = (options.exchangePattern ?? exchange.pattern) === "InOut" && !options.disableReplyTo;
      if (expectsReply) return request(exchange, publisher, publication);
      await publisher.publish(publication, { isConfirmed: options.confirm !== "disabled", timeoutMs: options.confirmTimeout });
    },
    async stop() {
      const closing = current;
      current = undefined;
      await (await closing?.publisher.catch(() => undefined))?.close().catch(() => undefined);
    },
  };
}
