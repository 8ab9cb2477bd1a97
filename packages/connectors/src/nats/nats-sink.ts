import type { JetStreamClient } from "@nats-io/jetstream";
import { CompileError, FlowError, type Connection, type Endpoint, type Exchange, type Host, type Sink } from "@sluice/engine/spi";
import { withTimeout } from "../messaging/incoming.ts";
import { payloadOf } from "../messaging/outgoing.ts";
import type { NatsClient } from "./nats-connection.ts";
import { natsError } from "./nats-error.ts";
import { headersToSend, plainHeaders } from "./nats-message.ts";
import type { NatsOptions } from "./nats-options.ts";

/** A publication whose outcome is unknown: a retry uses the same id, so that the stream stores the message once. */
interface Attempt {
  readonly id: string;
  readonly payload: Uint8Array;
}

export function natsSink({ options, uri }: Endpoint<NatsOptions>, connection: Connection<NatsClient>, host: Host): Sink {
  const { topic } = options;
  if (/[*>\s]/.test(topic))
    throw new CompileError("bad-option", `'${uri}' has a wildcard or a space in its subject, so messages cannot be sent to it`, { option: "topic" });
  const failed = new WeakMap<Exchange, Attempt>();
  let cached: { readonly client: NatsClient; readonly streams: JetStreamClient } | undefined;
  const streamsOf = (client: NatsClient): JetStreamClient => {
    if (cached?.client !== client) cached = { client, streams: client.jetstream.jetstream(client.connection) };
    return cached.streams;
  };

  async function request(exchange: Exchange, client: NatsClient, payload: Uint8Array): Promise<void> {
    const headers = headersToSend(exchange, client);
    const reply = await client.connection.request(topic, payload, {
      timeout: options.requestTimeout,
      ...(headers === undefined ? {} : { headers }),
      ...(options.replySubject === undefined ? {} : { noMux: true, reply: options.replySubject }),
    });
    exchange.message.body = reply.data;
    const replyHeaders = plainHeaders.of({ message: reply, queueName: undefined, receivedAt: host.clock.now() });
    for (const [name, value] of replyHeaders.entries()) if (value !== undefined) exchange.message.headers.set(name, value);
  }

  async function publishToStream(exchange: Exchange, client: NatsClient, payload: Uint8Array): Promise<void> {
    const previous = failed.get(exchange);
    const isRetry = previous !== undefined && Buffer.compare(previous.payload, payload) === 0;
    const attempt = isRetry ? previous : { id: host.ids.next(), payload };
    const headers = headersToSend(exchange, client);
    try {
      await streamsOf(client).publish(topic, payload, {
        msgID: attempt.id,
        timeout: options.requestTimeout,
        ...(headers === undefined ? {} : { headers }),
        ...(options.jetstreamName === undefined ? {} : { expect: { streamName: options.jetstreamName } }),
      });
      if (isRetry) failed.delete(exchange);
    } catch (error) {
      failed.set(exchange, attempt);
      throw error;
    }
  }

  async function publish(exchange: Exchange, client: NatsClient, payload: Uint8Array): Promise<void> {
    const headers = headersToSend(exchange, client);
    client.connection.publish(topic, payload, {
      ...(headers === undefined ? {} : { headers }),
      ...(options.replySubject === undefined ? {} : { reply: options.replySubject }),
    });
    if (!options.flushConnection) return;
    await withTimeout(host.clock, options.flushTimeout, client.connection.flush(), () => timedOut(options.flushTimeout));
  }

  return {
    async send(exchange) {
      const pending = payloadOf(exchange.message.body);
      const payload = pending instanceof Promise ? await pending : pending;
      if (payload === undefined)
        throw new FlowError("org.apache.camel.InvalidPayloadException", `the message for '${topic}' has no body: set one first`, { code: "nats-no-body" });
      const client = await connection.client();
      const expectsReply = (options.exchangePattern ?? exchange.pattern) === "InOut";
      try {
        if (expectsReply && !options.jetstreamEnabled) await request(exchange, client, payload);
        else if (options.jetstreamEnabled) await publishToStream(exchange, client, payload);
        else await publish(exchange, client, payload);
      } catch (error) {
        throw natsError(error, topic);
      }
    },
  };
}

function timedOut(ms: number): FlowError {
  return new FlowError("java.util.concurrent.TimeoutException", `NATS did not confirm the message within ${ms} ms`, { code: "nats-timeout", retryable: true });
}
