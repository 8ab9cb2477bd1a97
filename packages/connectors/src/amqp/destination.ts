// Source and target addresses of the protocol.
import type * as Rhea from "rhea";
import type { RouteIdentity } from "@sluice/engine/spi";
import { routeName } from "../messaging/incoming.ts";
import type { AmqpClient } from "./amqp-connection.ts";
import type { JmsOptions } from "./jms-options.ts";

export interface Destination {
  readonly address: string;
  readonly isTopic: boolean;
  /** Capability that declares the address as a queue or a topic, as JMS clients send it. */
  readonly capability: "queue" | "topic" | "temporary-queue" | "temporary-topic";
  /** Set for brokers whose queues are as durable as their links: RabbitMQ before version 4. */
  readonly isKept: boolean;
}

type DestinationType = JmsOptions["destinationType"];

/** Parses a name as written in the flow: `orders`, `queue:orders` or `topic:prices`. */
function typedName(written: string, type: DestinationType): { readonly kind: string; readonly name: string } {
  const [, kind = type, name = written] = /^(queue|topic|temp-queue|temp-topic):(?:\/\/)?(.*)$/s.exec(written) ?? [];
  return { kind, name };
}

export const isTopicName = (written: string, type: DestinationType): boolean => typedName(written, type).kind.endsWith("topic");

export function destinationOf(written: string, type: DestinationType, { queuePrefix, topicPrefix, countsFailures }: AmqpClient): Destination {
  const { kind, name } = typedName(written, type);
  const isTopic = kind.endsWith("topic");
  return {
    address: (isTopic ? topicPrefix : queuePrefix) + name,
    isTopic,
    capability: kind.startsWith("temp") ? (isTopic ? "temporary-topic" : "temporary-queue") : isTopic ? "topic" : "queue",
    isKept: kind === "queue" && !countsFailures,
  };
}

/** The link of a source: its filter and the durability of its subscription. */
export function receiverOptions(
  { address, isTopic, capability, isKept }: Destination,
  options: JmsOptions,
  route: RouteIdentity,
  rhea: typeof Rhea,
): Rhea.ReceiverOptions {
  const { selector, pubSubNoLocal, subscriptionShared: isShared, durableSubscriptionName } = options;
  const isDurable = isTopic && (options.subscriptionDurable || durableSubscriptionName !== undefined);
  const filters: Record<string, unknown> = {
    ...(selector === undefined ? {} : rhea.filter.selector(selector)),
    ...(pubSubNoLocal ? { "apache.org:no-local-filter:list": rhea.types.wrap_described([], "apache.org:no-local-filter:list") } : {}),
  };
  return {
    ...(isDurable || (isTopic && isShared) ? { name: durableSubscriptionName ?? options.subscriptionName ?? routeName(route) } : {}),
    source: {
      address,
      capabilities: [capability, ...(isTopic && isShared ? ["shared", "global"] : [])],
      ...(isDurable ? { durable: 2, expiry_policy: "never" } : isKept ? { durable: 2 } : {}),
      ...(Object.keys(filters).length === 0 ? {} : { filter: filters }),
    },
  };
}

export const isDurableSubscription = (options: JmsOptions, { isTopic }: Destination): boolean =>
  isTopic && (options.subscriptionDurable || options.durableSubscriptionName !== undefined);
