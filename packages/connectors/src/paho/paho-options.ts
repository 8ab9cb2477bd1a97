import { f, type Values } from "@sluice/model";
import { sinkFields } from "../camel-options.ts";
import { connectionField, falseOnlyOption, ignoredOption, needsJava, noManualAck, tlsInConnection } from "../messaging/connection-options.ts";

/** Secret, because these headers usually contain credentials. */
export const webSocketHeadersField = f.string({
  doc: "Additional headers for `ws:` and `wss:` connections, as a JSON object.",
  examples: ['{"Authorization":"Bearer {{mqtt.token}}"}'],
  secret: true,
  group: "advanced",
});

export const pahoPath = {
  topic: f.string({
    doc: "The topic; a source may use the wildcards `+` and `#`, and `$share/group/topic`.",
    required: true,
    examples: ["sensors/temperature", "sensors/+/temperature"],
  }),
};

const sharedOptions = {
  connection: connectionField("mqtt"),
  brokerUrl: f.string({
    doc: "The address of the broker: `tcp:`, `ssl:`, `ws:` or `wss:`. Defaults to the connection's address.",
    examples: ["tcp://localhost:1883"],
  }),
  serverURIs: f.string({ doc: "Addresses of several brokers, separated by commas and tried in order." }),
  clientId: f.string({ doc: "Client id of the source, which identifies its session; by default that of the connection, else `sluice-<flow>-<route>`." }),
  userName: f.string({ doc: "The user name.", secret: true, group: "security" }),
  password: f.string({ doc: "The password.", secret: true, group: "security" }),
  connectionTimeout: f.integer({
    doc: "Timeout for connecting and, in a sink, for the confirmation of a message, in seconds; 30 by default.",
    min: 1,
    max: 3600,
    group: "advanced",
  }),
  keepAliveInterval: f.integer({ doc: "Keep-alive interval, in seconds; 60 by default.", min: 1, max: 65_535, group: "advanced" }),
  qos: f.integer({
    doc: "MQTT quality of service. With 0 a message can be lost; with 1 and 2 it can be processed more than once after a failure.",
    default: 2,
    min: 0,
    max: 2,
  }),
  retained: f.boolean({ doc: "Whether the broker retains the last message of the topic for new subscribers.", default: false }),
  willTopic: f.string({ doc: "Topic of the last-will message, which the broker sends when the source's connection is lost.", group: "advanced" }),
  willPayload: f.string({ doc: "Body of the last-will message.", group: "advanced" }),
  willRetained: f.boolean({ doc: "Whether the last-will message is retained.", default: false, group: "advanced" }),
  exchangePattern: f.enum(["InOnly", "InOut"], {
    doc: "InOut makes steps such as `to: seda:` wait for a reply.",
    default: "InOnly",
    group: "advanced",
  }),
  automaticReconnect: f.boolean({
    doc: "Whether a source reconnects. If false, its route stays Failed after the first failure until it is restarted.",
    default: true,
    group: "advanced",
  }),
  maxReconnectDelay: f.duration({
    doc: "Maximum delay between reconnect attempts. Values above 4 seconds are treated as 4 seconds.",
    default: 128_000,
    group: "advanced",
  }),
  manualAcksEnabled: falseOnlyOption(noManualAck),
  persistence: ignoredOption("unacknowledged messages stay on the broker; if messages must survive a crash, send them through `queue:` first"),
  filePersistenceDirectory: ignoredOption("unacknowledged messages stay on the broker"),
  executorServiceTimeout: ignoredOption("there is no thread pool"),
  httpsHostnameVerificationEnabled: ignoredOption("the host name of a broker is always verified"),
  bridgeErrorHandler: ignoredOption("failures of a message always reach the route's error handler"),
  customWebSocketHeaders: webSocketHeadersField,
  exceptionHandler: f.unsupported(needsJava),
  client: f.unsupported(needsJava),
  socketFactory: f.unsupported(tlsInConnection),
  sslClientProps: f.unsupported(tlsInConnection),
  sslHostnameVerifier: f.unsupported(tlsInConnection),
  ...sinkFields,
};

export const pahoOptions = {
  ...sharedOptions,
  cleanSession: f.boolean({
    doc: "Whether the broker discards the session when the source disconnects. With false it stores messages for the source.",
    default: true,
  }),
  mqttVersion: f.integer({ doc: "Protocol version: 3 for MQTT 3.1, 4 and 0 for 3.1.1.", default: 0, min: 0, max: 4, group: "advanced" }),
  maxInflight: f.integer({
    doc: "Maximum number of messages of a sink that the broker has not confirmed; further messages wait. Unlike in Camel, there is no limit by default.",
    min: 1,
    max: 65_535,
    group: "advanced",
  }),
  willQos: f.integer({ doc: "Quality of service of the last-will message.", default: 1, min: 0, max: 2, group: "advanced" }),
};

export const pahoMqtt5Options = {
  ...sharedOptions,
  cleanStart: f.boolean({
    doc: "Whether the broker discards an existing session when the source connects. With false it stores messages while the source is disconnected.",
    default: true,
  }),
  sessionExpiryInterval: f.integer({
    doc: "How many seconds the broker stores the session of a disconnected source; by default forever with cleanStart=false, otherwise not at all.",
    default: -1,
    min: -1,
    max: 4_294_967_295,
  }),
  receiveMaximum: f.integer({
    doc: "Maximum number of unacknowledged messages the broker sends.",
    default: 65_535,
    min: 1,
    max: 65_535,
    group: "advanced",
  }),
  willQos: f.integer({ doc: "Quality of service of the last-will message.", default: 1, min: 0, max: 2, group: "advanced" }),
  willMqttProperties: ignoredOption("properties of the last-will message are not supported"),
};

export type PahoOptions = Values<typeof pahoPath> &
  Values<typeof sharedOptions> &
  Partial<Values<Pick<typeof pahoOptions, "cleanSession" | "mqttVersion" | "maxInflight">>> &
  Partial<Values<Pick<typeof pahoMqtt5Options, "cleanStart" | "sessionExpiryInterval" | "receiveMaximum">>> &
  Values<Pick<typeof pahoOptions, "willQos">>;
