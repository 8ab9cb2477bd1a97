import { FlowError, isFlowError, type Connection, type Endpoint, type Exchange, type Host, type Sink } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import type * as Rhea from "rhea";
import { applyReply } from "../messaging/incoming.ts";
import { collectBody } from "../messaging/outgoing.ts";
import type { AmqpClient } from "./amqp-connection.ts";
import { AmqpSession } from "./amqp-session.ts";
import { destinationOf, type Destination } from "./destination.ts";
import { messageToSend, receivedMessage } from "./jms-message.ts";
import type { JmsOptions } from "./jms-options.ts";
import { ReplyReceiver } from "./reply-receiver.ts";

interface OpenSession {
  readonly session: AmqpSession;
  /** The destination of the endpoint. */
  readonly destination: Destination;
  replies: Promise<ReplyReceiver> | undefined;
}

export function jmsSink({ options }: Endpoint<JmsOptions>, connection: Connection<AmqpClient>, host: Host): Sink {
  let current: OpenSession | undefined;

  async function ensureOpen(): Promise<OpenSession> {
    const client = await connection.client();
    if (current?.session.isOpen !== true || current.session.client !== client) {
      void current?.session.close();
      const destination = destinationOf(options.destinationName, options.destinationType, client);
      current = { session: new AmqpSession(client, host.clock), destination, replies: undefined };
    }
    return current;
  }

  async function request(exchange: Exchange, opened: OpenSession, message: Rhea.Message, send: (message: Rhea.Message) => Promise<void>): Promise<void> {
    opened.replies ??= ReplyReceiver.open(opened.session, options, () => host.ids.next());
    opened.replies.catch(() => (opened.replies = undefined));
    const receiver = await opened.replies.catch((error: unknown) => {
      throw options.replyTo === undefined ? noTemporaryQueue(error) : error;
    });
    const timeout = exchange.message.headers.getOwn("CamelJmsRequestTimeout");
    const timeoutMs = timeout === undefined || timeout === null ? options.requestTimeout : Number(timeout);
    const correlationId = correlationOf(message, receiver);
    const ttl = message.ttl ?? (options.disableTimeToLive ? undefined : timeoutMs);
    const requestMessage = { ...message, reply_to: receiver.address, ...correlationId.parts, ...(ttl === undefined ? {} : { ttl }) } as Rhea.Message;
    const reply = await receiver.reply(correlationId.expected, () => send(requestMessage), { clock: host.clock, timeoutMs, signal: exchange.run.signal });
    if (reply === undefined)
      throw new FlowError("org.apache.camel.ExchangeTimedOutException", `no reply from '${options.destinationName}' within ${timeoutMs} ms`, {
        code: "jms-no-reply",
        retryable: true,
      });
    applyReply(exchange.message, receivedMessage(reply, receiver.address));
    if (message.correlation_id !== undefined) exchange.message.headers.set("JMSCorrelationID", message.correlation_id);
  }

  /** The correlation id of a request, and the one its reply will have. */
  function correlationOf(message: Rhea.Message, { prefix, isFiltered }: ReplyReceiver): { readonly parts: object; readonly expected: string } {
    if (options.correlationProperty !== undefined) {
      const id = `${prefix}${host.ids.next()}`;
      return { parts: { application_properties: { ...message.application_properties, [options.correlationProperty]: id } }, expected: id };
    }
    if (options.useMessageIDAsCorrelationID && message.correlation_id === undefined) {
      const id = `${prefix}${host.ids.next()}`;
      return { parts: { message_id: id }, expected: id };
    }
    const id = message.correlation_id === undefined || isFiltered ? `${prefix}${host.ids.next()}` : String(message.correlation_id);
    return { parts: { correlation_id: id }, expected: id };
  }

  return {
    async start() {
      if (options.testConnectionOnStartup) await connection.client();
    },
    async send(exchange) {
      const { headers } = exchange.message;
      const name = headers.getOwn("CamelJmsDestinationName");
      if (name !== undefined) headers.delete("CamelJmsDestinationName");
      await collectBody(exchange.message);
      const opened = await ensureOpen();
      const { client } = opened.session;
      const destination = name === undefined || name === null ? opened.destination : destinationOf(asText(name), options.destinationType, client);
      const message = messageToSend(exchange, options, { rhea: client.rhea, id: `ID:${host.ids.next()}`, now: host.clock.now() });
      message.to = destination.address;
      const send = (outgoing: Rhea.Message): Promise<void> => opened.session.send(destination, outgoing);
      const expectsReply = (options.exchangePattern ?? exchange.pattern) === "InOut" && !options.disableReplyTo;
      if (expectsReply) await request(exchange, opened, message, send);
      else {
        const replyTo = options.replyTo === undefined ? undefined : destinationOf(options.replyTo, "queue", client).address;
        await send(replyTo === undefined ? message : { ...message, reply_to: replyTo });
      }
      headers.set("CamelJMSDestinationProduced", destination.address);
      if (options.includeSentJMSMessageID && !expectsReply) headers.set("JMSMessageID", message.message_id);
    },
    async stop() {
      const closing = current;
      current = undefined;
      await closing?.session.close();
    },
  };
}

function noTemporaryQueue(error: unknown): unknown {
  if (!isFlowError(error) || error.code !== "jms-no-destination") return error;
  return new FlowError("jakarta.jms.JMSException", "the broker does not support temporary queues: set replyTo to a reply queue and replyToType=Exclusive", {
    code: "jms-no-temporary-queue",
    cause: error,
  });
}
