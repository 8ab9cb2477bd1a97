import type * as Mqtt from "mqtt";
import { defineConnection, FlowError, type ClientPackage } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { jsonMapOf } from "../messaging/connection-options.ts";
import { tlsField, certificateOptions } from "../tls/tls-field.ts";
import { MqttLinks, type MqttVersion } from "./mqtt-links.ts";
import { webSocketHeadersField } from "./paho-options.ts";

const clientPackage: ClientPackage = { package: "mqtt", version: "5.16.0", reason: "the MQTT client" };

export const mqttConnectionFields = {
  brokerUrl: f.string({ doc: "The address of the broker: `tcp:`, `ssl:`, `ws:` or `wss:`.", default: "tcp://localhost:1883" }),
  serverURIs: f.string({ doc: "Addresses of several brokers, separated by commas and tried in order; overrides brokerUrl." }),
  clientId: f.string({ doc: "Client id of sources; sinks append `_out`, because a broker allows one connection per client id." }),
  userName: f.string({ doc: "The user name.", group: "security" }),
  password: f.text({ doc: "The password.", secret: true, group: "security" }),
  tls: tlsField,
  connectionTimeout: f.integer({ doc: "Timeout for connecting, in seconds.", default: 30, min: 1, max: 3600 }),
  keepAliveInterval: f.integer({ doc: "Keep-alive interval, in seconds.", default: 60, min: 1, max: 65_535 }),
  customWebSocketHeaders: webSocketHeadersField,
} as const;

export const mqttConnection = defineConnection({
  type: "mqtt",
  title: "MQTT",
  summary: "An MQTT 3.1.1 or MQTT 5 broker.",
  group: "messaging",
  icon: "queue",
  since: "0.2",
  kinds: ["mqtt"],
  fields: mqttConnectionFields,
  verifiedAgainst: ["Mosquitto 2.0"],
  needs: [clientPackage],
  async open(values, context): Promise<MqttLinks> {
    const module = await context.load<typeof Mqtt & { default?: typeof Mqtt }>(clientPackage);
    const { userName, password, clientId } = values;
    const urls = (values.serverURIs ?? values.brokerUrl).split(",").map((url) => url.trim());
    const invalidUrl = urls.find((url) => !/^(tcp|ssl|mqtts?|wss?):\/\//i.test(url));
    if (invalidUrl !== undefined)
      throw new FlowError(
        "java.lang.IllegalArgumentException",
        `an MQTT broker address cannot start with '${scheme(invalidUrl)}': use tcp:, ssl:, ws: or wss:`,
        {
          code: "mqtt-address",
        },
      );
    const links = new MqttLinks(
      module.default ?? module,
      {
        urls,
        clientId,
        options: {
          connectTimeout: values.connectionTimeout * 1000,
          keepalive: values.keepAliveInterval,
          ...(userName === undefined ? {} : { username: userName }),
          ...(password === undefined ? {} : { password }),
          ...certificateOptions(values.tls),
          ...(values.customWebSocketHeaders === undefined
            ? {}
            : { wsOptions: { headers: jsonMapOf("customWebSocketHeaders", values.customWebSocketHeaders) } }),
        },
      },
      context.disconnected,
    );
    try {
      await links.publisher(await negotiateVersion(links));
    } catch (error) {
      const { message, code } = error as Error & { readonly code?: unknown };
      throw new FlowError("java.io.IOException", message, { code: "mqtt-connect", retryable: !authenticationErrorCodes.has(code), cause: error });
    }
    return links;
  },
  close: (links) => links.close(),
  cannotBrowse:
    "MQTT has no command that lists topics, which exist only in messages and subscriptions; enter the name, or list the topics in use with `mosquitto_sub -v -t '#'`",
  check: async (links) => `MQTT ${(await links.ping()) === 5 ? "5" : "3.1.1"}`,
});

/** The part of an address that contains no password. */
const scheme = (url: string): string => /^[\w+.-]*:?/.exec(url)?.[0] ?? "";

/** Reason codes of MQTT 3.1.1 and 5: bad user name or password, not authorized. */
const authenticationErrorCodes: ReadonlySet<unknown> = new Set([4, 5, 134, 135]);

/** Version 5 unless the broker does not support it. */
async function negotiateVersion(links: MqttLinks): Promise<MqttVersion> {
  try {
    await links.publisher(5);
    return 5;
  } catch (error) {
    if (/protocol version/i.test((error as Error).message)) return 4;
    throw error;
  }
}
