import type * as KafkaJS from "kafkajs";
import { CompileError, defineConnection, FlowError, type ClientPackage } from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";
import { tlsField, certificateOptions } from "../tls/tls-field.ts";
import type { KafkaClient } from "./kafka-client.ts";
import { openKafkajs, type KafkaLibrary } from "./kafkajs-client.ts";
import { oauthTokens } from "./oauth-tokens.ts";

const clientPackage: ClientPackage = { package: "kafkajs", version: "2.2.4", reason: "the Kafka client" };

export const kafkaConnectionFields = {
  brokers: f.string({ doc: "Bootstrap addresses of brokers, separated by commas; further brokers are discovered.", default: "localhost:9092" }),
  clientId: f.string({ doc: "Client id, shown in the logs of the brokers.", default: "sluice" }),
  securityProtocol: f.enum(["PLAINTEXT", "SASL_PLAINTEXT", "SASL_SSL", "SSL"], {
    doc: "Whether TLS and SASL authentication are used.",
    default: "PLAINTEXT",
    group: "security",
  }),
  saslAuthType: f.enum(["NONE", "PLAIN", "SCRAM_SHA_256", "SCRAM_SHA_512", "SSL", "OAUTH"], {
    doc: "Shorthand for securityProtocol and saslMechanism.",
    group: "security",
  }),
  saslMechanism: f.string({ doc: "PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or OAUTHBEARER.", group: "security" }),
  saslUsername: f.string({ doc: "The user name.", group: "security" }),
  saslPassword: f.text({ doc: "The password.", secret: true, group: "security" }),
  saslJaasConfig: f.text({ doc: "Java login configuration; only the user name and password are used.", secret: true, group: "security" }),
  oauthTokenEndpointUri: f.string({ doc: "Token endpoint, called with client credentials.", group: "security" }),
  oauthClientId: f.string({ doc: "OAuth client id.", group: "security" }),
  oauthClientSecret: f.text({ doc: "OAuth client secret.", secret: true, group: "security" }),
  oauthScope: f.string({ doc: "OAuth scope.", group: "security" }),
  sslEndpointAlgorithm: f.string({
    doc: "`https` verifies the broker's host name against its certificate; an empty value, `none` or `false` does not.",
    default: "https",
    group: "security",
  }),
  tls: tlsField,
  requestTimeoutMs: f.duration({ doc: "Timeout for responses of a broker.", default: 30_000, group: "advanced" }),
} as const;

type KafkaValues = Values<typeof kafkaConnectionFields>;

export const kafkaConnection = defineConnection({
  type: "kafka",
  title: "Kafka",
  summary: "A Kafka cluster or a compatible system.",
  group: "messaging",
  icon: "queue",
  since: "0.2",
  kinds: ["kafka"],
  fields: kafkaConnectionFields,
  verifiedAgainst: ["the mock broker of librdkafka 2.0"],
  needs: [clientPackage],
  async open(values, context): Promise<KafkaClient> {
    const module = await context.load<KafkaLibrary & { default?: KafkaLibrary }>(clientPackage);
    const login = loginOf(values);
    const sasl = saslOf(login, values, context.host.clock.now);
    return openKafkajs(module.default ?? module, {
      brokers: values.brokers.split(",").map((broker) => broker.trim()),
      clientId: values.clientId,
      ssl: login.tls && { ...certificateOptions(values.tls), ...(skipsHostName(values) ? { checkServerIdentity: () => undefined } : {}) },
      sasl,
      connectionTimeoutMs: 5000,
      requestTimeoutMs: values.requestTimeoutMs,
    }).catch((error: unknown) => {
      const { name, message } = error as Error;
      throw new FlowError("org.apache.kafka.common.KafkaException", message, { code: "kafka-connect", retryable: !name.includes("SASL") });
    });
  },
  close: (client) => client.close(),
  check: async (client) => `Kafka (brokers: ${await client.ping()})`,
  browses: ["topics"],
  async browse(client, what, prefix, limit) {
    if (what !== "topics") return [];
    // Names with two underscores belong to the brokers.
    const topics = (await client.topics()).filter((topic) => topic.startsWith(prefix) && !topic.startsWith("__"));
    return topics.toSorted().slice(0, limit);
  },
});

interface Login {
  readonly tls: boolean;
  readonly mechanism: string | undefined;
}

function loginOf({ saslAuthType: type, securityProtocol, saslMechanism, tls }: KafkaValues): Login {
  const isTls = securityProtocol.endsWith("SSL") || tls !== undefined;
  if (type === undefined || type === "NONE") return { tls: isTls, mechanism: securityProtocol.startsWith("SASL") ? (saslMechanism ?? "PLAIN") : undefined };
  if (type === "SSL") return { tls: true, mechanism: undefined };
  // As in Camel, SASL uses TLS unless the protocol says otherwise.
  return { tls: securityProtocol !== "SASL_PLAINTEXT", mechanism: type === "OAUTH" ? "OAUTHBEARER" : type.replaceAll("_", "-") };
}

function saslOf({ mechanism }: Login, values: KafkaValues, now: () => number): KafkaJS.SASLOptions | undefined {
  if (mechanism === undefined) return undefined;
  if (mechanism === "OAUTHBEARER") return { mechanism: "oauthbearer", oauthBearerProvider: oauthTokens(values, now) };
  const kind = mechanism.toLowerCase();
  if (kind !== "plain" && kind !== "scram-sha-256" && kind !== "scram-sha-512")
    throw new CompileError("option-invalid", `saslMechanism '${mechanism}' is not supported`, {
      hint: "use PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or OAUTHBEARER",
    });
  return {
    mechanism: kind,
    username: values.saslUsername ?? jaasValue(values.saslJaasConfig, "username") ?? "",
    password: values.saslPassword ?? jaasValue(values.saslJaasConfig, "password") ?? "",
  };
}

/** Users of the Java client write `none` or `false`; the client itself accepts an empty value. */
const skipsHostName = ({ sslEndpointAlgorithm }: KafkaValues): boolean => ["", "none", "false"].includes(sslEndpointAlgorithm.trim().toLowerCase());

/** A value may contain the other kind of quotation mark. */
export const jaasValue = (config: string | undefined, name: string): string | undefined =>
  new RegExp(`\\b${name}\\s*=\\s*(["'])(.*?)\\1`).exec(config ?? "")?.[2];
