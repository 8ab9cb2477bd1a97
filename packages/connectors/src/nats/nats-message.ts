// Converts between NATS messages and Sluice messages.
import type { Msg, MsgHdrs } from "@nats-io/transport-node";
import { FlowError, type Exchange, type Message } from "@sluice/engine/spi";
import { brokerMessage } from "../messaging/incoming.ts";
import { headersOf } from "../messaging/outgoing.ts";
import type { NatsClient } from "./nats-connection.ts";

/** Fields shared by messages of a subscription and of a stream. */
export interface ReceivedMessage {
  readonly data: Uint8Array;
  readonly headers?: MsgHdrs;
}

export function receivedMessage(message: ReceivedMessage, own: Readonly<Record<string, unknown>>): Message {
  const wire: Record<string, unknown> = {};
  for (const name of message.headers?.keys() ?? []) {
    const values = message.headers?.values(name) ?? [];
    wire[name] = values.length === 1 ? values[0] : values;
  }
  return brokerMessage(message.data, wire, own);
}

/** The headers that Camel's source sets for a plain message. */
export function plainHeaders(message: Msg, queueName: string | undefined, now: number): Readonly<Record<string, unknown>> {
  return {
    CamelNatsSubject: message.subject,
    CamelNatsSID: String(message.sid),
    CamelNatsReplyTo: message.reply === "" ? undefined : message.reply,
    CamelNatsQueueName: queueName,
    CamelNatsMessageTimestamp: now,
    CamelNatsStatusCode: message.headers?.code === undefined || message.headers.code === 0 ? undefined : message.headers.code,
    CamelNatsStatusError: message.headers?.description === "" ? undefined : message.headers?.description,
  };
}

/** Headers of the protocol itself belong to the received message and are not forwarded. */
const isProtocolHeader = (key: string): boolean => key.startsWith("nats-");
const validName = /^[!-9;-~]+$/;

export function headersToSend(exchange: Exchange, { transport }: NatsClient): MsgHdrs | undefined {
  const sent = headersOf(exchange, isProtocolHeader);
  if (sent.length === 0) return undefined;
  const headers = transport.headers();
  for (const [name, value] of sent) {
    if (!validName.test(name) || /[\r\n]/.test(value))
      throw new FlowError("java.lang.IllegalArgumentException", `Header '${name}' cannot be sent with NATS: remove it, or its line breaks.`, {
        code: "nats-bad-header",
      });
    headers.append(name, value);
  }
  return headers;
}
