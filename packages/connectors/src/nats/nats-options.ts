import { f, type Values } from "@sluice/model";
import { sinkFields } from "../camel-options.ts";
import { connectionField, falseOnlyOption, ignoredOption, needsJava, noManualAck, tlsInConnection } from "../messaging/connection-options.ts";

export const natsPath = {
  topic: f.string({ doc: "Subject; a source may use the wildcards `*` and `>`.", required: true, examples: ["orders.new"], browse: { what: "subjects" } }),
};

const addressOptions = {
  connection: connectionField("nats"),
  servers: f.string({ doc: "Addresses of the servers, separated by commas. Defaults to the connection's addresses.", examples: ["localhost:4222"] }),
  connectionTimeout: f.duration({ doc: "Timeout for connecting; 2 seconds by default.", group: "advanced" }),
  pingInterval: f.duration({ doc: "Interval of pings to the server; 2 minutes by default.", group: "advanced" }),
  maxPingsOut: f.integer({
    doc: "Number of unanswered pings after which the connection counts as lost; 2 by default.",
    min: 1,
    group: "advanced",
  }),
  noEcho: f.boolean({ doc: "Whether subscriptions ignore messages sent through the same connection.", group: "advanced" }),
  noRandomizeServers: f.boolean({ doc: "Whether servers are tried in the configured order.", group: "advanced" }),
  credentialsFilePath: f.string({ doc: "Path of a credentials file created by the NATS tools.", group: "security" }),
  secure: f.boolean({ doc: "Whether TLS is required.", group: "security" }),
  sslContextParameters: f.unsupported(tlsInConnection),
};

export const natsOptions = {
  ...addressOptions,
  jetstreamEnabled: f.boolean({ doc: "Whether to use JetStream: a stream stores messages until they are acknowledged.", default: false }),
  jetstreamName: f.string({
    doc: "Name of the stream. A source creates a missing one; without a name, the stream that stores the subject is used.",
    browse: { what: "streams" },
  }),
  durableName: f.string({ doc: "Name of the durable consumer, which tracks acknowledgements; `sluice-<flow>-<route>` by default." }),
  ackPolicy: f.enum(["None", "All", "Explicit"], {
    doc: "Acknowledgement policy of the stream. `None`: no acknowledgements; failed messages become dead letters. `All`: messages are processed one at a time, in order.",
    default: "Explicit",
  }),
  ackWait: f.duration({
    doc: "How long the server waits for an acknowledgement or a sign of progress before it redelivers a message of a stream. Runs may take longer.",
    default: 30_000,
  }),
  nackWait: f.duration({ doc: "Delay before a failed message is redelivered.", default: 5000 }),
  maxDeliver: f.integer({ doc: "Maximum number of deliveries before a message becomes a dead letter; overrides maximumRedeliveries.", min: 1 }),
  maximumRedeliveries: f.integer({
    doc: "Maximum number of redeliveries before a failed message of a stream becomes a dead letter; -1 for no limit.",
    default: 5,
    min: -1,
  }),
  poolSize: f.integer({ doc: "How many messages are processed concurrently, with JetStream or a queue group.", default: 10, min: 1, max: 1000 }),
  pullBatchSize: f.integer({ doc: "Maximum number of messages per fetch; limited to the number that can be processed.", default: 10, min: 1, max: 1000 }),
  pullFetchTimeout: f.duration({ doc: "How long a fetch waits for messages; at least one second.", default: 1000 }),
  queueName: f.string({ doc: "Queue group: each message goes to one member. Not used with JetStream." }),
  maxMessages: f.integer({ doc: "Ends the subscription after this many messages. Not used with JetStream.", min: 1 }),
  replyToDisabled: f.boolean({ doc: "Whether requests for a reply are ignored.", default: false }),
  replySubject: f.string({ doc: "Subject that receivers send replies to." }),
  requestTimeout: f.duration({ doc: "Timeout for a reply (InOut) and for the acknowledgement of a stream.", default: 20_000 }),
  flushConnection: f.boolean({ doc: "Whether sending waits until the server has received the message.", default: true }),
  flushTimeout: f.duration({ doc: "Timeout for flushing.", default: 1000 }),
  exchangePattern: f.enum(["InOnly", "InOut"], {
    doc: "InOut makes a sink wait for a reply; in a source, it makes steps such as `to: seda:` wait for one.",
    group: "advanced",
  }),
  reconnect: f.boolean({
    doc: "Whether a source reconnects. If false, its route stays Failed after the first failure until it is restarted.",
    default: true,
    group: "advanced",
  }),
  maxReconnectAttempts: f.integer({
    doc: "How many times a source tries to reconnect before its route stays Failed until it is restarted; -1 for no limit. Unlike in Camel, there is no limit by default.",
    default: -1,
    min: -1,
    group: "advanced",
  }),
  reconnectTimeWait: f.duration({ doc: "Maximum delay between reconnect attempts.", default: 2000, group: "advanced" }),
  manualAck: falseOnlyOption(noManualAck),
  pedantic: ignoredOption("the client always validates subjects"),
  verbose: ignoredOption("the protocol's own acknowledgements are not used"),
  requestCleanupInterval: ignoredOption("requests are removed on timeout"),
  pullSubscription: ignoredOption("streams always use pull consumers"),
  bridgeErrorHandler: ignoredOption("failures of a message always reach the route's error handler"),
  jetstreamAsync: ignoredOption("sending never blocks"),
  traceConnection: ignoredOption("connections are shown in the log and in health checks"),
  consumerConfiguration: f.unsupported(needsJava),
  exceptionHandler: f.unsupported(needsJava),
  headerFilterStrategy: f.unsupported(needsJava),
  ...sinkFields,
};

export type NatsOptions = Values<typeof natsPath> & Values<typeof natsOptions>;
