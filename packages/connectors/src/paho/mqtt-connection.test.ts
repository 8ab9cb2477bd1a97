import { EventEmitter } from "node:events";
import type { IClientOptions } from "mqtt";
import { expect, it } from "vitest";
import { mqttConnection } from "./mqtt-connection.ts";

class FakeClient extends EventEmitter {
  connected = true;
  stream = {};
  connect(): void {
    queueMicrotask(() => this.emit("connect"));
  }
}

async function clientOptions(fields: Readonly<Record<string, unknown>>): Promise<IClientOptions> {
  const used: IClientOptions[] = [];
  const mqtt = {
    connect(_url: string, options: IClientOptions) {
      used.push(options);
      return new FakeClient();
    },
  };
  const values = { brokerUrl: "ws://localhost:9001", connectionTimeout: 30, keepAliveInterval: 60, ...fields };
  await mqttConnection.open(values as never, { load: async () => mqtt, disconnected: () => undefined } as never);
  return used[0] as IClientOptions;
}

it("sends custom headers with the WebSocket request", async () => {
  expect(await clientOptions({ customWebSocketHeaders: '{"Authorization":"Bearer t"}' })).toMatchObject({
    wsOptions: { headers: { Authorization: "Bearer t" } },
  });
  expect(await clientOptions({})).not.toHaveProperty("wsOptions");
});

it("rejects an address of another protocol", async () => {
  await expect(clientOptions({ brokerUrl: "http://user:secret@localhost:1883" })).rejects.toThrow("an MQTT broker address cannot start with 'http:'");
  await expect(clientOptions({ serverURIs: "tcp://a:1, ssl://b:2" })).resolves.toBeDefined();
});
