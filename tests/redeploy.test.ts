// Replacing, removing and stopping under load: a separate process, real connections, every reply checked.
import { connect } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { heldPartner } from "./held-partner.ts";
import { spawnServer, type SpawnedServer } from "./spawned-server.ts";
import { call, eventually, replyFlow } from "./started-server.ts";
import { moment, startLoad } from "./webhook-load.ts";

let server: SpawnedServer;
beforeAll(async () => void (server = await spawnServer({ env: { SERVICE_DRAIN_MS: "60s" } })));
afterAll(async () => {
  await server.end("SIGKILL");
  server.clean();
});

const waitingFor = (id: string, url: string, text: string): string => `- route:
    id: ${id}
    from:
      uri: webhook
      steps:
        - to: ${url}
        - setBody: {constant: ${text}}
`;

describe("redeploy", () => {
  it("redeploys under load fail no request, each reply is from the old or the new version, and from the new one after the PUT's 2xx", async () => {
    const versions = 25;
    const connections = 20;
    expect((await server.putFlow("swap", replyFlow("swap", "v0"))).status).toBe(201);
    const load = startLoad(`${server.baseUrl}/api/swap`, { connections });
    const replacedAt = [0];
    for (let version = 1; version <= versions; version++) {
      expect((await server.putFlow("swap", replyFlow("swap", `v${version}`))).status).toBe(200);
      replacedAt.push(moment());
      const { length } = load.replies;
      // More replies than there are connections: some of these requests were sent after the PUT.
      await eventually(() => load.replies.length > length + connections);
    }
    await load.stop();
    expect(load.connectionErrors).toEqual([]);
    expect(load.replies.filter(({ status }) => status !== 200)).toEqual([]);
    expect(load.replies.filter(({ body }) => !/^v\d+$/.test(body))).toEqual([]);
    const stale = load.replies.filter(({ sentAt, body }) => Number(body.slice(1)) < replacedAt.findLastIndex((at) => at <= sentAt));
    expect(stale).toEqual([]);
    expect(new Set(load.replies.map(({ body }) => body)).size).toBeGreaterThanOrEqual(versions);
  });

  it("an exchange in flight across a PUT finishes with the old definition, and the PUT does not wait for it", async () => {
    const partner = await heldPartner();
    await server.putFlow("slow", waitingFor("slow", partner.url, "old"));
    const inFlight = call(server.baseUrl, "POST", "/api/slow", "{}");
    await eventually(() => partner.waiting() === 1);
    expect((await server.putFlow("slow", replyFlow("slow", "new"))).status).toBe(200);
    expect((await call(server.baseUrl, "POST", "/api/slow", "{}")).text).toBe("new");
    partner.respond();
    expect((await inFlight).text).toBe("old");
    partner.close();
  });

  it("the same PUT twice under load restarts nothing", async () => {
    const yaml = replyFlow("same", "same");
    const first = await server.putFlow("same", yaml);
    const load = startLoad(`${server.baseUrl}/api/same`, { connections: 5 });
    await eventually(() => load.replies.length > 20);
    const totalBefore = (await server.api("GET", "/health")).json.routes.find(({ id }: { id: string }) => id === "same").total;
    const repeated = await server.putFlow("same", yaml);
    await load.stop();
    expect([first.status, repeated.status, repeated.json.hash]).toEqual([201, 200, first.json.hash]);
    const after = (await server.api("GET", "/health")).json.routes.find(({ id }: { id: string }) => id === "same").total;
    expect(after).toBeGreaterThanOrEqual(totalBefore);
    expect(load.connectionErrors).toEqual([]);
  });

  it("an invalid version leaves the old one running, with its text unchanged", async () => {
    await server.putFlow("keep", replyFlow("keep", "kept"));
    const before = (await server.api("GET", "/flows/keep")).json;
    const refused = await server.putFlow("keep", `- route: {id: keep, from: {uri: webhook, steps: [{lgo: x}]}}\n`);
    expect(refused.status).toBe(422);
    expect(Object.keys(refused.json)).toEqual(["error"]);
    expect(refused.json.error).toBe("line 1: unknown step 'lgo' in route 'keep' (did you mean 'log'?)");
    expect((await server.api("GET", "/flows/keep")).json.hash).toBe(before.hash);
    expect((await call(server.baseUrl, "POST", "/api/keep", "{}")).text).toBe("kept");
  });

  it("replacing one flow does not affect another's waiting exchange", async () => {
    const partner = await heldPartner();
    await server.putFlow("other", waitingFor("other", partner.url, "other"));
    const inFlight = call(server.baseUrl, "POST", "/api/other", "{}");
    await eventually(() => partner.waiting() === 1);
    for (let version = 0; version < 5; version++) await server.putFlow("swap", replyFlow("swap", `w${version}`));
    partner.respond();
    expect((await inFlight).text).toBe("other");
    partner.close();
  });
});

describe("delete", () => {
  it("in-flight exchanges finish, new calls get 404, DELETE replies within the drain timeout although one is stuck", async () => {
    const partner = await heldPartner();
    const short = await spawnServer({ env: { SERVICE_DRAIN_MS: "1s" } });
    await short.putFlow("gone", waitingFor("gone", partner.url, "done"));
    const stuck = call(short.baseUrl, "POST", "/api/gone", "{}");
    await eventually(() => partner.waiting() === 1);
    const removal = short.api("DELETE", "/flows/gone");
    await eventually(async () => (await call(short.baseUrl, "POST", "/api/gone", "{}")).status === 404);
    const removed = await removal;
    expect(removed.json).toMatchObject({ id: "gone", deleted: true, routes: ["gone"], drained: false });
    expect((await stuck).status).toBeGreaterThanOrEqual(500);
    partner.close();
    await short.end();
    short.clean();
  });
});

/** The runtime accepts calls of its API while a request is in flight. */
const untilDraining = (running: SpawnedServer): Promise<void> => eventually(async () => (await running.api("GET", "/health")).json.status === "DRAINING");

describe("shutdown", () => {
  let stopping: SpawnedServer | undefined;
  afterEach(() => stopping?.clean());

  it("SIGTERM under load: every accepted request gets its response, and the process exits with 0", async () => {
    stopping = await spawnServer();
    await stopping.putFlow("busy", replyFlow("busy", "ok"));
    const load = startLoad(`${stopping.baseUrl}/api/busy`);
    await eventually(() => load.replies.length > 50);
    const code = await stopping.end("SIGTERM");
    await load.stop();
    expect(code).toBe(0);
    expect(load.replies.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
    expect(load.connectionErrors.filter((text) => !/ECONNREFUSED|ECONNRESET.*|socket hang up/.test(text))).toEqual([]);
  });

  it("requests in flight at SIGTERM get their responses, with Connection: close, and the process exits with 0", async () => {
    const partner = await heldPartner();
    const running = (stopping = await spawnServer({ env: { SERVICE_DRAIN_MS: "60s" } }));
    await running.putFlow("busy", waitingFor("busy", partner.url, "done"));
    const port = Number(new URL(running.baseUrl).port);
    const replies = Array.from({ length: 50 }, () => {
      const socket = connect(port, "127.0.0.1");
      let text = "";
      socket.on("data", (chunk) => (text += chunk.toString("latin1")));
      socket.write("POST /api/busy HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx");
      return new Promise<string>((resolve) => socket.on("error", (error) => resolve(error.message)).on("close", () => resolve(text)));
    });
    await eventually(() => partner.waiting() === 50);
    const ended = running.end("SIGTERM");
    await untilDraining(running);
    partner.respond();
    expect(await ended).toBe(0);
    for (const text of await Promise.all(replies)) {
      expect(text).toMatch(/^HTTP\/1\.1 200 /);
      expect(text).toMatch(/\r\nconnection: close\r\n/i);
      expect(text.endsWith("done")).toBe(true);
    }
    partner.close();
  });

  it("a stuck step is abandoned at the limit, named in the log, and the exit code is not 0", async () => {
    const partner = await heldPartner();
    stopping = await spawnServer({ env: { SERVICE_DRAIN_MS: "500ms" } });
    await stopping.putFlow("stuck", waitingFor("stuck", partner.url, "never"));
    void call(stopping.baseUrl, "POST", "/api/stuck", "{}").catch(() => undefined);
    await eventually(() => partner.waiting() === 1);
    const running = stopping;
    expect(await running.end("SIGTERM")).not.toBe(0);
    await expect.poll(() => running.output()).toMatch(/stuck.*to1|to1.*stuck/s);
    partner.close();
  });

  it("health reports draining and PUT is rejected with 503 while it drains", async () => {
    const partner = await heldPartner();
    const running = (stopping = await spawnServer({ env: { SERVICE_DRAIN_MS: "60s" } }));
    await running.putFlow("held", waitingFor("held", partner.url, "held"));
    const inFlight = call(running.baseUrl, "POST", "/api/held", "{}");
    await eventually(() => partner.waiting() === 1);
    const ended = running.end("SIGTERM");
    await untilDraining(running);
    expect((await running.putFlow("late", replyFlow("late", "x"))).status).toBe(503);
    partner.respond();
    expect((await inFlight).text).toBe("held");
    expect(await ended).toBe(0);
    partner.close();
  });
});
