// A durable webhook: responds when the message is on disk and runs its route from there, with the guarantees of a queue.
import {
  toFlowError,
  type Host,
  type HttpReply,
  type HttpRequest,
  type Message,
  type RouteIdentity,
  type Source,
  type TraceContext,
  type Trigger,
} from "@sluice/engine/spi";
import { queueSource, type QueueRegistry } from "../queue/queue-registry.ts";
import { storeMessage } from "../queue/stored-message.ts";
import type { HttpOptions } from "./http-options.ts";
import { correlationIdOf } from "./request-headers.ts";
import { traceResponse } from "./trace-context.ts";
import { rejection } from "./webhook-errors.ts";

export interface DurableReceiver {
  /** Processes accepted messages. */
  readonly source: Source;
  accept(request: HttpRequest, message: Message, trace: TraceContext, trigger: Trigger): Promise<HttpReply>;
}

export interface DurableReceiverSettings {
  readonly uri: string;
  readonly route: RouteIdentity;
  readonly options: HttpOptions;
  readonly queues: QueueRegistry;
}

export function durableReceiver(host: Host, { uri, route, options, queues }: DurableReceiverSettings): DurableReceiver {
  const name = `webhook/${route.id}`;
  const { concurrentConsumers } = options;
  return {
    source: queueSource(host, queues, { name, uri, claims: [], concurrentConsumers, redelivery: options }),
    async accept({ principal, session, rawHeaders }, message, trace, trigger) {
      const headers = { "Content-Type": "application/json", traceresponse: traceResponse(trace) };
      const properties = principal === undefined ? undefined : new Map([["principal", principal]]);
      try {
        const stored = storeMessage(
          message,
          { properties, trace, trigger, session, correlationId: correlationIdOf(rawHeaders) },
          queues.store.current?.maxMessageBytes ?? Infinity,
        );
        const messageId = await queues.find(name).put(stored, undefined, 0);
        return { status: 202, headers, body: JSON.stringify({ messageId }) };
      } catch (error) {
        const { code, message: reason } = toFlowError(error);
        if (code === "message-not-storable" || code === "message-too-large") return rejection(code, reason);
        const retry = { "Retry-After": "5" };
        if (code === "queue-full") return rejection(code, reason, retry);
        host.log.write("ERROR", route.id, `A message could not be accepted: ${reason}`);
        return rejection("store-unavailable", "the message could not be stored; try again later", retry);
      }
    },
  };
}
