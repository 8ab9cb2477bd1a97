import { f, type Values } from "@sluice/model";
import { falseOnlyOption, ignoredOption, needsJava } from "../messaging/connection-options.ts";

export const jmsPath = {
  destinationName: f.string({
    doc: "Name of the queue or topic, optionally with the prefix `queue:`, `topic:`, `temp-queue:` or `temp-topic:`.",
    required: true,
    examples: ["orders", "topic:prices"],
  }),
};

const needsSerialization = "this option needs Java serialization";

/** The reasons why only the value false of these options is supported. */
export const serializationOptions = {
  allowSerializedHeaders: needsSerialization,
  objectMessageEnabled: `${needsSerialization}; send text or bytes`,
  transferException: `${needsSerialization}; reply with a body that describes the error`,
  transferExchange: `${needsSerialization}; send the body and headers`,
} as const;

const connectionOptions = {
  connectionFactory: f.string({
    doc: "Name of the connection; optional when there is only one of its type.",
    examples: ["#broker"],
    connection: ["amqp"],
  }),
  username: f.string({ doc: "User name for an endpoint without a named connection.", secret: true, group: "security" }),
  password: f.text({ doc: "Password for an endpoint without a named connection.", secret: true, group: "security" }),
  testConnectionOnStartup: f.boolean({
    doc: "Whether the route waits for the broker when it starts: until the broker can be reached, the route is Failed and its start is retried.",
    default: false,
  }),
};

const sourceOptions = {
  destinationType: f.enum(["queue", "topic", "temp-queue", "temp-topic"], { doc: "Type of the destination if its name has no prefix.", default: "queue" }),
  concurrentConsumers: f.integer({
    doc: "How many messages are processed concurrently; with more than one, their order is not guaranteed.",
    default: 1,
    min: 1,
    max: 1000,
  }),
  maxConcurrentConsumers: f.integer({ doc: "Maximum number of concurrent messages; the larger of this and concurrentConsumers applies.", min: 1, max: 1000 }),
  asyncConsumer: f.boolean({ doc: "Whether all prefetched messages are processed concurrently.", default: false }),
  maximumRedeliveries: f.integer({
    doc: "Maximum number of redeliveries before a failed message becomes a dead letter; -1 for no limit.",
    default: 5,
    min: -1,
  }),
  redeliveryDelay: f.duration({ doc: "Delay before a failed message is redelivered; doubled each time, up to one minute.", default: 1000 }),
  selector: f.string({ doc: "Condition on the headers of the messages to receive; not supported by every broker.", examples: ["priority = 'high'"] }),
  clientId: f.string({ doc: "Client id of a durable subscription; it must equal the client id of a referenced connection.", group: "advanced" }),
  subscriptionDurable: f.boolean({ doc: "Whether the broker stores messages of the topic for this source while it is not connected.", default: false }),
  subscriptionShared: f.boolean({ doc: "Whether sources with the same subscription share the messages of the topic.", default: false }),
  subscriptionName: f.string({ doc: "Name of the subscription; `sluice-<flow>-<route>` by default." }),
  durableSubscriptionName: f.string({ doc: "Name of a durable subscription; implies subscriptionDurable." }),
  pubSubNoLocal: f.boolean({ doc: "Whether messages sent through the same connection are ignored.", default: false, group: "advanced" }),
  acknowledgementModeName: f.enum(["AUTO_ACKNOWLEDGE", "CLIENT_ACKNOWLEDGE", "DUPS_OK_ACKNOWLEDGE", "SESSION_TRANSACTED"], {
    doc: "Accepted but ignored: messages are always acknowledged when their runs are done.",
    default: "AUTO_ACKNOWLEDGE",
  }),
  transacted: f.boolean({
    doc: "Accepted but ignored: a message is acknowledged when its run is done. Messages that the route sends are not part of a transaction.",
    default: false,
  }),
  disableReplyTo: f.boolean({ doc: "Whether replies are disabled: a source sends none, and a sink does not wait for one.", default: false }),
  replyTo: f.string({ doc: "Source: where replies are sent, overriding the message. Sink: the queue that replies are received from." }),
  autoStartup: f.boolean({ doc: "Whether the source starts with the route; if false, the route receives no messages.", default: true, group: "advanced" }),
  replyToDeliveryPersistent: f.boolean({ doc: "Whether the replies of a source survive a restart of the broker.", default: true, group: "advanced" }),
  recoveryInterval: f.duration({ doc: "Maximum delay between connection attempts.", default: 5000, group: "advanced" }),
};

const sinkOptions = {
  deliveryPersistent: f.boolean({ doc: "Whether messages survive a restart of the broker.", default: true }),
  deliveryMode: f.integer({ doc: "Alternative to deliveryPersistent: 1 not persistent, 2 persistent.", min: 1, max: 2 }),
  priority: f.integer({ doc: "The priority of messages, 0 to 9.", default: 4, min: 0, max: 9 }),
  timeToLive: f.duration({ doc: "How long the broker stores a message; no limit by default.", default: -1 }),
  deliveryDelay: f.duration({ doc: "Delay before the broker delivers a message; not supported by every broker.", default: -1 }),
  preserveMessageQos: f.boolean({ doc: "Whether persistence, priority and expiration of the received message are preserved.", default: false }),
  disableTimeToLive: f.boolean({
    doc: "Whether requests are sent without a time to live, which otherwise is their timeout.",
    default: false,
    group: "advanced",
  }),
  jmsMessageType: f.enum(["Bytes", "Map", "Text", "Object", "Stream"], {
    doc: "Message type; derived from the body by default. `Object` and `Stream` are not supported.",
  }),
  allowNullBody: f.boolean({ doc: "Whether a message without a body is sent.", default: true, group: "advanced" }),
  requestTimeout: f.duration({ doc: "How long to wait for a reply (InOut).", default: 20_000 }),
  replyToType: f.enum(["Temporary", "Shared", "Exclusive"], {
    doc: "How replies are received: in a temporary queue, or in the queue `replyTo`, either shared with a selector or exclusive to this sink.",
  }),
  replyToOverride: f.string({ doc: "Reply queue named in requests, if it differs from the queue that replies are received from.", group: "advanced" }),
  useMessageIDAsCorrelationID: f.boolean({
    doc: "Whether a reply is matched by the message id of the request if the request has no correlation id.",
    default: false,
    group: "advanced",
  }),
  correlationProperty: f.string({
    doc: "Property by which replies are matched to requests, instead of a generated correlation id.",
    group: "advanced",
  }),
  includeSentJMSMessageID: f.boolean({
    doc: "Whether the header JMSMessageID is set to the id of the message that was sent; not for requests that wait for a reply.",
    default: false,
    group: "advanced",
  }),
  formatDateHeadersToIso8601: f.boolean({ doc: "Accepted but ignored: dates are always sent in ISO 8601 format.", default: false, group: "advanced" }),
  jmsKeyFormatStrategy: f.enum(["default", "passthrough"], {
    doc: "`default` sends `.` and `-` in header names as `_DOT_` and `_HYPHEN_`; `passthrough` sends names unchanged.",
    default: "default",
    group: "advanced",
  }),
  exchangePattern: f.enum(["InOnly", "InOut"], {
    doc: "InOnly disables replies, and InOut makes a sink wait for one. By default, a sink waits if the exchange is InOut, and a source replies if the message has a reply address.",
    group: "advanced",
  }),
};

const ignoredReasons: Readonly<Record<string, string>> = {
  explicitQosEnabled: "persistence, priority and expiration are always set",
  replyToConcurrentConsumers: "one receiver handles all replies",
  includeAllJMSXProperties: "JMSX properties are always included",
  mapJmsMessage: "bodies are always converted by message type",
  receiveTimeout: "the broker pushes messages",
  artemisConsumerPriority: "all consumers have the same priority",
  artemisStreamingEnabled: "bodies are not streamed",
  acceptMessagesWhileStopping: "messages stay in the broker while a route stops",
  lazyStartProducer: "an endpoint connects when it is first used",
};

const javaClientOptions = [
  "cacheLevel",
  "cacheLevelName",
  "allowReplyManagerQuickStop",
  "consumerType",
  "defaultTaskExecutorType",
  "eagerLoadingOfProperties",
  "eagerPoisonBody",
  "exposeListenerSession",
  "replyToConsumerType",
  "replyToSameDestinationAllowed",
  "replyToMaxConcurrentConsumers",
  "replyToOnTimeoutMaxConcurrentConsumers",
  "allowAdditionalHeaders",
  "alwaysCopyMessage",
  "forceSendOriginalMessage",
  "replyCorrelationProperty",
  "replyToCacheLevelName",
  "replyToDestinationSelectorName",
  "streamMessageTypeEnabled",
  "asyncStartListener",
  "asyncStopListener",
  "browseLimit",
  "idleConsumerLimit",
  "idleReceivesPerTaskLimit",
  "idleTaskExecutionLimit",
  "maxMessagesPerTask",
  "messageIdEnabled",
  "messageTimestampEnabled",
  "requestTimeoutCheckerInterval",
  "synchronous",
  "waitForProvisionCorrelationToBeUpdatedCounter",
  "waitForProvisionCorrelationToBeUpdatedThreadSleepingTime",
  "waitForTemporaryReplyToToBeUpdatedCounter",
  "waitForTemporaryReplyToToBeUpdatedThreadSleepingTime",
  "errorHandlerLoggingLevel",
  "errorHandlerLogStackTrace",
  "transactedInOut",
  "lazyCreateTransactionManager",
  "transactionName",
  "transactionTimeout",
] as const;

const javaObjects = [
  "exceptionHandler",
  "taskExecutor",
  "destinationResolver",
  "errorHandler",
  "exceptionListener",
  "headerFilterStrategy",
  "messageConverter",
  "messageCreatedStrategy",
  "messageListenerContainerFactory",
  "temporaryQueueResolver",
  "deserializationFilter",
  "transactionManager",
] as const;

const fieldsOf = <T>(names: readonly string[], create: (name: string) => T): Readonly<Record<string, T>> =>
  Object.fromEntries(names.map((name) => [name, create(name)]));

const otherOptions = {
  ...fieldsOf(Object.keys(ignoredReasons), (name) => ignoredOption(ignoredReasons[name] as string)),
  ...fieldsOf(javaClientOptions, () => ignoredOption("it configures the Java client")),
  ...fieldsOf(javaObjects, () => f.unsupported(needsJava)),
};

const rejectedOptions = {
  allowSerializedHeaders: falseOnlyOption(serializationOptions.allowSerializedHeaders),
  objectMessageEnabled: falseOnlyOption(serializationOptions.objectMessageEnabled),
  transferException: falseOnlyOption(serializationOptions.transferException),
  transferExchange: falseOnlyOption(serializationOptions.transferExchange),
};

const typedOptions = { ...connectionOptions, ...sourceOptions, ...sinkOptions, ...rejectedOptions };

export const jmsOptions: typeof typedOptions & Readonly<Record<string, unknown>> = { ...typedOptions, ...otherOptions };

export type JmsOptions = Values<typeof jmsPath> & Values<typeof typedOptions>;
