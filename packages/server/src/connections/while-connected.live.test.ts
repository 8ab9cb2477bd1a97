// A source on a connection that is refused, lost, replaced and restored, against a real TCP server.
import { afterEach, expect, it } from "vitest";
import { loadClient } from "@sluice/connectors";
import { reconnectAttempts, whileConnected } from "@sluice/connectors/kit";
import { Message, type Host, type SourceInput } from "@sluice/engine/spi";
import { eventually, FakeHost, FakeRouteInput, realTimeHost } from "@sluice/testkit";
import { createSecretValues } from "../masking/secret-values.ts";
import { echo, EchoServer, lookupOf, type EchoClient } from "./echo-server.test-support.ts";
import { createConnectionTypes } from "./connection-types.ts";
import { openConnections } from "./open-connections.ts";

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp();
});

async function setUp(isListening: boolean, host: Host = realTimeHost()) {
  const server = new EchoServer();
  await server.listen();
  if (!isListening) await server.close();
  cleanups.push(() => server.close());
  const connections = openConnections({ types: createConnectionTypes([echo], []), secrets: createSecretValues(), host: () => host, load: loadClient });
  cleanups.push(() => connections.close());
  await connections.define("main", "echo", { port: String(server.port) });
  const counts = { started: 0, ended: 0 };
  const source = whileConnected<EchoClient>({
    connection: connections.find(lookupOf({ reference: "main" })),
    host,
    backOff: { firstMs: 20, maxMs: 40 },
    async begin(client: EchoClient, routeInput: SourceInput) {
      counts.started++;
      const listener = (data: Buffer): void => void routeInput.deliver(new Message(data.toString()));
      client.socket.on("data", listener);
      return {
        async stop() {
          counts.ended++;
          client.socket.off("data", listener);
        },
      };
    },
  });
  const routeInput = new FakeRouteInput();
  cleanups.push(() => source.stop());
  return { server, connections, source, routeInput, counts };
}

const push = (server: EchoServer, text: string): void => server.sockets.forEach((socket) => socket.write(text));

it("starts while the server is down, reports the problem, and receives messages once the server is up", async () => {
  const { server, source, routeInput, counts } = await setUp(false);
  await source.start(routeInput);
  expect([counts.started, routeInput.problems.length > 0, routeInput.problems.at(-1)]).toEqual([0, true, expect.stringContaining("connection 'main' is down")]);
  await server.listen();
  await eventually(() => counts.started === 1);
  expect(routeInput.problems.at(-1)).toBeUndefined();
  await eventually(() => server.sockets.size === 1);
  push(server, "hello");
  await eventually(() => routeInput.bodies.length === 1);
});

it("recovers from lost connections and reports each recovery once", async () => {
  const { server, source, routeInput, counts } = await setUp(true);
  await source.start(routeInput);
  expect(routeInput.problems).toEqual([]);
  for (let cut = 1; cut <= 3; cut++) {
    await eventually(() => server.sockets.size === 1);
    server.sockets.forEach((socket) => socket.destroy());
    await eventually(() => counts.started === cut + 1);
  }
  await eventually(() => server.sockets.size === 1);
  push(server, "still here");
  await eventually(() => routeInput.bodies.includes("still here"));
  expect(routeInput.problems.filter((problem) => problem === undefined)).toHaveLength(3);
  expect(counts).toEqual({ started: 4, ended: 3 });
});

it("switches to the new client when its connection is replaced", async () => {
  const { server, connections, source, routeInput, counts } = await setUp(true);
  await source.start(routeInput);
  await connections.define("main", "echo", { port: String(server.port), password: "another-password" });
  await eventually(() => counts.started === 2 && counts.ended === 1);
  await eventually(() => server.sockets.size === 1);
  expect(routeInput.problems).toEqual([]);
});

it("closes everything when it is stopped, even while connecting", async () => {
  const up = await setUp(true);
  await up.source.start(up.routeInput);
  await up.source.stop();
  await eventually(() => up.server.sockets.size === 0);
  expect([up.counts, up.connections.list()[0]?.users]).toEqual([{ started: 1, ended: 1 }, 0]);
  const host = new FakeHost();
  const down = await setUp(false, host);
  await down.source.start(down.routeInput);
  await down.source.stop();
  await down.server.listen();
  expect(host.clock.pending).toBe(0);
  expect([down.server.accepted, down.counts.started]).toEqual([0, 0]);
});

it("does not close the shared connection when a subscription fails or is lost, and subscribes again", async () => {
  const { server, connections, counts, routeInput } = await setUp(true);
  const other = connections.find<EchoClient>(lookupOf({ reference: "main" }));
  const client = await other.client();
  let lose: (problem: string) => void = () => undefined;
  const source = whileConnected<EchoClient>({
    connection: connections.find(lookupOf({ reference: "main" })),
    host: realTimeHost(),
    backOff: { firstMs: 20, maxMs: 40 },
    async begin(_client, _routeInput, lost) {
      if (++counts.started < 3) throw new Error("no such channel");
      if (counts.started === 3) lost("denied before it was confirmed");
      lose = lost;
      return { stop: async () => void counts.ended++ };
    },
  });
  cleanups.push(() => source.stop());
  await source.start(routeInput);
  await eventually(() => counts.started === 4);
  await eventually(() => routeInput.problems.at(-1) === undefined);
  lose("the subscription was cancelled");
  await eventually(() => counts.started === 5 && routeInput.problems.at(-1) === undefined);
  expect(routeInput.problems).toEqual([
    "no such channel",
    "no such channel",
    "denied before it was confirmed",
    undefined,
    "the subscription was cancelled",
    "the subscription was cancelled",
    undefined,
  ]);
  expect([counts.ended, server.accepted, await other.client(), connections.list()[0]?.state.state]).toEqual([2, 1, client, "up"]);
});

it("stops reconnecting at the limit, and tries again when the connection gets new values", async () => {
  const host = new FakeHost();
  const { server, connections, routeInput, counts } = await setUp(true, host);
  const source = whileConnected<EchoClient>({
    connection: connections.find(lookupOf({ reference: "main" })),
    host,
    backOff: { firstMs: 20, maxMs: 40 },
    reconnectLimit: reconnectAttempts(0, "reconnect=false"),
    begin: async () => {
      counts.started++;
      return { stop: async () => void counts.ended++ };
    },
  });
  cleanups.push(() => source.stop());
  await source.start(routeInput);
  await eventually(() => server.sockets.size === 1);
  server.sockets.forEach((socket) => socket.destroy());
  await eventually(() => routeInput.problems.length === 2);
  expect(routeInput.problems.at(-1)).toMatch(/the source does not reconnect because of reconnect=false: restart the route$/);
  await host.clock.advance(60_000);
  expect([counts.started, counts.ended]).toEqual([1, 1]);
  await connections.define("main", "echo", { port: String(server.port), password: "new" });
  await eventually(() => counts.started === 2 && routeInput.problems.at(-1) === undefined);
});
