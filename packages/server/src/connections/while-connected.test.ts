// A source on a connection that is refused, lost, replaced and restored, against a real TCP server.
import { afterEach, expect, it } from "vitest";
import { loadClient } from "@sluice/connectors";
import { whileConnected } from "@sluice/connectors/kit";
import { Message, type SourceInlet } from "@sluice/engine/spi";
import { FakeInlet, hostInRealTime } from "@sluice/testkit";
import { createSecretValues } from "../masking/secret-values.ts";
import { echo, EchoServer, lookupOf, type EchoClient } from "./echo-server.fixture.ts";
import { createConnectionTypes } from "./connection-types.ts";
import { openConnections } from "./open-connections.ts";

const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function setUp(listening: boolean) {
  const server = new EchoServer();
  await server.listen();
  if (!listening) await server.close();
  ends.push(() => server.close());
  const host = hostInRealTime();
  const connections = openConnections({ types: createConnectionTypes([echo], []), secrets: createSecretValues(), host: () => host, load: loadClient });
  ends.push(() => connections.close());
  await connections.define("main", "echo", { port: String(server.port) });
  const counts = { begun: 0, ended: 0 };
  const source = whileConnected<EchoClient>({
    connection: connections.find(lookupOf({ reference: "main" })),
    host,
    backOff: { firstMs: 20, maxMs: 40 },
    async begin(client: EchoClient, inlet: SourceInlet) {
      counts.begun++;
      const listener = (data: Buffer): void => void inlet.deliver(new Message(data.toString()));
      client.socket.on("data", listener);
      return {
        async stop() {
          counts.ended++;
          client.socket.off("data", listener);
        },
      };
    },
  });
  const inlet = new FakeInlet();
  ends.push(() => source.stop());
  return { server, connections, source, inlet, counts };
}

async function until(condition: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 500 && !condition(); attempt++) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(condition()).toBe(true);
}

const push = (server: EchoServer, text: string): void => server.sockets.forEach((socket) => socket.write(text));

it("starts while the server is down, reports it, and receives once the server is up", async () => {
  const { server, source, inlet, counts } = await setUp(false);
  await source.start(inlet);
  expect([counts.begun, inlet.problems.length > 0, inlet.problems.at(-1)]).toEqual([0, true, expect.stringContaining("connection 'main' is down")]);
  await server.listen();
  await until(() => counts.begun === 1);
  expect(inlet.problems.at(-1)).toBeUndefined();
  await until(() => server.sockets.size === 1);
  push(server, "hello");
  await until(() => inlet.bodies.length === 1);
});

it("survives a lost connection, reporting each once", async () => {
  const { server, source, inlet, counts } = await setUp(true);
  await source.start(inlet);
  expect(inlet.problems).toEqual([]);
  for (let cut = 1; cut <= 3; cut++) {
    await until(() => server.sockets.size === 1);
    server.sockets.forEach((socket) => socket.destroy());
    await until(() => counts.begun === cut + 1);
  }
  await until(() => server.sockets.size === 1);
  push(server, "still here");
  await until(() => inlet.bodies.includes("still here"));
  expect(inlet.problems.filter((problem) => problem === undefined)).toHaveLength(3);
  expect(counts).toEqual({ begun: 4, ended: 3 });
});

it("switches to the new client when its connection is replaced", async () => {
  const { server, connections, source, inlet, counts } = await setUp(true);
  await source.start(inlet);
  await connections.define("main", "echo", { port: String(server.port), password: "another-password" });
  await until(() => counts.begun === 2 && counts.ended === 1);
  await until(() => server.sockets.size === 1);
  expect(inlet.problems).toEqual([]);
});

it("leaves nothing open when stopped, even while connecting", async () => {
  const up = await setUp(true);
  await up.source.start(up.inlet);
  await up.source.stop();
  await until(() => up.server.sockets.size === 0);
  expect([up.counts, up.connections.list()[0]?.users]).toEqual([{ begun: 1, ended: 1 }, 0]);
  const down = await setUp(false);
  await down.source.start(down.inlet);
  await down.source.stop();
  await down.server.listen();
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect([down.server.accepted, down.counts.begun]).toEqual([0, 0]);
});
