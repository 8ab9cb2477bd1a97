// Connections against a real TCP server that is started, stopped and made to hang.
import { afterEach, describe, expect, it } from "vitest";
import { loadClient } from "@sluice/connectors";
import type { Connection, ConnectionDeclaration, ConnectionState, Host } from "@sluice/engine/spi";
import { eventually, FakeHost, realTimeHost } from "@sluice/testkit";
import { createSecretValues } from "../masking/secret-values.ts";
import { echo, EchoServer, lookupOf, type EchoClient } from "./echo-server.test-support.ts";
import { createConnectionTypes } from "./connection-types.ts";
import { openConnections } from "./open-connections.ts";

const servers: EchoServer[] = [];
const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const connections of opened.splice(0)) await connections.close();
  for (const server of servers.splice(0)) await server.close();
});

async function setUp(host: Host = realTimeHost(), types: readonly ConnectionDeclaration[] = [echo]) {
  const server = new EchoServer();
  servers.push(server);
  await server.listen();
  const secrets = createSecretValues();
  const connections = openConnections({ types: createConnectionTypes(types, []), secrets, host: () => host, load: loadClient });
  opened.push(connections);
  const find = (reference: string | undefined, inline: Readonly<Record<string, unknown>> = {}): Connection<EchoClient> =>
    connections.find<EchoClient>(lookupOf({ reference, inline }));
  return { server, secrets, connections, find, host };
}

const text = (port: number): string => String(port);

describe("a connection", () => {
  it("is not opened before it is used, and is shared by all users", async () => {
    const { server, connections, find } = await setUp();
    await connections.define("main", "echo", { port: text(server.port) });
    const users = [find("main"), find("main"), find(undefined)];
    expect([server.accepted, connections.list()[0]?.state.state, connections.list()[0]?.users]).toEqual([0, "idle", 0]);
    const clients = await Promise.all(users.map((user) => user.client()));
    expect(new Set(clients).size).toBe(1);
    expect([server.accepted, connections.list()]).toMatchObject([1, [{ id: "main", type: "echo", users: 3, state: { state: "up" } }]]);
    users[0]?.release();
    users[1]?.release();
    expect(await clients[0]?.ask()).toBe("pong no-password");
    users[2]?.release();
    await eventually(() => server.sockets.size === 0);
    expect(connections.list()).toMatchObject([{ users: 0, state: { state: "idle" } }]);
  });

  it("is shared only by endpoints with the same values", async () => {
    const { server, find } = await setUp();
    const handles = [{}, {}, { password: "another-one" }].map((more) => find(undefined, { port: text(server.port), ...more }));
    const clients = await Promise.all(handles.map((connection) => connection.client()));
    expect([clients[0] === clients[1], clients[0] === clients[2]]).toEqual([true, false]);
    await eventually(() => server.accepted === 2);
  });

  it("fails with a retryable error while the server is down, backs off, and recovers", async () => {
    const host = new FakeHost();
    const { server, connections, find } = await setUp(host);
    await connections.define("main", "echo", { port: text(server.port) });
    await server.close();
    const connection = find("main");
    const states: ConnectionState["state"][] = [];
    connection.watch(({ state }) => void states.push(state));
    await expect(connection.client()).rejects.toMatchObject({ code: "connection-down", retryable: true });
    // During the back-off, users get the error of the last attempt.
    await expect(connection.client()).rejects.toMatchObject({ code: "connection-down", cause: { code: "ECONNREFUSED" } });
    expect(states).toEqual(["down"]);
    await server.listen();
    let client: EchoClient | undefined;
    await expect(connection.client()).rejects.toMatchObject({ code: "connection-down" });
    for (let waited = 0; waited < 10_000 && client === undefined; waited += 100) {
      client = await connection.client().catch(() => undefined);
      await host.clock.advance(100);
    }
    expect(await client?.ask()).toBe("pong no-password");
    expect([states, server.accepted]).toEqual([["down", "up"], 1]);
  });

  it("reports a lost connection and reconnects on the next use", async () => {
    const { server, connections, find } = await setUp();
    await connections.define("main", "echo", { port: text(server.port) });
    const connection = find("main");
    const first = await connection.client();
    for (const socket of server.sockets) socket.destroy();
    await eventually(() => connections.list()[0]?.state.state === "down");
    const second = await connection.client();
    expect([second === first, await second.ask(), connections.list()[0]?.reconnects]).toEqual([false, "pong no-password", 1]);
    connection.invalidate(first, "stale client");
    expect(await connection.client()).toBe(second);
    connection.invalidate(second, "no response");
    expect(connections.list()[0]?.state).toMatchObject({ state: "down", problem: "no response" });
  });

  it("when replaced, gives its users the new client and closes the old one after the last has switched", async () => {
    const { server, connections, find, secrets } = await setUp();
    await connections.define("main", "echo", { port: text(server.port), password: "old-password" });
    const [sink, source] = [find("main"), find("main")];
    const generations: number[] = [];
    source.watch(({ generation }) => void generations.push(generation));
    const [old] = await Promise.all([sink.client(), source.client()]);
    await connections.define("main", "echo", { port: text(server.port), password: "new-password" });
    expect(await old?.ask()).toBe("pong old-password");
    const fresh = await sink.client();
    expect([fresh.password, server.sockets.size, generations]).toEqual(["new-password", 2, [1, 2]]);
    expect(await source.client()).toBe(fresh);
    await eventually(() => server.sockets.size === 1);
    expect([secrets.scrub("it is new-password"), secrets.scrub("it is old-password")]).toEqual(["it is ***", "it is old-password"]);
  });

  it("masks secrets in nested fields too", async () => {
    const { server, connections, find, secrets } = await setUp();
    await connections.define("main", "echo", { port: text(server.port), tls: { name: "the-name", key: "key-of-main" } });
    find(undefined, { port: text(server.port), tls: { key: "inline-key" } });
    expect(secrets.scrub("the-name key-of-main inline-key")).toBe("the-name *** ***");
    await connections.define("main", "echo", { port: text(server.port), tls: { key: "another-key" } });
    expect(secrets.scrub("key-of-main another-key")).toBe("key-of-main ***");
  });

  it("defaults to the flow's only bean of a matching type", async () => {
    const { server, connections } = await setUp();
    await connections.define("main", "echo", { port: text(server.port), password: "operator-password" });
    const bean = (password: string) => ({ type: "org.example.EchoClient", properties: { url: `tcp://host:${server.port}`, password } });
    const other = { type: "org.example.Other", properties: {} };
    const find = (beans: readonly (readonly [string, ReturnType<typeof bean> | typeof other])[]) =>
      connections.find<EchoClient>(lookupOf({ flowBeans: () => new Map(beans) }));
    expect(
      (
        await find([
          ["other", other],
          ["own", bean("flow-password")],
        ]).client()
      ).password,
    ).toBe("flow-password");
    expect((await find([["other", other]]).client()).password).toBe("operator-password");
    expect(() =>
      find([
        ["two", bean("second")],
        ["one", bean("first-one")],
      ]),
    ).toThrow("the flow has several matching beans (one, two)");
  });

  it("stays unchanged if the replacement cannot connect", async () => {
    const { server, connections, find } = await setUp();
    await connections.define("main", "echo", { port: text(server.port) });
    const connection = find("main");
    const client = await connection.client();
    await expect(connections.define("main", "echo", { port: "1" })).rejects.toThrow();
    expect(await connection.client()).toBe(client);
  });

  it("detects a hanging server with the periodic health check", async () => {
    const host = new FakeHost();
    const { server, connections, find } = await setUp(host);
    await connections.define("main", "echo", { port: text(server.port) });
    await find("main").client();
    const { pending } = host.clock;
    await host.clock.advance(30_000);
    // The timeout of the check is cancelled when the server has replied.
    await eventually(() => server.replies === 1 && host.clock.pending === pending);
    expect(connections.list()[0]?.state.state).toBe("up");
    server.isResponding = false;
    await host.clock.advance(30_000);
    await host.clock.advance(10_000);
    expect(connections.list()[0]?.state).toMatchObject({ state: "down", problem: "no response within 10000 ms" });
    await connections.close();
    expect(host.clock.pending).toBe(0);
  });

  it("is rejected when it does not exist, is ambiguous, has the wrong type or an unknown property, or needs a missing package", async () => {
    const { server, connections, find } = await setUp();
    expect(() => find("none")).toThrow(expect.objectContaining({ code: "connection-missing" }));
    await connections.define("one", "echo", { port: text(server.port) });
    await connections.define("two", "echo", { port: text(server.port) });
    expect(() => find(undefined)).toThrow(
      expect.objectContaining({ code: "connection-missing", hint: expect.stringContaining("use an existing connection (one, two)") }),
    );
    expect(() => connections.find(lookupOf({ reference: "one", kinds: ["sql"] }))).toThrow("connection 'one' is of type 'echo', which 'echo' cannot use");
    await expect(connections.define("three", "echo", { prot: "1" })).rejects.toThrow("has no property 'prot'");
    await expect(loadClient({ package: "no-such-client-at-all", version: "1.2.3", reason: "echo" })).rejects.toThrow("npm i no-such-client-at-all@1.2.3");
  });
});

/** A declaration whose `open` waits for `proceed` while it is paused. */
function pausable() {
  const waiting: (() => void)[] = [];
  const gate = { isPaused: false, waiting: () => waiting.length, proceed: () => waiting.shift()?.() };
  const declaration: ConnectionDeclaration = {
    ...echo,
    async open(values: never, context: never) {
      // Ignores the signal, as some client libraries do.
      if (gate.isPaused) await new Promise<void>((resolve) => void waiting.push(resolve));
      return echo.open(values, { ...(context as object), signal: new AbortController().signal } as never);
    },
  } as ConnectionDeclaration;
  return { gate, declaration };
}

describe("while a replacement connects", () => {
  async function replacing(host: Host = realTimeHost()) {
    const { gate, declaration } = pausable();
    const parts = await setUp(host, [declaration]);
    const { connections, server, find } = parts;
    await connections.define("main", "echo", { port: text(server.port), password: "old-password" });
    const connection = find("main");
    const old = await connection.client();
    gate.isPaused = true;
    const replaced = connections.define("main", "echo", { port: text(server.port), password: "new-password" });
    await eventually(() => gate.waiting() === 1);
    const finish = async (): Promise<void> => {
      gate.isPaused = false;
      gate.proceed();
      await replaced;
    };
    return { ...parts, gate, connection, old, finish };
  }

  it("the old and the new secrets are masked", async () => {
    const { secrets, finish } = await replacing();
    expect(secrets.scrub("old-password new-password")).toBe("*** ***");
    await finish();
    expect(secrets.scrub("old-password new-password")).toBe("old-password ***");
  });

  it("the loss of the old client does not end the health checks", async () => {
    const host = new FakeHost();
    const { server, connections, connection, old, finish } = await replacing(host);
    connection.invalidate(old, "lost");
    await finish();
    expect((await connection.client()).password).toBe("new-password");
    server.isResponding = false;
    await host.clock.advance(30_000);
    await host.clock.advance(10_000);
    expect(connections.list()[0]?.state).toMatchObject({ state: "down", problem: "no response within 10000 ms" });
  });

  it("a client that is opened with the old values is closed after its users have switched", async () => {
    const { server, gate, connection, old, finish } = await replacing();
    connection.invalidate(old, "lost");
    gate.isPaused = false;
    expect((await connection.client()).password).toBe("old-password");
    await finish();
    expect((await connection.client()).password).toBe("new-password");
    await eventually(() => server.sockets.size === 1);
  });

  it("a client that is still connecting with the old values is closed", async () => {
    const { server, gate, connection, old, finish } = await replacing();
    connection.invalidate(old, "lost");
    const opening = connection.client();
    await eventually(() => gate.waiting() === 2);
    await finish();
    gate.proceed();
    expect([(await opening).password, (await connection.client()).password]).toEqual(["new-password", "new-password"]);
    await eventually(() => server.sockets.size === 1);
  });

  it("the new client is closed when the last user has left", async () => {
    const { server, connections, connection, finish } = await replacing();
    connection.release();
    await finish();
    await eventually(() => server.sockets.size === 0);
    expect(connections.list()).toMatchObject([{ users: 0, state: { state: "idle" } }]);
    expect((await connection.client()).password).toBe("new-password");
  });

  it("the new client is closed when the runtime shuts down", async () => {
    const { server, connections, finish } = await replacing();
    await connections.close();
    await finish().catch(() => undefined);
    await eventually(() => server.sockets.size === 0);
  });
});

it("values that are applied while a client connects replace the old values", async () => {
  const { gate, declaration } = pausable();
  const { connections, server, find } = await setUp(realTimeHost(), [declaration]);
  await connections.define("main", "echo", { port: text(server.port), password: "old-password" });
  const connection = find("main");
  gate.isPaused = true;
  const opening = connection.client();
  await eventually(() => gate.waiting() === 1);
  await connections.define("main", "echo", { port: text(server.port), password: "new-password" }, { force: true });
  gate.isPaused = false;
  gate.proceed();
  expect([(await opening).password, (await connection.client()).password]).toEqual(["new-password", "new-password"]);
  await eventually(() => server.sockets.size === 1);
});

describe("a handle of a running flow", () => {
  const typed = (type: string, kinds: readonly string[]): ConnectionDeclaration => ({ ...echo, type, kinds }) as unknown as ConnectionDeclaration;

  it.each([true, false])("switches to another type that it can use (force: %s)", async (force) => {
    const { connections, server, find } = await setUp(realTimeHost(), [echo, typed("other", ["talk", "shout"])]);
    await connections.define("main", "echo", { port: text(server.port), password: "old-password" });
    const [used, unused] = [find("main"), find("main")];
    await used.client();
    await connections.define("main", "other", { port: text(server.port), password: "new-password" }, { force });
    expect([(await used.client()).password, (await unused.client()).password]).toEqual(["new-password", "new-password"]);
    expect(connections.list()).toMatchObject([{ id: "main", type: "other", users: 2 }]);
    await eventually(() => server.sockets.size === 1);
  });

  it("fails when it cannot use the new type, and does not open the old one again", async () => {
    const { connections, server, find } = await setUp(realTimeHost(), [echo, typed("other", ["shout"])]);
    await connections.define("main", "echo", { port: text(server.port) });
    const connection = find("main");
    await connection.client();
    await connections.define("main", "other", { port: text(server.port) });
    await expect(connection.client()).rejects.toThrow("connection 'main' is down: it is now of type 'other', which this endpoint cannot use");
    connection.release();
    await eventually(() => server.sockets.size === 0);
  });

  it("fails when its connection is removed, and recovers when it is defined again", async () => {
    const { connections, server, find } = await setUp();
    await connections.define("main", "echo", { port: text(server.port), password: "old-password" });
    const [used, unused] = [find("main"), find("main")];
    await used.client();
    await connections.undefine("main");
    await eventually(() => server.sockets.size === 0);
    for (const connection of [used, unused]) await expect(connection.client()).rejects.toThrow("connection 'main' is down: it was removed");
    expect([connections.list(), server.accepted]).toEqual([[], 1]);
    expect(() => find("main")).toThrow(expect.objectContaining({ code: "connection-missing" }));
    await connections.define("main", "echo", { port: text(server.port), password: "new-password" });
    expect([(await used.client()).password, (await unused.client()).password]).toEqual(["new-password", "new-password"]);
  });
});
