// Loading of connectors and connection types on demand, and the selection of a connection.
import { afterEach, describe, expect, it } from "vitest";
import { loadClient } from "@sluice/connectors";
import { createRuntime, type ConnectionDeclaration, type Prepared, type Runtime } from "@sluice/engine";
import { realTimeHost } from "@sluice/testkit";
import { createCatalog } from "../catalog.ts";
import { createSecretValues } from "../masking/secret-values.ts";
import { trialCatalog } from "../trial/trial-catalog.ts";
import { createConnectionTypes } from "./connection-types.ts";
import { echo, EchoServer } from "./echo-server.test-support.ts";
import { openConnections } from "./open-connections.ts";
import { talkEntries } from "./talk.test-support.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp();
});

function setUp(declared: readonly ConnectionDeclaration[] = [], isTrial = false) {
  const { loads, connector, connection, bean } = talkEntries();
  const types = createConnectionTypes(declared, declared.length > 0 ? [] : [connection]);
  const fullCatalog = createCatalog({ connectionTypes: types, entries: { connectors: [connector], beans: [bean] } });
  const catalog = isTrial ? trialCatalog(fullCatalog) : fullCatalog;
  const secrets = createSecretValues();
  const connections = openConnections({ types, secrets, host: () => host, load: loadClient });
  const host = { ...realTimeHost(), connections };
  const ignore = (): void => undefined;
  const runtime = createRuntime({ catalog, host, listener: { started: ignore, ended: ignore, retrying: ignore, routeChanged: ignore } });
  cleanups.push(
    () => connections.close(),
    () => runtime.stop(),
  );
  const prepare = (source: string, properties: Readonly<Record<string, string>> = {}): Promise<Prepared> =>
    runtime.prepareLoaded({
      id: "f",
      hash: "0",
      source,
      property: (name) => properties[name],
      propertiesUnder: (prefix) =>
        Object.fromEntries(Object.entries(properties).flatMap(([name, value]) => (name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : []))),
    });
  return { loads, catalog, connections, runtime, secrets, prepare };
}

async function echoServer(): Promise<EchoServer> {
  const server = new EchoServer();
  await server.listen();
  cleanups.push(() => server.close());
  return server;
}

const route = (uri: string, more = ""): string => `${more}- route: {id: r, from: {uri: "direct:r", steps: [{to: {uri: ${JSON.stringify(uri)}}}]}}\n`;

/** The reply of the flow. */
async function replyOf(runtime: Runtime, { deployment, diagnostics }: Prepared): Promise<unknown> {
  expect(diagnostics).toEqual([]);
  if (deployment === undefined) throw new Error("no deployment");
  await runtime.deploy(deployment);
  const { Message } = await import("@sluice/engine");
  const exchange = await runtime.routeInputOf("direct:r")?.deliver(new Message("x"));
  if (exchange?.failure !== undefined) throw exchange.failure;
  return exchange?.message.body;
}

describe("an indexed connector", () => {
  it("is not loaded by a flow that does not use it", async () => {
    const { loads, prepare, catalog } = setUp();
    expect((await prepare(route("log:x"))).diagnostics).toEqual([]);
    expect(loads).toEqual({ connector: 0, connection: 0, bean: 0 });
    expect(catalog.connectors.has("talk")).toBe(false);
  });

  it.each(["talk:a", "talks:a"])("is loaded once by flows that use it as '%s', with its connection type", async (uri) => {
    const { loads, prepare, runtime } = setUp();
    const server = await echoServer();
    const source = route(`${uri}?port=${server.port}`);
    expect(runtime.prepare({ id: "f", hash: "0", source, property: () => undefined }).diagnostics).toMatchObject([{ code: "connector-unloaded" }]);
    expect(await replyOf(runtime, await prepare(source))).toBe("pong no-password");
    await prepare(source);
    expect(loads).toEqual({ connector: 1, connection: 1, bean: 0 });
  });

  it("is loaded for dynamic destinations, and flows can handle its exception types", async () => {
    const { prepare, catalog } = setUp();
    const source = `- route: {id: r, from: {uri: "direct:r", steps: [{toD: {uri: "talk:\${header.a}?port=1"}}]}}`;
    expect((await prepare(source)).diagnostics).toEqual([]);
    expect(catalog.connectors.has("talk")).toBe(true);
    const handler = `- onException: {exception: [org.example.TalkException], steps: [{log: x}]}\n`;
    expect((await prepare(route("talk:a?port=1", handler))).diagnostics).toEqual([]);
  });

  it("is suggested for a misspelled scheme, and its options are checked once it is loaded", async () => {
    const { prepare } = setUp();
    expect((await prepare(route("tlak:a"))).diagnostics).toMatchObject([{ message: expect.stringContaining("did you mean 'talk'") }]);
    expect((await prepare(route("talk:a?port=1&prot=2"))).diagnostics).toMatchObject([{ code: "endpoint-option-unknown" }]);
  });

  it("is loaded in a trial too, with an indexed bean", async () => {
    const { loads, prepare } = setUp([], true);
    const beans = `- beans: [{name: repository, type: org.example.TalkRepository, properties: {connection: "#echoes"}}, {name: echoes, type: org.example.EchoClient, properties: {url: "x:1"}}]\n`;
    expect((await prepare(route("talk:a?port=1", beans))).diagnostics).toEqual([]);
    expect(loads).toEqual({ connector: 1, connection: 1, bean: 1 });
  });

  it("reports a missing package and the command that installs it", async () => {
    const { prepare } = setUp([{ ...echo, needs: [{ package: "no-such-client", version: "1.2.3", reason: "implements the echo protocol" }] }]);
    const { diagnostics } = await prepare(route("talk:a?port=1"));
    expect(diagnostics).toMatchObject([{ code: "client-missing", message: expect.stringContaining("npm i no-such-client@1.2.3"), span: { line: 1 } }]);
  });
});

describe("the connection of an endpoint", () => {
  const bean = (port: number, password: string): string =>
    `- beans: [{name: main, type: "#class:org.example.EchoClient", properties: {url: "host:${port}", password: "{{pw}}"}}]\n`.replace("{{pw}}", password);
  const inProperties = (port: number) => ({
    "camel.beans.main": "#class:org.example.EchoClient",
    "camel.beans.main.url": `host:${port}`,
    "camel.beans.main.password": "{{from.file}}",
    "from.file": "properties-password",
  });

  it("is a bean of the flow, otherwise the connection with that id, otherwise a bean in application.properties", async () => {
    const { runtime, prepare, connections, secrets } = setUp();
    const { port } = await echoServer();
    const properties = inProperties(port);
    const uri = "talk:a?connection=#main";
    expect(await replyOf(runtime, await prepare(route(uri), properties))).toBe("pong properties-password");
    await connections.define("main", "echo", { port: String(port), password: "connection-password" });
    expect(await replyOf(runtime, await prepare(route(uri), properties))).toBe("pong connection-password");
    expect(await replyOf(runtime, await prepare(route(uri, bean(port, "flow-password")), properties))).toBe("pong flow-password");
    expect(secrets.scrub("properties-password connection-password flow-password")).toBe("*** *** ***");
  });

  it("can be a bean that references another bean", async () => {
    const { runtime, prepare } = setUp();
    const { port } = await echoServer();
    const beans = `- beans: [{name: login, type: org.example.EchoClient, properties: {password: inner-one}}, {name: main, type: org.example.EchoClient, properties: {url: "host:${port}", credentials: "#login"}}]\n`;
    expect(await replyOf(runtime, await prepare(route("talk:a?connection=#bean:main", beans)))).toBe("pong inner-one");
  });

  it("without a reference, is defined by the URI, otherwise by camel.component, otherwise it is the only one of its kind", async () => {
    const { runtime, prepare, connections } = setUp();
    const [inUri, inFile, only] = [await echoServer(), await echoServer(), await echoServer()];
    await connections.define("only", "echo", { port: String(only.port), password: "the-only-one" });
    const component = {
      "camel.component.talk.password": "component-password",
      "camel.component.talk.port": String(inFile.port),
      "camel.component.talk.suffix": "!",
    };
    expect(await replyOf(runtime, await prepare(route(`talk:a?port=${inUri.port}`), component))).toBe("pong no-password!");
    expect([inUri.accepted, inFile.accepted]).toEqual([1, 0]);
    expect(await replyOf(runtime, await prepare(route("talk:a?suffix=?"), component))).toBe("pong no-password?");
    expect([inFile.accepted, only.accepted]).toEqual([1, 0]);
    expect(await replyOf(runtime, await prepare(route("talk:a")))).toBe("pong the-only-one");
  });

  it("is reported at the endpoint when it is missing, with ways to provide it", async () => {
    const { prepare, connections } = setUp();
    const withReference = await prepare(route("talk:a?connection=#orders"));
    expect(withReference.diagnostics).toMatchObject([
      {
        code: "connection-missing",
        span: { line: 1 },
        message: "'talk' uses the connection 'orders', which does not exist",
        hint: expect.stringMatching(/PUT \/_api\/connections\/orders with a type of echo; or define a bean 'orders'.*; or set its values as options/),
      },
    ]);
    await connections.define("one", "echo", { port: "1" });
    await connections.define("two", "echo", { port: "2" });
    expect((await prepare(route("talk:a"))).diagnostics).toMatchObject([{ code: "connection-missing", hint: expect.stringContaining("(one, two)") }]);
  });

  it("cannot be selected by a message", async () => {
    const { runtime, prepare, connections } = setUp();
    const server = await echoServer();
    await connections.define("open", "echo", { port: String(server.port) });
    await connections.define("secret", "echo", { port: String(server.port) });
    const dynamic = (uri: string): string =>
      `- route: {id: r, from: {uri: "direct:r", steps: [{setHeader: {name: c, constant: secret}}, {toD: {uri: "${uri}"}}]}}`;
    expect(await replyOf(runtime, await prepare(dynamic("talk:${body}?connection=#open")))).toBe("pong no-password");
    await expect(replyOf(runtime, await prepare(dynamic("talk:a?connection=#${header.c}")))).rejects.toThrow("its connection came from the message");
  });
});
