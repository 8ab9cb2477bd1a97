// A runtime inside a host application: its handler on node:http, in Express and in Fastify, and its isolation from the host.
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer, request, type RequestListener, type Server } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import express from "express";
import fastify from "fastify";
import { createSluice, SluiceError, type LogRecord, type Sluice, type SluiceOptions } from "sluice";
import { afterEach, describe, expect, it } from "vitest";

const echo = "- route: {id: echo, from: {uri: webhook, steps: [{setBody: {simple: 'got ${body}'}}]}}\n";
const slow = "- route: {id: slow, from: {uri: webhook, steps: [{delay: {constant: 400}}, {setBody: {constant: late}}]}}\n";
const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of cleanups.splice(0).toReversed()) await end();
});

async function open(options: SluiceOptions = {}): Promise<Sluice> {
  const sluice = await createSluice({ environment: {}, ...options });
  cleanups.push(() => sluice.close());
  return sluice;
}

async function serve(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function post(url: string, body: string | Uint8Array<ArrayBuffer> = "hi", headers: Record<string, string> = {}): Promise<[number, string]> {
  const response = await fetch(url, { method: "POST", body, headers });
  return [response.status, await response.text()];
}

/** The status of a request whose path is sent unchanged. */
function statusOf(baseUrl: string, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = request(baseUrl, { path }, (response) => resolve(response.resume().statusCode));
    outgoing.on("error", reject).end();
  });
}

const openPorts = (): number => process.getActiveResourcesInfo().filter((name) => name === "TCPServerWrap").length;

describe("createSluice", () => {
  it("deploys, invokes, replaces and removes without opening a port", async () => {
    const ports = openPorts();
    const sluice = await open({ flows: { echo } });
    expect([openPorts(), sluice.baseUrl]).toEqual([ports, undefined]);
    expect(await sluice.invoke("echo", { body: "a" })).toMatchObject({ runId: expect.stringMatching(/^run_/), body: "got a" });
    expect(await sluice.deploy("echo", { yaml: echo.replace("got", "{{word}}"), params: { word: "have" } })).toMatchObject({
      created: false,
      changed: true,
      routes: [{ id: "echo", url: "/api/echo" }],
    });
    expect((await sluice.invoke("echo", { body: "b" })).body).toBe("have b");
    await sluice.remove("echo");
    await expect(sluice.invoke("echo")).rejects.toMatchObject({ name: "SluiceError", status: 404, message: "route 'echo' not found" });
  });

  it("opens a port only on request", async () => {
    const sluice = await open({ port: 0, flows: { echo } });
    expect(await post(`${sluice.baseUrl}/api/echo`)).toEqual([200, "got hi"]);
  });

  it("rejects an invalid flow and keeps the deployed version", async () => {
    const sluice = await open({ flows: { echo } });
    const refused = await sluice.deploy("echo", echo.replace("setBody", "setBdy")).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(SluiceError);
    expect(refused).toMatchObject({ status: 422, message: expect.stringContaining("did you mean 'setBody'") });
    expect((await sluice.invoke("echo", { body: "a" })).body).toBe("got a");
    await expect(createSluice({ flows: { echo: "nonsense" } })).rejects.toBeInstanceOf(SluiceError);
  });

  it("installs a flow only when its tests pass", async () => {
    const sluice = await open();
    const tests = (reply: string): string => `flowId: echo\ntests:\n  - {name: replies, when: {webhook: echo, body: x}, then: [{reply: {body: ${reply}}}]}\n`;
    await expect(sluice.deploy("echo", { yaml: echo, tests: tests("wrong") })).rejects.toThrow(/tests of flow 'echo' failed/);
    expect(await sluice.deploy("echo", { yaml: echo, tests: tests("got x") })).toMatchObject({ testsPassed: 1 });
  });

  it("passes data without changing the caller's objects, and bytes as bytes", async () => {
    const pass = "- route: {id: pass, from: {uri: 'direct:pass', steps: [{setHeader: {name: seen, constant: yes}}]}}\n";
    const sluice = await open({ flows: { pass } });
    const body = { list: [1, { deep: true }] };
    const reply = await sluice.invoke("pass", { body, headers: { asked: "by test" } });
    expect(reply).toMatchObject({ body, headers: { asked: "by test", seen: "yes" } });
    expect(reply.body).not.toBe(body);
    const bytes = (await sluice.invoke("pass", { body: new Uint8Array([0, 255, 7]) })).body;
    expect(bytes).toBeInstanceOf(Uint8Array);
    expect([...(bytes as Uint8Array)]).toEqual([0, 255, 7]);
  });

  it("rejects when a run fails or takes too long", async () => {
    const fail =
      "- route: {id: fail, from: {uri: 'direct:fail', steps: [{throwException: {id: thrower, exceptionType: java.lang.IllegalStateException, message: no way}}]}}\n";
    const sluice = await open({ flows: { fail, slow } });
    await expect(sluice.invoke("fail")).rejects.toMatchObject({
      name: "SluiceError",
      message: "no way",
      stepId: "thrower",
      type: "java.lang.IllegalStateException",
    });
    await expect(sluice.invoke("slow", { timeoutMs: 20 })).rejects.toMatchObject({ type: "Timeout", runId: expect.stringMatching(/^run_/) });
  });

  it("accepts settings by name only, never from the environment, and reports invalid ones", async () => {
    const sluice = await open({ environment: { SERVICE_DEPLOY_TOKEN: "from-environment", SERVICE_MAX_BODY: "1", GREETING: "moin" }, flows: { echo } });
    const baseUrl = await serve(sluice.handler);
    expect(await post(`${baseUrl}/api/echo`, "longer than one byte")).toEqual([200, "got longer than one byte"]);
    expect((await post(`${baseUrl}/_api/flows/x`, "{}", { authorization: "Bearer from-environment" }))[0]).toBe(503);
    await sluice.deploy("env", "- route: {id: env, from: {uri: 'direct:env', steps: [{setBody: {constant: '{{env:GREETING}}'}}]}}\n");
    expect((await sluice.invoke("env")).body).toBe("moin");
    await expect(createSluice({ maxBodi: 1 } as SluiceOptions)).rejects.toThrow("unknown option 'maxBodi' (did you mean 'maxBody'?)");
    await expect(createSluice({ maxBody: "much" })).rejects.toThrow(/^maxBody: /);
    await expect(createSluice({ workers: 2 } as SluiceOptions)).rejects.toThrow("option 'workers' is not supported: an embedded runtime runs in this process");
  });

  it("stores flows in a data directory, and stores nothing without one", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-embedding-"));
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    const temporary = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith("sluice-embedded-"));
    const first = await open({ dataDir: folder, flows: { echo } });
    await expect(createSluice({ dataDir: folder })).rejects.toThrow(/in use/);
    await first.close();
    const second = await open({ dataDir: folder });
    expect((await second.invoke("echo", { body: "again" })).body).toBe("got again");
    const existing = new Set(temporary());
    const third = await createSluice({ flows: { echo } });
    const added = temporary().filter((name) => !existing.has(name));
    expect(added).not.toEqual([]);
    expect(added.filter((name) => existsSync(join(tmpdir(), name, "routes", "echo.yaml")))).toEqual([]);
    expect(await third.close()).toEqual({ drained: true });
    // Other tests that run at the same time have temporary folders too.
    await expect.poll(() => temporary().filter((name) => added.includes(name))).toEqual([]);
    expect(await third.close()).toEqual({ drained: true });
    await expect(third.invoke("echo")).rejects.toMatchObject({ status: 503, message: "the runtime is shutting down" });
  });

  it("reports errors at the line of the application, not inside Sluice", async () => {
    const sluice = await open({ flows: { echo } });
    const calls: (() => Promise<unknown>)[] = [
      () => createSluice({ maxBdy: 1 } as object),
      () => sluice.deploy("echo", "- nonsense"),
      () => sluice.remove("unknown"),
      () => sluice.invoke("unknown"),
      () => sluice.api("GET", "runs"),
    ];
    for (const call of calls) {
      const lineOfCaller = async (): Promise<unknown> => await call();
      const error = (await lineOfCaller().catch((reason: unknown) => reason)) as Error;
      expect(error.stack?.split("\n")[1], error.message).toMatch(/^ +at .*embedding\.test\.ts/);
    }
  });

  it("passes log records to the host and survives a callback that throws", async () => {
    const records: LogRecord[] = [];
    const log = "- route: {id: noisy, from: {uri: 'direct:noisy', steps: [{log: 'heard ${body}'}]}}\n";
    const sluice = await open({
      flows: { log },
      onLog(record) {
        records.push(record);
        throw new Error("an error of the host");
      },
    });
    await sluice.invoke("noisy", { body: "a" });
    expect(records.find(({ message }) => message === "heard a")).toMatchObject({ level: "INFO", flowId: "log", routeId: "noisy", time: expect.any(Date) });
  });

  it("supports several runtimes in one process", async () => {
    const [one, two] = await Promise.all([open({ flows: { echo } }), open({ flows: { echo: echo.replace("got", "took") } })]);
    expect([(await one.invoke("echo", { body: "x" })).body, (await two.invoke("echo", { body: "x" })).body]).toEqual(["got x", "took x"]);
  });
});

describe("the handler on node:http", () => {
  it("serves webhooks, and responds 404 to other requests", async () => {
    const sluice = await open({ flows: { echo } });
    const baseUrl = await serve(sluice.handler);
    expect(await post(`${baseUrl}/api/echo`)).toEqual([200, "got hi"]);
    expect(await post(`${baseUrl}/api/other`)).toEqual([404, `{"error":"no webhook route 'other'"}`]);
    expect((await fetch(`${baseUrl}/api/echo`, { method: "OPTIONS" })).headers.get("allow")).toContain("POST");
  });

  it("serves the management API only to callers with the token, and not at all without a configured token", async () => {
    const closed = await serve((await open({ flows: { echo } })).handler);
    expect((await fetch(`${closed}/_api/flows`)).status).toBe(503);
    const opened = await serve((await open({ deployToken: "secret", flows: { echo } })).handler);
    expect((await fetch(`${opened}/_api/flows`)).status).toBe(401);
    const listed = await fetch(`${opened}/_api/flows`, { headers: { authorization: "Bearer secret" } });
    expect(await listed.json()).toMatchObject({ total: 1 });
    for (const path of ["/_API/flows", "/%5fapi/flows", "/x/../_api/flows"]) expect(await statusOf(opened, path)).toBe(401);
  });

  it("enforces the access rules and the limits of the runtime", async () => {
    const denied = await serve((await open({ webhookDefault: "deny", flows: { echo } })).handler);
    expect((await post(`${denied}/api/echo`))[0]).toBe(403);
    const limited = await serve((await open({ maxBody: 100, flows: { echo } })).handler);
    expect(await post(`${limited}/api/echo`, "x".repeat(101))).toEqual([413, '{"error":"request body exceeds 100 bytes"}']);
    expect((await post(`${limited}/api/echo`, "x".repeat(100)))[0]).toBe(200);
  });

  it("streams events", async () => {
    const sluice = await open({ deployToken: "secret", flows: { echo } });
    const baseUrl = await serve(sluice.handler);
    const stream = await fetch(`${baseUrl}/_api/trace/stream`, { headers: { authorization: "Bearer secret" } });
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
    let text = "";
    await sluice.invoke("echo", { body: "streamed" });
    while (!text.includes("run.completed")) text += new TextDecoder().decode((await reader.read()).value);
    await reader.cancel();
    expect(text).toContain("got streamed");
  });

  it("responds to accepted requests before it closes, and with 503 afterwards", async () => {
    const sluice = await open({ flows: { slow } });
    const baseUrl = await serve(sluice.handler);
    const running = post(`${baseUrl}/api/slow`);
    const inflight = async (): Promise<unknown> => (await sluice.api("GET", "/health")).body;
    await expect.poll(inflight).toMatchObject({ routes: [{ id: "slow", inflight: 1 }] });
    const closed = sluice.close();
    expect(await running).toEqual([200, "late"]);
    expect(await closed).toEqual({ drained: true });
    expect(await post(`${baseUrl}/api/slow`)).toEqual([503, '{"error":"the runtime is shutting down"}']);
  });

  it("cleans up after a caller that disconnects while sending its body", async () => {
    const sluice = await open({ flows: { echo } });
    const { port } = new URL(await serve(sluice.handler));
    const socket = connect(Number(port), "127.0.0.1");
    socket.write("POST /api/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf");
    // Each reply shows that the runtime has processed what was sent before.
    expect(await post(`http://127.0.0.1:${port}/api/echo`)).toEqual([200, expect.anything()]);
    socket.destroy();
    expect(await post(`http://127.0.0.1:${port}/api/echo`)).toEqual([200, expect.anything()]);
    expect(await sluice.close()).toEqual({ drained: true });
  });
});

describe("the handler in Express", () => {
  it("serves webhooks at the root and below a path, and passes on other requests", async () => {
    const sluice = await open({ flows: { echo } });
    const app = express();
    app.use("/flows", sluice.handler);
    app.use(sluice.handler);
    app.use(express.json());
    app.post("/orders", (incoming, response) => void response.json({ own: incoming.body.n }));
    const baseUrl = await serve(app);
    expect(await post(`${baseUrl}/api/echo`)).toEqual([200, "got hi"]);
    expect(await post(`${baseUrl}/flows/api/echo`)).toEqual([200, "got hi"]);
    expect(await post(`${baseUrl}/orders`, '{"n":1}', { "content-type": "application/json" })).toEqual([200, '{"own":1}']);
    expect((await post(`${baseUrl}/api/other`))[0]).toBe(404);
    expect((await fetch(`${baseUrl}/_api/flows`)).status).toBe(503);
  });

  it("reports that a body parser already read the body", async () => {
    const sluice = await open({ flows: { echo } });
    const app = express();
    app.use(express.text({ type: "*/*" }), sluice.handler);
    app.use(((error: Error, _request, response, _next) => void response.status(500).send(error.message)) as express.ErrorRequestHandler);
    const baseUrl = await serve(app);
    const text = "the request body was already read: mount the handler before body parsers";
    expect(await post(`${baseUrl}/api/echo`)).toEqual([500, text]);
    const bare = await serve((incoming, response) => incoming.resume().once("end", () => sluice.handler(incoming, response)));
    expect(await post(`${bare}/api/echo`)).toEqual([500, JSON.stringify({ error: text })]);
  });
});

describe("the handler in Fastify", () => {
  it("serves webhooks before bodies are parsed, and leaves other routes to Fastify", async () => {
    const sluice = await open({ flows: { echo } });
    const app = fastify();
    app.addHook("onRequest", (incoming, reply, next) => sluice.handler(incoming.raw, reply.raw, next as () => void));
    app.post("/orders", async (incoming) => ({ own: (incoming.body as { n: number }).n }));
    const baseUrl = await app.listen({ port: 0, host: "127.0.0.1" });
    cleanups.push(() => app.close());
    expect(await post(`${baseUrl}/api/echo`, '{"n":1}', { "content-type": "application/json" })).toEqual([200, 'got {"n":1}']);
    expect(await post(`${baseUrl}/orders`, '{"n":1}', { "content-type": "application/json" })).toEqual([200, '{"own":1}']);
    expect((await post(`${baseUrl}/api/other`))[0]).toBe(404);
  });
});
