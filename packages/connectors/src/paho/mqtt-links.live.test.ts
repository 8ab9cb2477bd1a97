import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import mqtt, { type MqttClient } from "mqtt";
import { afterEach, expect, it } from "vitest";
import { endLink } from "./mqtt-links.ts";

const longerThanTheTest = 2 ** 31 - 1;
const connack = Buffer.from([0x20, 2, 0, 0]);

/** A broker that accepts connections and responds to nothing else. */
const sockets: Socket[] = [];
const broker = createServer((socket) => {
  sockets.push(socket);
  socket.on("error", () => undefined).once("data", () => socket.write(connack));
});

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  broker.close();
});

/** A client that waits for the response to a subscription. */
async function waitingClient(): Promise<MqttClient> {
  broker.listen(0, "127.0.0.1");
  await once(broker, "listening");
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${(broker.address() as AddressInfo).port}`, { protocolVersion: 4, reconnectPeriod: 0 });
  client.on("error", () => undefined);
  client.subscribe("orders", () => undefined);
  return client;
}

it("ends a lost connection before the client detects the loss", async () => {
  const client = await waitingClient();
  const ending = endLink(client, longerThanTheTest);
  for (const socket of sockets) socket.destroy();
  await ending;
});

it("destroys a connection whose broker does not respond", async () => {
  const client = await waitingClient();
  await endLink(client, 1);
  await expect.poll(() => sockets.every((socket) => socket.closed || socket.readableEnded)).toBe(true);
});
