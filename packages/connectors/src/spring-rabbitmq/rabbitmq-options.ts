import { f, type Values } from "@sluice/model";
import { ignoredOption, needsJava } from "../messaging/connection-options.ts";

export const rabbitPath = {
  exchangeName: f.string({
    doc: "Exchange; `default` is the default exchange, whose routing keys are queue names.",
    required: true,
    examples: ["orders"],
  }),
};

const exchangeTypes = ["direct", "fanout", "headers", "topic"] as const;

/** Options of Camel 3's scheme `rabbitmq` that were renamed or moved since. */
const formerOptions = {
  queue: f.string({ doc: "Camel 3 name of `queues`.", group: "advanced" }),
  hostname: f.string({ doc: "Camel 3: host of the server; use a connection instead.", group: "advanced" }),
  portNumber: f.integer({ doc: "Camel 3: port of the server.", min: 1, max: 65_535, group: "advanced" }),
  addresses: f.string({ doc: "Camel 3: several servers with their ports.", examples: ["one:5672,two:5672"], group: "advanced" }),
  vhost: f.string({ doc: "Camel 3: virtual host.", group: "advanced" }),
  username: f.string({ doc: "Camel 3: user name.", secret: true, group: "security" }),
  password: f.text({ doc: "Camel 3: password.", secret: true, group: "security" }),
  durable: f.boolean({ doc: "Camel 3: whether the exchange and queues survive a restart of the server; true for `rabbitmq:`.", group: "advanced" }),
  autoDelete: f.boolean({ doc: "Camel 3: whether the server deletes the exchange and queues when they are unused.", group: "advanced" }),
  declare: f.boolean({ doc: "Camel 3: whether the exchange and queues are declared.", group: "advanced" }),
  autoAck: ignoredOption("messages are always acknowledged when their runs are done"),
};

const connectionOptions = {
  connectionFactory: f.string({
    doc: "Name of the connection; optional when there is only one of its type, or when the endpoint contains the address.",
    examples: ["#shop"],
    connection: ["rabbitmq"],
  }),
  testConnectionOnStartup: f.boolean({
    doc: "Whether the route waits for the server when it starts: until the server can be reached, the route is Failed and its start is retried.",
    default: false,
  }),
};

const declaringOptions = {
  exchangeType: f.enum(exchangeTypes, { doc: "Type of the exchange, if it is declared.", default: "direct" }),
  autoDeclare: f.boolean({ doc: "Whether a source declares the exchange, its queues, their bindings, and the dead-letter exchange and queue.", default: true }),
  autoDeclareProducer: f.boolean({ doc: "Whether a sink declares the exchange, and the queues and bindings when queues are named.", default: false }),
  skipDeclareExchange: f.boolean({ doc: "Whether to skip declaring the exchange.", default: false, group: "advanced" }),
  skipDeclareQueue: f.boolean({ doc: "Whether to skip declaring the queues.", default: false, group: "advanced" }),
  skipBindQueue: f.boolean({ doc: "Whether to skip binding the queues to the exchange.", default: false, group: "advanced" }),
  args: f.string({
    doc: "Arguments of the declared elements as a JSON object. Each can also be written as an option: `arg.queue.durable=true`, `arg.exchange.autoDelete=true`, `arg.binding.x-match=all`, `arg.dlq.queue.x-message-ttl=60000`.",
    examples: ['{"queue.x-max-length":1000}'],
    group: "advanced",
  }),
  deadLetterExchange: f.string({ doc: "Exchange that rejected messages of the queues are sent to." }),
  deadLetterExchangeType: f.enum(exchangeTypes, { doc: "Type of the dead-letter exchange.", default: "direct" }),
  deadLetterQueue: f.string({ doc: "Queue that is declared and bound to the dead-letter exchange." }),
  deadLetterRoutingKey: f.string({ doc: "Routing key of rejected messages; their original key by default." }),
};

const sourceOptions = {
  queues: f.string({ doc: "Queues, separated by commas; `sluice-<flow>-<route>` by default for a source.", examples: ["orders,returns"] }),
  prefetchCount: f.integer({ doc: "Maximum number of unacknowledged messages per queue.", default: 250, min: 1, max: 65_535 }),
  concurrentConsumers: f.integer({
    doc: "How many messages of each queue are processed concurrently; with more than one, their order is not guaranteed.",
    default: 1,
    min: 1,
    max: 1000,
  }),
  maxConcurrentConsumers: f.integer({
    doc: "Maximum number of concurrent messages; the larger of this and concurrentConsumers applies.",
    min: 1,
    max: 1000,
    group: "advanced",
  }),
  asyncConsumer: f.boolean({ doc: "Whether all prefetched messages are processed concurrently.", default: false, group: "advanced" }),
  acknowledgeMode: f.enum(["AUTO", "MANUAL", "NONE"], {
    doc: "Messages are acknowledged when their runs are done. With `NONE`, failed messages are acknowledged too and become dead letters immediately.",
    default: "AUTO",
  }),
  maximumRetryAttempts: f.integer({ doc: "Maximum number of retries before a failed message is rejected.", default: 5, min: 0 }),
  retryDelay: f.duration({ doc: "Delay before each retry.", default: 1000 }),
  rejectAndDontRequeue: f.boolean({
    doc: "Whether a message whose retries are exhausted goes to the dead-letter exchange or, if the server would drop it there, becomes a dead letter of the runtime. If false, it returns to its queue after a delay.",
    default: true,
  }),
  exclusive: f.boolean({ doc: "Whether this source is the only consumer of the queues.", default: false }),
  disableReplyTo: f.boolean({ doc: "Whether replies are disabled: a source sends none, and a sink does not wait for one.", default: false }),
  autoStartup: f.boolean({ doc: "Whether the source starts with the route; if false, the route receives no messages.", default: true, group: "advanced" }),
};

const sinkOptions = {
  routingKey: f.string({ doc: "Routing key for sending messages and binding queues." }),
  confirm: f.enum(["auto", "enabled", "disabled"], {
    doc: "Whether sending waits until the server has the message, and fails when no queue receives it. Only `disabled` turns this off.",
    default: "auto",
  }),
  confirmTimeout: f.duration({ doc: "Timeout for the confirmation.", default: 5000 }),
  replyTimeout: f.duration({ doc: "Timeout for a reply (InOut).", default: 30_000 }),
  allowNullBody: f.boolean({ doc: "Whether a message without a body is sent.", default: false }),
  exchangePattern: f.enum(["InOnly", "InOut"], {
    doc: "InOnly disables replies, and InOut makes a sink wait for one. By default, a sink waits if the exchange is InOut, and a source replies if the message has a reply address.",
    group: "advanced",
  }),
};

const otherOptions = {
  noLocal: ignoredOption("RabbitMQ does not support this"),
  bridgeErrorHandler: ignoredOption("failures of a message always reach the route's error handler"),
  messageListenerContainerType: ignoredOption("there is only one type of consumer"),
  usePublisherConnection: ignoredOption("sinks and sources share a connection, each with its own channel"),
  synchronous: ignoredOption("sending never blocks"),
  lazyStartProducer: ignoredOption("an endpoint connects when it is first used"),
  exceptionHandler: f.unsupported(needsJava),
  retry: f.unsupported(needsJava),
  messageConverter: f.unsupported(needsJava),
  messagePropertiesConverter: f.unsupported(needsJava),
};

export const rabbitOptions = { ...connectionOptions, ...sourceOptions, ...sinkOptions, ...declaringOptions, ...otherOptions, ...formerOptions };

export type RabbitOptions = Values<typeof rabbitPath> & Values<typeof rabbitOptions>;

/** The address in the endpoint, as connection fields. */
export function addressOf({ hostname, portNumber, addresses, vhost, username, password }: RabbitOptions): Readonly<Record<string, string>> {
  const fields = { host: hostname, port: portNumber, addresses, vhost, username, password };
  return Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])));
}
