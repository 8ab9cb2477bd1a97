import { f, type Values } from "@sluice/model";
import { sinkFields } from "../camel-options.ts";
import { ignoredOption, connectionField, needsJava, tlsInConnection } from "../messaging/connection-options.ts";

export const kafkaPath = {
  topic: f.string({
    doc: "Topic; a source may name several, separated by commas, or a pattern.",
    required: true,
    examples: ["orders"],
    browse: { what: "topics" },
  }),
};

const keyStores = "it refers to a Java key store; use PEM text in the connection (tls.ca, tls.cert, tls.key)";
const kerberos = "it configures Kerberos; use SCRAM, PLAIN, OAUTH or a client certificate";
const registries = "it refers to a schema registry";

const addressOptions = {
  connection: connectionField("kafka"),
  brokers: f.string({ doc: "Bootstrap addresses of brokers, separated by commas. Defaults to the connection's addresses.", examples: ["localhost:9092"] }),
  clientId: f.string({ doc: "Client id, shown in the logs of the brokers." }),
  securityProtocol: f.string({ doc: "PLAINTEXT, SASL_PLAINTEXT, SASL_SSL or SSL; PLAINTEXT by default.", group: "security" }),
  saslAuthType: f.string({
    doc: "Shorthand for securityProtocol and saslMechanism: NONE, PLAIN, SCRAM_SHA_256, SCRAM_SHA_512, SSL or OAUTH.",
    group: "security",
  }),
  saslMechanism: f.string({ doc: "PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or OAUTHBEARER.", group: "security" }),
  saslUsername: f.string({ doc: "The user name.", group: "security" }),
  saslPassword: f.string({ doc: "The password.", secret: true, group: "security" }),
  saslJaasConfig: f.string({ doc: "Java login configuration; only the user name and password are used.", secret: true, group: "security" }),
  oauthTokenEndpointUri: f.string({ doc: "Token endpoint, called with client credentials.", group: "security" }),
  oauthClientId: f.string({ doc: "OAuth client id.", group: "security" }),
  oauthClientSecret: f.string({ doc: "OAuth client secret.", secret: true, group: "security" }),
  oauthScope: f.string({ doc: "OAuth scope.", group: "security" }),
  sslEndpointAlgorithm: f.string({ doc: "`https`, the default, verifies the broker's host name against its certificate.", group: "security" }),
};

const unsupportedOptions = {
  ...Object.fromEntries(
    ["headerFilterStrategy", "headerDeserializer", "exceptionHandler", "headerSerializer", "workerPool", "kafkaClientFactory"].map((name) => [
      name,
      f.unsupported(needsJava),
    ]),
  ),
  ...Object.fromEntries(
    ["sslKeymanagerAlgorithm", "sslKeyPassword", "sslKeystoreLocation", "sslKeystorePassword", "sslKeystoreType", "sslTrustmanagerAlgorithm"].map((name) => [
      name,
      f.unsupported(keyStores),
    ]),
  ),
  ...Object.fromEntries(["sslTruststoreLocation", "sslTruststorePassword", "sslTruststoreType"].map((name) => [name, f.unsupported(keyStores)])),
  ...Object.fromEntries(["kerberosBeforeReloginMinTime", "kerberosConfigLocation", "kerberosInitCmd"].map((name) => [name, f.unsupported(kerberos)])),
  ...Object.fromEntries(["kerberosPrincipalToLocalRules", "kerberosRenewJitter", "kerberosRenewWindowFactor"].map((name) => [name, f.unsupported(kerberos)])),
  saslKerberosServiceName: f.unsupported(kerberos),
  ...Object.fromEntries(
    ["sslCipherSuites", "sslContextParameters", "sslEnabledProtocols", "sslProtocol", "sslProvider"].map((name) => [name, f.unsupported(tlsInConnection)]),
  ),
  groupRemoteAssignor: f.unsupported("it applies only to groupProtocol=consumer"),
  offsetRepository: f.unsupported(
    "offsets are stored in the consumer group; remove the option, and set groupId to keep the position under a name of your choice",
  ),
  schemaRegistryURL: f.unsupported(registries),
  transacted: f.unsupported("it needs Kafka transactions; use an idempotentConsumer in the receiving route"),
  transactionalId: f.unsupported("it needs Kafka transactions; use an idempotentConsumer in the receiving route"),
};

const ignoredOptions = {
  checkCrcs: ignoredOption("the client always verifies checksums"),
  specificAvroReader: ignoredOption("Avro is not supported"),
  bridgeErrorHandler: ignoredOption("failures of a message always reach the route's error handler"),
  bufferMemorySize: ignoredOption("runs wait for their records, so the in-flight limit also limits records"),
  connectionMaxIdleMs: ignoredOption("brokers close idle connections"),
  maxBlockMs: ignoredOption("sending is limited by deliveryTimeoutMs"),
  metricReporters: ignoredOption("the runtime has its own metrics"),
  metricsSampleWindowMs: ignoredOption("the runtime has its own metrics"),
  noOfMetricsSample: ignoredOption("the runtime has its own metrics"),
  partitionerIgnoreKeys: ignoredOption("records with a key are partitioned by it"),
  queueBufferingMaxMessages: ignoredOption("runs wait for their records"),
  receiveBufferBytes: ignoredOption("the operating system sets this value"),
  sendBufferBytes: ignoredOption("the operating system sets this value"),
  workerPoolCoreSize: ignoredOption("there is no thread pool"),
  workerPoolMaxSize: ignoredOption("there is no thread pool"),
  synchronous: ignoredOption("sending never blocks"),
  interceptorClasses: ignoredOption("it names Java classes"),
  allowManualCommit: ignoredOption("offsets are committed after the runs of their records are done"),
  kafkaManualCommitFactory: ignoredOption("offsets are committed after the runs of their records are done"),
  groupInstanceId: ignoredOption("the client does not support static membership"),
  pollTimeoutMs: ignoredOption("records are delivered as they arrive"),
  shutdownTimeout: ignoredOption("the runtime's SERVICE_DRAIN_MS applies"),
  additionalProperties: ignoredOption("write each setting of the Java client as `additionalProperties.name=value`"),
};

const codecs = ["String", "ByteArray", "Integer", "Long"] as const;
const classes = (kind: string): readonly string[] => codecs.map((name) => `org.apache.kafka.common.serialization.${name}${kind}`);
const deserializers = classes("Deserializer") as unknown as readonly [string, ...string[]];
const serializers = classes("Serializer") as unknown as readonly [string, ...string[]];
const stringDeserializer = "org.apache.kafka.common.serialization.StringDeserializer";
const stringSerializer = "org.apache.kafka.common.serialization.StringSerializer";

const sourceOptions = {
  groupId: f.string({ doc: "Consumer group, whose members share the partitions; `sluice-<flow>-<route>` by default." }),
  autoOffsetReset: f.enum(["latest", "earliest", "none"], {
    doc: "Where a group without an offset starts. With `none`, the source fails instead.",
    default: "latest",
  }),
  seekTo: f.enum(["BEGINNING", "END"], { doc: "Where the route starts reading each time it starts; overrides the group's offset." }),
  topicIsPattern: f.boolean({
    doc: "Whether the topic is a regular expression, matched against the topics that exist when the source connects.",
    default: false,
  }),
  consumersCount: f.integer({
    doc: "How many partitions are processed concurrently; messages of one partition are always processed one at a time.",
    default: 1,
    min: 1,
    max: 1000,
  }),
  breakOnFirstError: f.boolean({
    doc: "Whether a failed message is redelivered before later ones. Otherwise it becomes a dead letter and the source continues.",
    default: false,
  }),
  maximumRedeliveries: f.integer({
    doc: "With breakOnFirstError, the maximum number of redeliveries before a message becomes a dead letter; -1 for no limit.",
    default: 5,
    min: -1,
  }),
  batching: f.boolean({ doc: "Whether the body is a list of the values of several records; they succeed or fail together.", default: false }),
  batchingIntervalMs: f.duration({
    doc: "How long a batch waits for maxPollRecords records of its partition. By default, a batch contains the records of one fetch.",
  }),
  maxPollRecords: f.integer({ doc: "Maximum number of records in a batch.", default: 500, min: 1 }),
  keyDeserializer: f.enum(deserializers, { doc: "Deserializer for keys.", default: stringDeserializer }),
  valueDeserializer: f.enum(deserializers, { doc: "Deserializer for values.", default: stringDeserializer }),
  autoCommitIntervalMs: f.duration({
    doc: "How often offsets are committed during a batch; after the batch, they are committed within 100 ms.",
    default: 5000,
    group: "advanced",
  }),
  autoCommitEnable: f.boolean({
    doc: "Offsets always advance only past messages whose runs are done. If false, messages also have the header CamelKafkaLastRecordBeforeCommit.",
    default: true,
    group: "advanced",
  }),
  reconnectBackoffMs: f.duration({ doc: "First delay before a source reconnects, doubled for each further attempt; 250 ms by default.", group: "advanced" }),
  reconnectBackoffMaxMs: f.duration({ doc: "Maximum delay before a source reconnects; 4 s by default.", group: "advanced" }),
  fetchMinBytes: f.size({ doc: "Minimum number of bytes that a fetch waits for.", default: 1, group: "advanced" }),
  fetchMaxBytes: f.size({ doc: "Maximum size of a fetch.", default: 52_428_800, group: "advanced" }),
  maxPartitionFetchBytes: f.size({ doc: "Maximum size of a fetch from one partition.", default: 1_048_576, group: "advanced" }),
  fetchWaitMaxMs: f.duration({ doc: "Maximum time that a fetch waits for records.", default: 500, group: "advanced" }),
  sessionTimeoutMs: f.duration({ doc: "How long the group waits for a heartbeat before it reassigns the partitions.", default: 45_000, group: "advanced" }),
  heartbeatIntervalMs: f.duration({ doc: "Interval of heartbeats, which are also sent during long runs.", default: 3000, group: "advanced" }),
  maxPollIntervalMs: f.duration({ doc: "How long members may take to rejoin the group during a rebalance.", group: "advanced" }),
  isolationLevel: f.enum(["read_uncommitted", "read_committed"], {
    doc: "Whether records of open and aborted transactions are read.",
    default: "read_uncommitted",
    group: "advanced",
  }),
  partitionAssignor: f.string({
    doc: "The assignor of the Java client. RoundRobinAssignor and RangeAssignor are accepted; partitions are assigned round robin with both.",
    group: "advanced",
  }),
  pollOnError: f.enum(["DISCARD", "ERROR_HANDLER", "RECONNECT", "RETRY", "STOP"], {
    doc: "What happens when the consumer fails. `STOP`: the route stays Failed until it is restarted, unless only the connection was lost. Otherwise the source reports the failure, and a new consumer continues at the committed offsets.",
    default: "ERROR_HANDLER",
    group: "advanced",
  }),
  commitTimeoutMs: f.duration({ doc: "Timeout for committing offsets. A failed commit is repeated.", default: 5000, group: "advanced" }),
  consumerRequestTimeoutMs: f.duration({
    doc: "Timeout for responses of a broker, if the endpoint contains the address. A connection has its own requestTimeoutMs.",
    default: 30_000,
    group: "advanced",
  }),
  preValidateHostAndPort: f.boolean({
    doc: "Whether a deployment fails when an address in brokers is not of the form host:port or its host name cannot be resolved. Unlike in Camel, false by default.",
    default: false,
    group: "advanced",
  }),
  groupProtocol: f.enum(["classic"], { doc: "How the group is coordinated; only classic is supported.", default: "classic", group: "advanced" }),
  exchangePattern: f.enum(["InOnly", "InOut"], {
    doc: "InOut makes steps such as `to: seda:` wait for a reply.",
    default: "InOnly",
    group: "advanced",
  }),
};

const sinkOptions = {
  key: f.string({ doc: "Key of every record; the header CamelKafkaKey overrides it." }),
  partitionKey: f.integer({ doc: "Partition of every record; the header CamelKafkaPartitionKey overrides it.", min: 0 }),
  requestRequiredAcks: f.enum(["all", "-1", "0", "1"], { doc: "How many brokers must have a record before the send is done.", default: "all" }),
  compressionCodec: f.enum(["none", "gzip"], { doc: "How records are compressed; snappy, lz4 and zstd are not supported.", default: "none" }),
  lingerMs: f.duration({ doc: "How long records are collected into one request.", default: 5 }),
  producerBatchSize: f.size({ doc: "Size at which a request is sent immediately.", default: 16_384 }),
  maxRequestSize: f.size({ doc: "Maximum size of a record and of a request.", default: 1_048_576 }),
  keySerializer: f.enum(serializers, { doc: "Serializer for keys.", default: stringSerializer }),
  valueSerializer: f.enum(serializers, { doc: "Serializer for values; lists and maps are written as JSON.", default: stringSerializer }),
  useIterator: f.boolean({ doc: "Whether a list is sent as one record per item.", default: true }),
  batchWithIndividualHeaders: f.boolean({
    doc: "Whether each record of a list of messages (such as the result of GroupedMessageAggregationStrategy) gets the headers of its own message; otherwise, every record gets the headers of the message that contains the list.",
    default: false,
  }),
  recordMetadata: f.boolean({
    doc: "Whether the header CamelKafkaRecordMeta is set to the topics, partitions and offsets of the stored records. Such records are not batched.",
    default: false,
  }),
  enableIdempotence: f.boolean({
    doc: "Whether brokers discard duplicates caused by retries. Unlike in Camel, false by default, because the client considers it experimental.",
    default: false,
  }),
  requestTimeoutMs: f.duration({ doc: "Timeout for a broker to store records.", default: 30_000, group: "advanced" }),
  deliveryTimeoutMs: f.duration({ doc: "Timeout for sending, including retries.", default: 120_000, group: "advanced" }),
  retries: f.integer({ doc: "Maximum number of retries; by default limited only by deliveryTimeoutMs.", min: 0, group: "advanced" }),
  retryBackoffMs: f.duration({ doc: "Delay before the first retry.", default: 100, group: "advanced" }),
  retryBackoffMaxMs: f.duration({ doc: "Maximum delay before a retry.", default: 1000, group: "advanced" }),
  maxInFlightRequest: f.integer({
    doc: "Maximum number of in-flight requests per broker; always 1 with enableIdempotence.",
    default: 5,
    min: 1,
    group: "advanced",
  }),
  partitioner: f.enum(["org.apache.kafka.clients.producer.internals.DefaultPartitioner"], {
    doc: "Accepted but ignored: records are partitioned by key, as in Java clients, unless partitionKey or the header CamelKafkaPartitionKey selects the partition.",
    group: "advanced",
  }),
  metadataMaxAgeMs: f.duration({ doc: "How long topic metadata is cached.", default: 300_000, group: "advanced" }),
};

export const kafkaOptions = { ...addressOptions, ...sourceOptions, ...sinkOptions, ...sinkFields, ...ignoredOptions, ...unsupportedOptions };

export type KafkaOptions = Values<typeof kafkaPath> & Values<typeof addressOptions & typeof sourceOptions & typeof sinkOptions>;
