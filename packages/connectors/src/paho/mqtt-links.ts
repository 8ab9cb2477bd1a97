// The MQTT clients of one configured connection: one per protocol version for sending, and one for each source.
import type * as Mqtt from "mqtt";
import { randomUUID } from "node:crypto";
import type { Clock } from "@sluice/engine/spi";
import { combineUntilImmediate } from "../messaging/combine-writes.ts";

/** 4 is MQTT 3.1.1, 3 is MQTT 3.1. */
export type MqttVersion = 3 | 4 | 5;

export interface MqttSettings {
  readonly urls: readonly string[];
  readonly clientId: string | undefined;
  readonly options: Mqtt.IClientOptions;
}

export interface Publication {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: 0 | 1 | 2;
  readonly retain: boolean;
  readonly properties: Mqtt.IClientPublishOptions["properties"] | undefined;
}

/** The timeout for a confirmation, and the error when it expires. */
export interface ConfirmationLimit {
  readonly clock: Clock;
  readonly ms: number;
  timeoutError(publication: Publication): Error;
}

/** The client's debug log costs several calls for each packet even while it is off. */
const ignoreLog = (): void => undefined;

const lostBeforeConfirmation = "the connection was lost before the broker confirmed the message";

export class MqttLinks {
  readonly #mqtt: typeof Mqtt;
  readonly #settings: MqttSettings;
  readonly #disconnected: (problem: string) => void;
  readonly #publishers = new Map<MqttVersion, Promise<Mqtt.MqttClient>>();
  readonly #versionOf = new Map<Mqtt.MqttClient, MqttVersion>();
  /** The connected publishers, so that sending need not wait for a promise. */
  readonly #connected = new Map<MqttVersion, Mqtt.MqttClient>();
  /** Callbacks that fail the unconfirmed messages of each publisher. */
  readonly #unconfirmed = new WeakMap<Mqtt.MqttClient, Set<(problem: Error) => void>>();

  constructor(mqtt: typeof Mqtt, settings: MqttSettings, disconnected: (problem: string) => void) {
    this.#mqtt = mqtt;
    this.#settings = settings;
    this.#disconnected = disconnected;
  }

  get clientId(): string | undefined {
    return this.#settings.clientId;
  }

  /** The client that messages are sent with. */
  publisher(version: MqttVersion): Promise<Mqtt.MqttClient> {
    const existing = this.#publishers.get(version);
    if (existing !== undefined) return existing;
    const { clientId } = this.#settings;
    const opening = this.open(
      { clientId: clientId === undefined ? `sluice-${randomUUID().slice(0, 13)}` : `${clientId}_out`, clean: true, protocolVersion: version },
      (problem) => this.#disconnected(problem),
    );
    this.#publishers.set(version, opening);
    opening.then(
      (client) => {
        this.#versionOf.set(client, version);
        this.#connected.set(version, client);
        const unconfirmed = new Set<(problem: Error) => void>();
        this.#unconfirmed.set(client, unconfirmed);
        // The client would never settle messages in flight.
        client.once("close", () => {
          for (const fail of unconfirmed) fail(new Error(lostBeforeConfirmation));
        });
      },
      () => this.#publishers.delete(version),
    );
    return opening;
  }

  /** A dedicated client, connected to the first broker that responds. `lost` is called when the broker closes the connection. */
  async open(
    options: Mqtt.IClientOptions,
    lost: (problem: string) => void,
    prepare: (client: Mqtt.MqttClient) => void = () => undefined,
  ): Promise<Mqtt.MqttClient> {
    let failure: unknown;
    for (const url of this.#settings.urls)
      try {
        return await this.#connect(url, options, lost, prepare);
      } catch (error) {
        failure = error;
      }
    throw failure;
  }

  #connect(
    url: string,
    clientOptions: Mqtt.IClientOptions,
    lost: (problem: string) => void,
    prepare: (client: Mqtt.MqttClient) => void,
  ): Promise<Mqtt.MqttClient> {
    // The runtime reconnects and reports lost connections.
    const options = { ...this.#settings.options, ...clientOptions, reconnectPeriod: 0, resubscribe: false, manualConnect: true, log: ignoreLog };
    const client = this.#mqtt.connect(url.replace(/^tcp:/, "mqtt:").replace(/^ssl:/, "mqtts:"), options);
    prepare(client);
    return new Promise((resolve, reject) => {
      let problem = "the broker closed the connection";
      let code: unknown;
      let isConnected = false;
      client.on("error", (error) => {
        code = (error as { code?: unknown }).code;
        problem = error.message === "" ? String(code ?? error.name) : error.message;
      });
      client.on("disconnect", ({ reasonCode }) => (problem = `the broker ended the connection, reason ${String(reasonCode)}`));
      client.once("connect", () => {
        isConnected = true;
        // Disables Nagle's algorithm: small packets would wait for the TCP acknowledgement of the previous packet.
        (client.stream as { setNoDelay?: (isOn: boolean) => void }).setNoDelay?.(true);
        resolve(client);
      });
      client.once("close", () => {
        if (isConnected) return void (client.disconnecting || lost(problem));
        client.end(true);
        // The code shows whether a retry can succeed.
        reject(Object.assign(new Error(`${url.replace(/\/\/[^@/]*@/, "//")}: ${problem}`), { code }));
      });
      client.connect();
    });
  }

  /** Resolves when the broker has received the message: on PUBACK or PUBCOMP, or when it is written for QoS 0. */
  publish(version: MqttVersion, publication: Publication, limit: ConfirmationLimit): Promise<void> {
    const connected = this.#connected.get(version);
    return connected === undefined
      ? this.publisher(version).then((client) => this.#publishWith(client, publication, limit))
      : this.#publishWith(connected, publication, limit);
  }

  #publishWith(client: Mqtt.MqttClient, publication: Publication, limit: ConfirmationLimit): Promise<void> {
    const { topic, payload, qos, retain, properties } = publication;
    const unconfirmed = this.#unconfirmed.get(client);
    return new Promise<void>((resolve, reject) => {
      if (!client.connected) return reject(new Error(lostBeforeConfirmation));
      const cancel = limit.clock.after(limit.ms, () => fail(limit.timeoutError(publication)));
      const fail = (problem: Error): void => {
        cancel();
        unconfirmed?.delete(fail);
        reject(problem);
      };
      unconfirmed?.add(fail);
      client.publish(topic, payload, properties === undefined ? { qos, retain } : { qos, retain, properties }, (error) => {
        if (error !== undefined && error !== null) return fail(error);
        cancel();
        unconfirmed?.delete(fail);
        resolve();
      });
      // Confirmations that arrive together are processed in separate ticks; this combines the writes that follow them.
      combineUntilImmediate(client.stream);
    });
  }

  /** The protocol version that messages are sent with; rejects when the connection does not work. */
  async ping(): Promise<MqttVersion> {
    const [first] = this.#publishers.values();
    const client = await (first ?? this.publisher(5));
    if (!client.connected) throw new Error("not connected to the broker");
    return this.#versionOf.get(client) ?? 5;
  }

  async close(): Promise<void> {
    const all = [...this.#publishers.values()];
    this.#publishers.clear();
    this.#connected.clear();
    await Promise.allSettled(all.map(async (opening) => endLink(await opening)));
  }
}

const endTimeoutMs = 2000;

/**
 * Disconnects cleanly; a connection that does not close in time is destroyed. The client first waits for the responses to all its requests. They
 * never arrive if the connection is lost in the meantime, and a second call of `end` is ignored.
 */
export async function endLink(client: Mqtt.MqttClient, timeoutMs = endTimeoutMs): Promise<void> {
  if (!client.connected) {
    client.end(true);
    return;
  }
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => {
      client.stream.destroy();
      resolve();
    }, timeoutMs);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    client.once("close", done);
    client.end(false, done);
  });
}
