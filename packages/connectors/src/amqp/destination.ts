// Addresses of queues and topics, as sources and targets of AMQP links.
import type * as Rhea from "rhea";
import { FlowError, type RouteIdentity } from "@sluice/engine/spi";
import { routeName } from "../messaging/incoming.ts";
import type { AmqpClient } from "./amqp-connection.ts";
import type { JmsOptions } from "./jms-options.ts";

export interface Destination {
  readonly address: string;
  readonly isTopic: boolean;
  /** Capability that declares the address as a queue or a topic, as JMS clients send it. */
  readonly capability: "queue" | "topic" | "temporary-queue" | "temporary-topic";
  /** True for RabbitMQ before version 4, where a queue is only as durable as the link that creates it. */
  readonly hasDurableLink: boolean;
}

type DestinationType = JmsOptions["destinationType"];

/** Parses a name as written in the flow: `orders`, `queue:orders` or `topic:prices`. */
function parseName(text: string, type: DestinationType): { readonly kind: string; readonly name: string } {
  const [, kind = type, name = text] = /^(queue|topic|temp-queue|temp-topic):(?:\/\/)?(.*)$/s.exec(text) ?? [];
  return { kind, name };
}

export const isTopicName = (text: string, type: DestinationType): boolean => parseName(text, type).kind.endsWith("topic");

export function destinationOf(text: string, type: DestinationType, { queuePrefix, topicPrefix, countsFailures }: AmqpClient): Destination {
  const { kind, name } = parseName(text, type);
  const isTopic = kind.endsWith("topic");
  return {
    address: (isTopic ? topicPrefix : queuePrefix) + name,
    isTopic,
    capability: kind.startsWith("temp") ? (isTopic ? "temporary-topic" : "temporary-queue") : isTopic ? "topic" : "queue",
    hasDurableLink: kind === "queue" && !countsFailures,
  };
}

/** The link of a source: its filter and the durability of its subscription. */
export function receiverOptions(
  { address, isTopic, capability, hasDurableLink }: Destination,
  options: JmsOptions,
  route: RouteIdentity,
  rhea: typeof Rhea,
): Rhea.ReceiverOptions {
  const { selector, pubSubNoLocal, subscriptionShared: isShared, durableSubscriptionName } = options;
  const isDurable = isDurableSubscription(options, { isTopic });
  const filters: Record<string, unknown> = {
    ...(selector === undefined ? {} : rhea.filter.selector(selector)),
    ...(pubSubNoLocal ? { "apache.org:no-local-filter:list": rhea.types.wrap_described([], "apache.org:no-local-filter:list") } : {}),
  };
  return {
    ...(isDurable || (isTopic && isShared) ? { name: durableSubscriptionName ?? options.subscriptionName ?? routeName(route) } : {}),
    source: {
      address,
      capabilities: [capability, ...(isTopic && isShared ? ["shared", "global"] : [])],
      ...(isDurable ? { durable: 2, expiry_policy: "never" } : hasDurableLink ? { durable: 2 } : {}),
      ...(Object.keys(filters).length === 0 ? {} : { filter: filters }),
    },
  };
}

export const isDurableSubscription = (options: JmsOptions, { isTopic }: Pick<Destination, "isTopic">): boolean =>
  isTopic && (options.subscriptionDurable || options.durableSubscriptionName !== undefined);

/** The broker identifies an unshared durable subscription by its client id: with a new id it would create another one, without the stored messages. */
export function requireClientId(options: JmsOptions, destination: Destination, { clientId }: AmqpClient): void {
  if (!isDurableSubscription(options, destination) || options.subscriptionShared) return;
  if (clientId !== undefined && (options.clientId ?? clientId) === clientId) return;
  throw new FlowError(
    "jakarta.jms.JMSException",
    `the durable subscription to '${destination.address}' needs a client id: set clientId=${options.clientId ?? "…"} in the connection`,
    { code: "jms-no-client-id" },
  );
}
