// The version history of flows and rollback, over HTTP, across restarts and crashes.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sha256 } from "./sha256.ts";
import { spawnServer } from "./spawned-server.ts";
import { call, eventually, replyFlow, startTestServer, token, type StartedServer } from "./started-server.ts";

let server: StartedServer;
let dataDir: string;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "sluice-versions-"));
  server = await startTestServer({ dataDir });
});
afterEach(() => server.end());

const fingerprint = `token:${sha256(token).slice(0, 8)}`;
const versions = async (id = "orders"): Promise<any[]> => (await server.api("GET", `/flows/${id}/versions`)).json.versions;
const revisions = async (): Promise<readonly number[]> => (await versions()).map(({ revision }) => revision);
const running = async (): Promise<number | undefined> => (await versions()).find((version) => version.running)?.revision;
const rollBack = (revision: unknown, query = "", headers = {}) => server.api("POST", `/flows/orders/rollback${query}`, { revision }, headers);
const replyText = async (): Promise<string> => (await call(server.baseUrl, "POST", "/api/orders", "x")).text;
const put = (text: string, params?: unknown) => server.putFlow("orders", replyFlow("orders", text), params);

async function restart(env = {}): Promise<void> {
  await server.stop();
  server = await startTestServer({ dataDir, env });
}

describe("the history of a flow", () => {
  it("lists every deployed version with number, time, author, hash, size and the one that runs", async () => {
    const before = new Date().toISOString();
    expect((await put("one")).json).toMatchObject({ created: true, revision: 1 });
    const yaml = replyFlow("orders", "two");
    const second = await server.api("PUT", "/flows/orders?by=Ada%20L.&comment=faster%20reply", yaml, { "content-type": "application/yaml" });
    expect([second.status, second.json.revision]).toEqual([200, 2]);
    const { json, status } = await server.api("GET", "/flows/orders/versions");
    expect(status).toBe(200);
    expect(json).toEqual({
      total: 2,
      versions: [
        {
          revision: 2,
          hash: sha256(yaml),
          at: expect.any(String),
          by: "Ada L.",
          comment: "faster reply",
          size: yaml.length,
          running: true,
          restoredFrom: null,
          params: {},
        },
        expect.objectContaining({ revision: 1, by: fingerprint, comment: null, running: false }),
      ],
    });
    expect(json.versions[0].at >= json.versions[1].at && json.versions[1].at >= before).toBe(true);
    await eventually(() => server.logText().includes(`Deployed revision 2 of flow 'orders' (hash ${sha256(yaml).slice(0, 12)}, by Ada L.)`));
    const firstVersion = await server.api("GET", "/flows/orders/versions/1");
    expect([firstVersion.json, firstVersion.headers.get("etag")]).toEqual([
      { ...json.versions[1], yaml: replyFlow("orders", "one"), tests: null },
      `"${json.versions[1].hash}"`,
    ]);
    const raw = await server.api("GET", "/flows/orders/versions/1", undefined, { accept: "application/yaml" });
    expect([raw.text, raw.headers.get("content-type")]).toEqual([replyFlow("orders", "one"), "application/yaml; charset=utf-8"]);
  });

  it("adds nothing for the same text, a dry run or a rejected version", async () => {
    await put("one");
    expect((await put("one")).json).not.toHaveProperty("revision");
    expect((await server.api("PUT", "/flows/orders?dryRun=true", { yaml: replyFlow("orders", "two") })).json).not.toHaveProperty("revision");
    expect((await server.putFlow("orders", "- route: {from: {uri: webhook, steps: [{lgo: x}]}}")).status).toBe(422);
    expect((await server.api("PUT", "/flows/orders", { yaml: replyFlow("orders", "two") }, { "if-match": '"other"' })).status).toBe(412);
    expect(await revisions()).toEqual([1]);
    expect(readdirSync(join(dataDir, "flow-versions", "orders"))).toEqual(["1.yaml"]);
  });

  it("is bounded in number and bytes; revision numbers are never used twice", async () => {
    await restart({ SERVICE_VERSIONS: "3" });
    for (const text of ["one", "two", "three", "four", "five"]) await put(text);
    expect(await revisions()).toEqual([5, 4, 3]);
    expect((await rollBack(1)).json).toEqual({ error: "revision 1 of flow 'orders' not found; available revisions: 3, 4, 5" });
    await restart({ SERVICE_VERSION_BYTES: "4k" });
    await put("x".repeat(3_000));
    expect(await revisions()).toEqual([6, 5, 4]);
    await put("y".repeat(6_000));
    expect([await revisions(), await replyText()]).toEqual([[7], "y".repeat(6_000)]);
  });

  it("survives a restart and is removed with its flow", async () => {
    await put("one");
    await put("two");
    const before = await versions();
    await restart();
    expect(await versions()).toEqual(before);
    await server.api("DELETE", "/flows/orders");
    expect((await server.api("GET", "/flows/orders/versions")).json).toEqual({ error: "flow 'orders' not found" });
    expect(existsSync(join(dataDir, "flow-versions", "orders"))).toBe(false);
    await put("three");
    expect(await revisions()).toEqual([1]);
  });

  it("includes changes made to the file by hand, without an author, before and after the next deployment", async () => {
    await put("one");
    await server.stop();
    const edited = replyFlow("orders", "edited");
    writeFileSync(join(dataDir, "routes", "orders.yaml"), edited);
    const at = new Date("2026-01-02T03:04:05.000Z");
    utimesSync(join(dataDir, "routes", "orders.yaml"), at, at);
    server = await startTestServer({ dataDir });
    const byHand = { revision: 2, hash: sha256(edited), by: null, at: at.toISOString(), running: true };
    expect(await versions()).toMatchObject([byHand, { revision: 1, running: false }]);
    expect((await put("three")).json.revision).toBe(3);
    expect(await versions()).toMatchObject([{ revision: 3, running: true }, { ...byHand, running: false }, { revision: 1 }]);
    expect((await rollBack(2)).json).toMatchObject({ changed: true, revision: 4 });
    expect(await replyText()).toBe("edited");
  });

  it("omits damaged files and never restores their text", async () => {
    await put("one");
    await put("two");
    const file = join(dataDir, "flow-versions", "orders", "1.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace("constant: one", "constant: 0ne"));
    expect(await revisions()).toEqual([2]);
    expect((await rollBack(1)).status).toBe(404);
    await put("three");
    expect(await revisions()).toEqual([3, 2]);
  });
});

describe("rollback", () => {
  it("deploys the text, parameters and tests of a version as a new version", async () => {
    const greeting = replyFlow("orders", "'{{greeting}}'");
    const tests = (text: string): string => `flowId: orders\ntests:\n  - {name: ${text}, when: {webhook: orders}, then: [{reply: {body: ${text}}}]}\n`;
    await server.api("PUT", "/flows/orders", { yaml: greeting, params: { greeting: "hello" }, tests: tests("hello") });
    await server.api("PUT", "/flows/orders", { yaml: greeting, params: { greeting: "bye" }, tests: tests("bye") });
    await put("plain", {});
    expect((await versions()).map(({ revision, params, hash }) => [revision, params, hash === sha256(greeting)])).toEqual([
      [3, {}, false],
      [2, { greeting: "bye" }, true],
      [1, { greeting: "hello" }, true],
    ]);
    const reply = await rollBack(1, "?tests=required&by=bob");
    expect([reply.status, reply.json, reply.headers.get("etag")]).toEqual([
      200,
      expect.objectContaining({ id: "orders", created: false, changed: true, hash: sha256(greeting), revision: 4, testsPassed: 1 }),
      `"${sha256(greeting)}"`,
    ]);
    expect(await replyText()).toBe("hello");
    expect((await server.api("GET", "/flows/orders")).json).toMatchObject({ yaml: greeting, params: { greeting: "hello" }, tests: tests("hello") });
    expect((await versions())[0]).toMatchObject({ revision: 4, by: "bob", restoredFrom: 1, running: true });
    await restart();
    expect([await replyText(), await running()]).toEqual(["hello", 4]);
  });

  it("behaves like a PUT: If-Match, dry run, tests and validation", async () => {
    await server.api("PUT", "/flows/orders", {
      yaml: replyFlow("orders", "one"),
      tests: "flowId: orders\ntests:\n  - {name: t, when: {webhook: orders}, then: [{reply: {body: two}}]}\n",
    });
    await put("two");
    const current = sha256(replyFlow("orders", "two"));
    expect((await rollBack(1, "", { "if-match": `"${sha256("x")}"` })).json).toEqual({ error: `flow 'orders' changed since hash ${sha256("x")}` });
    const dry = await rollBack(1, "?dryRun=true", { "if-match": `"${current}"` });
    expect(dry.json).toMatchObject({ dryRun: true, changed: true, previousHash: current });
    const failing = await rollBack(1, "?tests=required");
    expect([failing.status, failing.json.error]).toEqual([422, expect.stringContaining("1 of 1 tests of flow 'orders' failed")]);
    expect([await replyText(), await revisions()]).toEqual(["two", [2, 1]]);
    expect((await rollBack(1, "", { "if-match": `"${current}"` })).json).toMatchObject({ changed: true, revision: 3 });
    expect(await replyText()).toBe("one");
    const repeated = await rollBack(1);
    expect([repeated.json.changed, "revision" in repeated.json, await revisions()]).toEqual([false, false, [3, 2, 1]]);
  });

  it("rejects a version that conflicts with another flow, and keeps the current one", async () => {
    await put("one");
    await server.putFlow("orders", replyFlow("renamed", "two"));
    await server.putFlow("other", replyFlow("orders", "other"));
    expect((await rollBack(1)).json).toEqual({ error: "route id 'orders' is already used by flow 'other'" });
    expect((await call(server.baseUrl, "POST", "/api/renamed", "x")).text).toBe("two");
    expect(await revisions()).toEqual([2, 1]);
  });

  it.each([
    [undefined, 400, "revision is required"],
    ["1", 400, "revision must be a number"],
    [0, 400, "revision must be 1 or more"],
    [7, 404, "revision 7 of flow 'orders' not found; available revisions: 1"],
  ])("explains a wrong revision: %j", async (revision, status, error) => {
    await put("one");
    const reply = await rollBack(revision);
    expect([reply.status, reply.json]).toEqual([status, { error }]);
  });

  it.each([
    ["POST", "/flows/none/rollback", 404, "flow 'none' not found"],
    ["GET", "/flows/none/versions", 404, "flow 'none' not found"],
    ["GET", "/flows/orders/versions/x", 400, "revision must be an integer of 1 or more"],
    ["GET", "/flows/orders/versions/2", 404, "revision 2 of flow 'orders' not found; available revisions: 1"],
    ["POST", `/flows/orders/rollback?by=${"x".repeat(101)}`, 400, "by must have at most 100 characters"],
    ["POST", "/flows/orders/rollback?comment=a%0Ab", 400, "comment must be one line without control characters"],
    ["POST", "/flows/orders/rollback?by=token:x", 400, "by must not start with 'token:', which marks fingerprints of tokens"],
  ])("%s %s is %i", async (method, path, status, error) => {
    await put("one");
    const reply = await server.api(method, path, method === "POST" ? { revision: 1 } : undefined);
    expect([reply.status, reply.json]).toEqual([status, { error }]);
  });

  it("drops no request", async () => {
    await put("one");
    await put("two");
    let isOver = false;
    const seen = new Map<string, number>();
    const load = Array.from({ length: 2 }, async () => {
      while (!isOver) {
        const { status, text } = await call(server.baseUrl, "POST", "/api/orders", "x");
        seen.set(`${status} ${text}`, (seen.get(`${status} ${text}`) ?? 0) + 1);
      }
    });
    await eventually(() => seen.has("200 two"));
    for (let round = 0; round < 6; round++) {
      expect((await rollBack(1 + (round % 2))).status).toBe(200);
      expect(await replyText()).toBe(round % 2 === 0 ? "one" : "two");
    }
    isOver = true;
    await Promise.all(load);
    expect([...seen.keys()].sort()).toEqual(["200 one", "200 two"]);
  });
});

describe("secrets", () => {
  const secret = "s3cr3t-of-the-erp";

  it("are neither stored in the history nor returned; a rollback keeps the current value", async () => {
    const yaml = replyFlow("orders", "'{{erp.password}}'");
    await server.putFlow("orders", yaml, { erp: { password: { value: secret, secret: true } } });
    await server.putFlow("orders", replyFlow("orders", "broken"), { erp: { password: { value: `${secret}-rotated`, secret: true } } });
    expect((await versions())[1].params).toEqual({ "erp.password": { value: "***", secret: true } });
    const folder = join(dataDir, "flow-versions", "orders");
    expect(readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8").includes(secret))).toEqual([false, false]);
    expect((await rollBack(1)).status).toBe(200);
    expect(await replyText()).toBe(`${secret}-rotated`);
  });

  it("that were removed meanwhile are named in the error", async () => {
    await put("one", { erp: { password: { value: secret, secret: true } } });
    await put("two", {});
    expect([(await rollBack(1)).status, (await rollBack(1)).json.error]).toEqual([
      422,
      "revision 1 of flow 'orders' needs the secret parameter 'erp.password', whose value is not in the history: deploy the flow with this parameter first",
    ]);
    expect((await put("two", { erp: { password: { value: "another-s3cr3t", secret: true } } })).status).toBe(200);
    expect((await rollBack(1)).status).toBe(200);
  });
});

it("after kill -9 every acknowledged version is in the history, and the flow on disk is one of them", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-killed-"));
  const acknowledged = new Map<number, string>();
  let count = 0;
  for (let round = 0; round < 4; round++) {
    const spawned = await spawnServer({ dataDir: folder, env: { SERVICE_VERSIONS: "64" } });
    const listed = async (): Promise<any[]> => (await spawned.api("GET", "/flows/orders/versions")).json.versions;
    if (round > 0) {
      const found = await listed();
      for (const [revision, text] of acknowledged) expect(found.find((version) => version.revision === revision)?.hash).toBe(sha256(replyFlow("orders", text)));
      const { hash } = (await spawned.api("GET", "/flows/orders")).json;
      expect(found.filter((version) => version.running)).toMatchObject([{ hash, by: "ada" }]);
      expect(new Set(found.map(({ revision }) => revision)).size).toBe(found.length);
      expect((await call(spawned.baseUrl, "POST", "/api/orders", "x")).text).toMatch(/^t\d+$/);
    }
    if (round === 3) {
      await spawned.end();
      break;
    }
    for (let last = count + 4 + round; count < last; count++) {
      const text = `t${count}`;
      const reply = spawned.api("PUT", "/flows/orders?by=ada", { yaml: replyFlow("orders", text) }).catch(() => undefined);
      // The last change of each round is interrupted, each time at a different point.
      if (count === last - 1) {
        // real time: chooses the point; every point is correct.
        await new Promise<void>((resolve) => setTimeout(resolve, round * 3));
        await spawned.end("SIGKILL");
      }
      const revision = (await reply)?.json?.revision;
      if (revision !== undefined) acknowledged.set(revision, text);
    }
  }
  expect(acknowledged.size).toBeGreaterThanOrEqual(12);
  rmSync(folder, { recursive: true, force: true });
});
