import { CompileError, FlowError, isFlowError, type Connection, type Endpoint, type Exchange, type Host, type Sink } from "@sluice/engine/spi";
import { cancelledError } from "@sluice/engine/tools";
import { CancellableDelays } from "../messaging/incoming.ts";
import { headersOf, payloadOf } from "../messaging/outgoing.ts";
import { InflightLimit } from "./inflight-limit.ts";
import type { ConfirmationLimit, MqttLinks, Publication } from "./mqtt-links.ts";
import type { PahoDialect } from "./paho-dialect.ts";
import type { PahoOptions } from "./paho-options.ts";

const retryMs = 500;
const noBytes = Buffer.alloc(0);

export function pahoSink({ options, uri }: Endpoint<PahoOptions>, dialect: PahoDialect, connection: Connection<MqttLinks>, host: Host): Sink {
  const { clock } = host;
  const version = dialect.versionOf(options);
  const timeoutMs = (options.connectionTimeout ?? 30) * 1000;
  if (/[+#]/.test(options.topic))
    throw new CompileError("bad-option", `'${uri}' has a wildcard in its topic, so messages cannot be sent to it`, { option: "topic" });

  const mqttError = (topic: string, message: string, code: string, attributes: { retryable: boolean; details?: Record<string, unknown> }): FlowError =>
    new FlowError(dialect.exception, `MQTT, topic '${topic}': ${message}`, { code, ...attributes });
  const limit: ConfirmationLimit = {
    clock,
    ms: timeoutMs,
    timeoutError: ({ topic }) => mqttError(topic, `no confirmation from the broker within ${timeoutMs} ms`, "mqtt-timeout", { retryable: true }),
  };

  const inflight = options.maxInflight === undefined ? undefined : new InflightLimit(options.maxInflight);

  /** Messages are not queued while the broker is disconnected: sending waits for the connection, up to its timeout. */
  const waitForConnection = async ({ run }: Exchange, failure: unknown): Promise<MqttLinks> => {
    const until = clock.monotonic() + timeoutMs;
    const waits = new CancellableDelays(clock);
    const end = (): void => waits.end();
    run.signal.addEventListener("abort", end, { once: true });
    try {
      for (let error = failure; ;) {
        if (!mayRecover(error) || clock.monotonic() + retryMs > until) throw error;
        await waits.wait(retryMs);
        if (waits.isOver) throw cancelledError(run.signal);
        try {
          return await connection.client();
        } catch (caught) {
          error = caught;
        }
      }
    } finally {
      run.signal.removeEventListener("abort", end);
    }
  };

  return {
    async send(exchange) {
      const payload = payloadOf(exchange.message.body);
      const publication = publicationOf(exchange, (payload instanceof Promise ? await payload : payload) ?? noBytes, options, dialect);
      let links: MqttLinks;
      try {
        links = await connection.client();
      } catch (error) {
        links = await waitForConnection(exchange, error);
      }
      try {
        const publish = (): Promise<void> => links.publish(version, publication, limit);
        await (inflight === undefined ? publish() : inflight.run(exchange.run.signal, publish));
      } catch (error) {
        if (isFlowError(error)) throw error;
        const { message, code } = error as Error & { code?: unknown };
        const isRefused = typeof code === "number" && code >= 128;
        throw mqttError(publication.topic, message, isRefused ? "mqtt-refused" : "mqtt-failed", { retryable: !isRefused, details: { reasonCode: code } });
      }
    },
  };
}

/** False when the broker rejected the login: waiting does not help. */
function mayRecover(error: unknown): boolean {
  return isFlowError(error) && error.retryable && (!isFlowError(error.cause) || error.cause.retryable);
}

function publicationOf(exchange: Exchange, payload: Buffer, options: PahoOptions, dialect: PahoDialect): Publication {
  const { headers } = exchange.message;
  const override = headers.getOwn(dialect.overrideTopic);
  if (override !== undefined) headers.delete(dialect.overrideTopic);
  const topic = typeof override === "string" && override !== "" ? override : options.topic;
  if (/[+#\0]/.test(topic))
    throw new FlowError(dialect.exception, `'${topic}' contains a wildcard or a NUL character: a message can be sent only to the name of one topic`, {
      code: "mqtt-bad-topic",
      details: { reasonCode: 144 },
    });
  const qos = Number(headers.getOwn(dialect.qos) ?? options.qos);
  const retained = headers.getOwn(dialect.retained);
  return {
    topic,
    payload,
    qos: qos === 0 || qos === 1 ? qos : 2,
    retain: retained === undefined ? options.retained : retained === true || retained === "true",
    properties: dialect.properties === undefined ? undefined : propertiesOf(exchange, headers.getOwn(dialect.properties)),
  };
}

/** The client never sends a message whose user properties are empty, so they are omitted then. */
function propertiesOf(exchange: Exchange, header: unknown): Publication["properties"] {
  const user = headersOf(exchange);
  if (user.length === 0) return header === undefined ? undefined : messageProperties(header);
  return { ...messageProperties(header), userProperties: Object.fromEntries(user) };
}

/** The properties a route may set, as a map with the protocol's names. */
function messageProperties(header: unknown): Record<string, unknown> {
  if (typeof header !== "object" || header === null) return {};
  const { contentType, responseTopic, correlationData, messageExpiryInterval, payloadFormatIndicator } = header as Record<string, unknown>;
  return {
    ...(typeof contentType === "string" ? { contentType } : {}),
    ...(typeof responseTopic === "string" ? { responseTopic } : {}),
    ...(typeof correlationData === "string" || correlationData instanceof Uint8Array ? { correlationData: Buffer.from(correlationData as string) } : {}),
    ...(typeof messageExpiryInterval === "number" ? { messageExpiryInterval } : {}),
    ...(typeof payloadFormatIndicator === "boolean" ? { payloadFormatIndicator } : {}),
  };
}
