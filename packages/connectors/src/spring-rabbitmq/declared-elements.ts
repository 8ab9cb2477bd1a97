// Exchanges, queues and bindings that an endpoint declares before it uses them.
import type { Channel, Options } from "amqplib";
import type { Endpoint } from "@sluice/engine/spi";
import { jsonMapOf } from "../messaging/connection-options.ts";
import type { RabbitOptions } from "./rabbitmq-options.ts";

/** The name in the protocol: the default exchange, which can be neither declared nor bound, has an empty name. */
export const exchangeNameOf = (name: string): string => (name === "default" ? "" : name);

export function queueNames({ queues, queue }: RabbitOptions): readonly string[] {
  return (queues ?? queue ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** The elements declared for an endpoint, from its options, `args` and `arg.` arguments. */
export class DeclaredElements {
  readonly #options: RabbitOptions;
  readonly #arguments: Readonly<Record<string, string>>;
  readonly #isCamel3: boolean;

  constructor({ options, extra, scheme }: Endpoint<RabbitOptions>) {
    this.#options = options;
    const args = Object.entries(jsonMapOf("args", options.args)).map(([name, value]) => [`arg.${name}`, value]);
    this.#arguments = { ...Object.fromEntries(args), ...extra };
    this.#isCamel3 = scheme === "rabbitmq";
  }

  /** True when the server dead-letters a rejected message with this routing key; it would drop the message if no queue received it. */
  isDeadLettered(routingKey: string, queues: readonly string[]): boolean {
    const { deadLetterExchange, deadLetterExchangeType, deadLetterQueue, skipDeclareQueue } = this.#options;
    // The options do not describe a queue that is declared elsewhere.
    if (!this.isDeclaredBySource || skipDeclareQueue) return false;
    if (deadLetterExchange === undefined) return this.#arguments["arg.queue.x-dead-letter-exchange"] !== undefined;
    if (deadLetterQueue === undefined || deadLetterExchangeType !== "direct") return true;
    return this.#deadLetterKey !== undefined || this.#deadLetterKeys(queues).includes(routingKey);
  }

  get isDeclaredBySource(): boolean {
    return this.#options.declare ?? this.#options.autoDeclare;
  }

  get isDeclaredBySink(): boolean {
    return this.#isCamel3 ? (this.#options.declare ?? true) : this.#options.autoDeclareProducer;
  }

  /** Consumer arguments, such as the priority. */
  get consumerArguments(): Readonly<Record<string, unknown>> {
    return this.#argumentsOf("consumer");
  }

  async declare(channel: Channel, queues: readonly string[]): Promise<void> {
    await this.#declareDeadLetters(channel, queues);
    const exchange = exchangeNameOf(this.#options.exchangeName);
    await this.#declareExchange(channel, exchange);
    for (const queue of queues) {
      if (!this.#options.skipDeclareQueue) await channel.assertQueue(queue, this.#queueOptions());
      if (!this.#options.skipBindQueue && exchange !== "")
        await channel.bindQueue(queue, exchange, this.#options.routingKey ?? "", this.#argumentsOf("binding"));
    }
  }

  async #declareDeadLetters(channel: Channel, queues: readonly string[]): Promise<void> {
    const { deadLetterExchange: name, deadLetterExchangeType: type, deadLetterQueue: queue } = this.#options;
    if (name === undefined) return;
    await channel.assertExchange(name, type, { durable: true, arguments: this.#argumentsOf("dlq.exchange") });
    if (queue === undefined) return;
    await channel.assertQueue(queue, { durable: true, arguments: this.#argumentsOf("dlq.queue") });
    for (const key of this.#deadLetterKeys(queues)) await channel.bindQueue(queue, name, key, this.#argumentsOf("dlq.binding"));
  }

  /** Rejected messages keep their routing keys unless a dead-letter routing key is configured. The server drops messages whose key has no binding. */
  #deadLetterKeys(queues: readonly string[]): readonly string[] {
    const { deadLetterExchangeType: type, routingKey = "" } = this.#options;
    if (this.#deadLetterKey !== undefined) return [this.#deadLetterKey];
    if (type === "topic") return ["#"];
    return type === "direct" ? [...new Set([routingKey, ...queues])] : [""];
  }

  get #deadLetterKey(): string | undefined {
    return this.#options.deadLetterRoutingKey ?? this.#arguments["arg.queue.x-dead-letter-routing-key"];
  }

  async #declareExchange(channel: Channel, name: string): Promise<void> {
    if (this.#options.skipDeclareExchange || name === "") return;
    // Predeclared exchanges exist and cannot be changed.
    if (name.startsWith("amq.")) return void (await channel.checkExchange(name));
    const { durable = true, autoDelete = this.#options.autoDelete ?? false, ...others } = this.#argumentsOf("exchange");
    const options: Options.AssertExchange = { durable: this.#options.durable ?? durable === true, autoDelete: autoDelete === true, arguments: others };
    await channel.assertExchange(name, this.#options.exchangeType, options);
  }

  #queueOptions(): Options.AssertQueue {
    const { deadLetterExchange, deadLetterRoutingKey } = this.#options;
    const {
      durable = this.#options.durable ?? this.#isCamel3,
      autoDelete = this.#options.autoDelete ?? false,
      exclusive = false,
      ...others
    } = this.#argumentsOf("queue");
    return {
      durable: durable === true,
      autoDelete: autoDelete === true,
      exclusive: exclusive === true,
      arguments: {
        ...others,
        ...(deadLetterExchange === undefined ? {} : { "x-dead-letter-exchange": deadLetterExchange }),
        ...(deadLetterExchange === undefined || deadLetterRoutingKey === undefined ? {} : { "x-dead-letter-routing-key": deadLetterRoutingKey }),
      },
    };
  }

  #argumentsOf(element: string): Readonly<Record<string, unknown>> {
    const prefix = `arg.${element}.`;
    const found: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(this.#arguments))
      if (name.startsWith(prefix)) found[name.slice(prefix.length)] = element.endsWith("binding") ? value : parseArgument(value);
    return found;
  }
}

/** For queues and exchanges the server requires typed numbers and booleans; bindings are compared with headers, which are mostly text. */
function parseArgument(text: string): unknown {
  if (text === "true" || text === "false") return text === "true";
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}
