// Converts between NATS messages and Sluice messages.
import type { JsMsg } from "@nats-io/jetstream";
import type { Msg, MsgHdrs } from "@nats-io/transport-node";
import { FlowError, type Exchange, type Message } from "@sluice/engine/spi";
import { brokerMessage } from "../messaging/incoming.ts";
import { SourceHeaders, type AddedHeaders } from "../messaging/source-headers.ts";
import { headersOf } from "../messaging/outgoing.ts";
import type { NatsClient } from "./nats-connection.ts";

/** Fields shared by messages of a subscription and of a stream. */
export interface ReceivedMessage {
  readonly data: Uint8Array;
  readonly headers?: MsgHdrs;
}

export function receivedMessage({ data, headers }: ReceivedMessage, added: AddedHeaders): Message {
  return brokerMessage(data, headers === undefined ? undefined : wireHeaders(headers), added);
}

function wireHeaders(headers: MsgHdrs): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    headers.keys().map((name) => {
      const values = headers.values(name);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

/** The headers that Camel's source sets for a plain message. */
export const plainHeaders = new SourceHeaders<{ readonly message: Msg; readonly queueName: string | undefined; readonly receivedAt: number }>({
  CamelNatsSubject: ({ message }) => message.subject,
  CamelNatsSID: ({ message }) => String(message.sid),
  CamelNatsReplyTo: ({ message }) => (message.reply === "" ? undefined : message.reply),
  CamelNatsQueueName: ({ queueName }) => queueName,
  CamelNatsMessageTimestamp: ({ receivedAt }) => receivedAt,
  CamelNatsStatusCode: ({ message: { headers } }) => (headers?.code === undefined || headers.code === 0 ? undefined : headers.code),
  CamelNatsStatusError: ({ message: { headers } }) => (headers?.description === "" ? undefined : headers?.description),
});

/** The headers that Camel's source sets for a message of a stream. */
export const streamHeaders = new SourceHeaders<JsMsg>({
  CamelNatsSubject: ({ subject }) => subject,
  CamelNatsSID: ({ sid }) => String(sid),
  CamelNatsMessageTimestamp: ({ time }) => time.getTime(),
  CamelNatsDeliveryCounter: ({ info }) => info.deliveryCount,
});

/** Headers of the protocol itself belong to the received message and are not forwarded. */
const isProtocolHeader = (key: string): boolean => key.startsWith("nats-");
const validName = /^[!-9;-~]+$/;

export function headersToSend(exchange: Exchange, { transport }: NatsClient): MsgHdrs | undefined {
  const sent = headersOf(exchange, isProtocolHeader);
  if (sent.length === 0) return undefined;
  const headers = transport.headers();
  for (const [name, value] of sent) {
    if (!validName.test(name) || /[\r\n]/.test(value))
      throw new FlowError("java.lang.IllegalArgumentException", `header '${name}' cannot be sent with NATS: remove it, or its line breaks`, {
        code: "nats-bad-header",
      });
    headers.append(name, value);
  }
  return headers;
}
