// A webhook that answers when the message is on disk and runs its route from there, with a queue's guarantees.
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
import type { DurableQueues } from "../queue/durable-queues.ts";
import { queuesOf, queueSource } from "../queue/queues.ts";
import { storeMessage } from "../queue/stored-message.ts";
import type { HttpOptions } from "./http-options.ts";
import { errorReply } from "./reply-of-exchange.ts";
import { traceResponse } from "./trace-context.ts";

export interface DurableIntake {
  /** Works off what was accepted. */
  readonly source: Source;
  accept(request: HttpRequest, message: Message, trace: TraceContext, trigger: Trigger): Promise<HttpReply>;
}

export interface DurableIntakeSettings {
  readonly uri: string;
  readonly route: RouteIdentity;
  readonly options: HttpOptions;
  readonly queues: DurableQueues;
}

export function durableIntake(host: Host, { uri, route, options, queues }: DurableIntakeSettings): DurableIntake {
  const name = `webhook/${route.id}`;
  const { concurrentConsumers } = options;
  return {
    source: queueSource(host, queues, { name, uri, claims: [], concurrentConsumers, redelivery: options }),
    async accept({ principal, session }, message, trace, trigger) {
      const headers = { "Content-Type": "application/json", traceresponse: traceResponse(trace) };
      const properties = principal === undefined ? undefined : new Map([["principal", principal]]);
      try {
        const stored = storeMessage(message, { properties, trace, trigger, session }, queues.current?.maxMessageBytes ?? Infinity);
        const messageId = await queuesOf(queues, host).find(name).put(stored, undefined, 0);
        return { status: 202, headers, body: JSON.stringify({ messageId }) };
      } catch (thrown) {
        const { code, message: reason } = toFlowError(thrown);
        if (code === "message-not-storable") return errorReply(400, reason);
        if (code !== "queue-full") host.log.write("ERROR", route.id, `a message could not be accepted: ${reason}`);
        return errorReply(503, code === "queue-full" ? reason : "the message could not be kept; try again later", { "Retry-After": "5" });
      }
    },
  };
}
