// Sources and sinks with a broker that responds when the test decides.
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { exchangeOf, connectorUnderTest, FakeHost, FakeRouteInput, testConnections } from "@sluice/testkit";
import { afterEach, expect, it } from "vitest";
import { mqttConnection } from "./mqtt-connection.ts";
import { pahoConnector } from "./paho.ts";

const types = { connect: 1, publish: 3, subscribe: 8, unsubscribe: 10, ping: 12 } as const;

interface Packet {
  readonly type: number;
  /** The packet id of a publication or subscription with an acknowledgement. */
  readonly id: Buffer;
}

/** An MQTT 3.1.1 broker that accepts connections and subscriptions, and acknowledges publications on request. All packets are short. */
class ScriptedBroker {
  readonly received: Packet[] = [];
  readonly #unacknowledged: { readonly socket: Socket; readonly id: Buffer }[] = [];
  #sockets: Socket[] = [];
  readonly #server = createServer((socket) => {
    this.#sockets.push(socket);
    let rest = Buffer.alloc(0);
    socket.on("error", () => undefined);
    socket.on("data", (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length > 1 && rest.length >= 2 + (rest[1] as number)) {
        this.#handle(socket, rest.subarray(0, 2 + (rest[1] as number)));
        rest = rest.subarray(2 + (rest[1] as number));
      }
    });
  });

  async start(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `tcp://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  count(type: keyof typeof types): number {
    return this.received.filter((packet) => packet.type === types[type]).length;
  }

  get unacknowledged(): number {
    return this.#unacknowledged.length;
  }

  acknowledge(): void {
    for (const { socket, id } of this.#unacknowledged.splice(0)) socket.write(Buffer.concat([Buffer.from([0x40, 2]), id]));
  }

  /** Sends a message with QoS 0 on topic `a` to every client. */
  publish(text: string): void {
    const payload = Buffer.from(text);
    for (const socket of this.#sockets) socket.write(Buffer.concat([Buffer.from([0x30, 3 + payload.length, 0, 1, 0x61]), payload]));
  }

  #handle(socket: Socket, packet: Buffer): void {
    const type = (packet[0] as number) >> 4;
    // A publication starts with its topic, a subscription with its packet id.
    const at = type === types.publish ? 4 + packet.readUInt16BE(2) : 2;
    const id = packet.subarray(at, at + 2);
    this.received.push({ type, id });
    if (type === types.connect) socket.write(Buffer.from([0x20, 2, 0, 0]));
    else if (type === types.subscribe) socket.write(Buffer.concat([Buffer.from([0x90, 3]), id, Buffer.from([0])]));
    else if (type === types.unsubscribe) socket.write(Buffer.concat([Buffer.from([0xb0, 2]), id]));
    else if (type === types.publish) this.#unacknowledged.push({ socket, id });
  }
}

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

async function scripted() {
  const broker = new ScriptedBroker();
  const brokerUrl = await broker.start();
  cleanUps.push(() => broker.stop());
  const host = new FakeHost();
  const connections = testConnections(host, { broker: { declaration: mqttConnection, values: { brokerUrl } } }, (client) => import(client.package));
  cleanUps.push(() => connections.close());
  return { broker, host, connector: connectorUnderTest(pahoConnector(), Object.assign(host, { connections })) };
}

it("a sink sends at most maxInflight messages before the broker confirms them", async () => {
  const { broker, connector } = await scripted();
  const sink = connector.sink("paho:out?connection=broker&qos=1&maxInflight=2");
  const sending = Array.from({ length: 7 }, async (_, index) => sink.send(exchangeOf(`message ${index}`)));
  for (const sent of [2, 4, 6, 7]) {
    await expect.poll(() => broker.count("publish")).toBe(sent);
    expect(broker.unacknowledged).toBeLessThanOrEqual(2);
    broker.acknowledge();
  }
  await Promise.all(sending);
});

it("a source sends pings during a run that takes longer than the keep-alive interval", async () => {
  const { broker, host, connector } = await scripted();
  let finish = (): void => undefined;
  const routeInput = new FakeRouteInput(() => new Promise<void>((resolve) => (finish = resolve)));
  const source = connector.source("paho:a?connection=broker&qos=0");
  await source.start(routeInput);
  broker.publish("slow");
  await expect.poll(() => routeInput.exchanges.length).toBe(1);
  // The keep-alive interval is 60 s, and half of it has passed each time.
  for (const pings of [1, 2, 3]) {
    await host.clock.advance(30_000);
    await expect.poll(() => broker.count("ping")).toBe(pings);
  }
  finish();
  await source.stop();
});
