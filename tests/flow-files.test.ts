// Files of the data directory across restarts.
import { closeSync, ftruncateSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { flowIds } from "../packages/server/src/flows/flow-ids.test-support.ts";
import { sha256 } from "./sha256.ts";
import { call, replyFlow, startTestServer, type StartedServer } from "./started-server.ts";

let server: StartedServer;
let dataDir: string;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "sluice-files-"));
  server = await startTestServer({ dataDir });
});
afterEach(() => server.end());

async function restart(): Promise<void> {
  await server.stop();
  server = await startTestServer({ dataDir });
}

const key = "k-0123456789abcdef";
const policy = { authenticate: [{ type: "apiKey", in: "header", name: "X-API-Key", keys: [{ id: "k", key }] }], default: "allow" };
const listed = async (): Promise<{ id: string; file: string; hash: string; status: string; error: string | null }[]> =>
  (await server.api("GET", "/flows")).json.flows;

describe("ids and files", () => {
  it("a flow whose id ends in .camel keeps its policy across a restart, and no other flow overwrites its file", async () => {
    expect((await server.api("PUT", "/auth/pay.camel", policy)).status).toBe(201);
    expect((await server.putFlow("pay.camel", replyFlow("secret", "secret"))).status).toBe(201);
    expect((await server.putFlow("pay", replyFlow("open", "open"))).status).toBe(201);
    for (let start = 0; start < 2; start++) {
      expect((await call(server.baseUrl, "POST", "/api/secret", "x")).status).toBe(401);
      expect((await call(server.baseUrl, "POST", "/api/secret", "x", { "x-api-key": key })).text).toBe("secret");
      expect((await call(server.baseUrl, "POST", "/api/open", "x")).text).toBe("open");
      expect((await listed()).map(({ id, status }) => [id, status])).toEqual([
        ["pay", "Started"],
        ["pay.camel", "Started"],
      ]);
      await restart();
    }
    expect((await server.api("DELETE", "/flows/pay")).status).toBe(200);
    await restart();
    expect((await listed()).map(({ id }) => id)).toEqual(["pay.camel"]);
  });

  it("flows, parameters, tests, tables, documents and policies with arbitrary ids are unchanged after a restart", async () => {
    const mapping = { source: { format: "json" }, target: { format: "json" }, map: [{ to: "a", from: "b" }] };
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(flowIds, { minLength: 2, maxLength: 6, selector: (id) => id.toLowerCase() }), async (ids) => {
        const expected = new Map<string, readonly unknown[]>();
        const paths = (id: string): readonly string[] => [`/flows/${id}`, `/value-mappings/${id}`, `/message-mappings/${id}`, `/auth/${id}`];
        const stateOf = async (id: string): Promise<readonly unknown[]> => {
          const replies = await Promise.all(paths(id).map((path) => server.api("GET", path)));
          const { yaml, params, tests, error } = replies[0]?.json;
          return [...replies.map(({ status, headers }) => [status, headers.get("etag")]), yaml, params, tests, error];
        };
        for (const [index, id] of ids.entries()) {
          const tests = `flowId: ${id}\ntests:\n  - {name: t${index}, when: {webhook: r${index}}, then: [{status: completed}]}\n`;
          expect((await server.api("PUT", `/flows/${id}`, { yaml: replyFlow(`r${index}`, `${index}`), params: { n: index }, tests })).status).toBe(201);
          expect((await server.api("PUT", `/value-mappings/${id}`, { entries: { a: `${index}` } })).status).toBe(201);
          expect((await server.api("PUT", `/message-mappings/${id}`, { ...mapping, name: `${index}` })).status).toBe(201);
          expect((await server.api("PUT", `/auth/${id}`, { ...policy, default: index % 2 === 0 ? "allow" : "deny" })).status).toBe(201);
        }
        for (const id of ids) expected.set(id, await stateOf(id));
        await restart();
        expect((await listed()).map(({ id }) => id)).toEqual([...ids].sort());
        for (const id of ids) expect([id, ...(await stateOf(id))]).toEqual([id, ...(expected.get(id) as readonly unknown[])]);
        for (const id of ids) for (const path of paths(id)) expect([path, (await server.api("DELETE", path)).status]).toEqual([path, 200]);
        await restart();
        expect(await listed()).toEqual([]);
        expect(readdirSync(server.routesDir)).toEqual([]);
      }),
      { numRuns: 6 },
    );
  });

  it("if a flow has several files, one is used, the others are listed with both names, and DELETE removes all", async () => {
    await server.stop();
    for (const [name, text] of [
      ["pay.yaml", "first"],
      ["pay.camel.yaml", "second"],
      ["pay.yml", "third"],
    ] as const)
      writeFileSync(join(dataDir, "routes", name), replyFlow("pay", text));
    server = await startTestServer({ dataDir });
    // An id that could be mistaken for that of the duplicate file.
    expect((await server.putFlow("pay.yml", replyFlow("other", "other"))).status).toBe(201);
    expect((await listed()).map(({ id, file, status, error }) => [id, file, status, error])).toEqual([
      ["pay", "pay.yaml", "Started", null],
      ["pay (pay.camel.yaml)", "pay.camel.yaml", "Failed", expect.stringContaining("'pay.camel.yaml' is ignored: 'pay.yaml' already defines the flow")],
      ["pay (pay.yml)", "pay.yml", "Failed", expect.stringContaining("'pay.yml' is ignored: 'pay.yaml' already defines the flow")],
      ["pay.yml", "pay.yml.yaml", "Started", null],
    ]);
    for (const { file, hash } of await listed()) expect([file, hash]).toEqual([file, sha256(readFileSync(join(dataDir, "routes", file)))]);
    expect((await server.api("DELETE", "/flows/pay")).status).toBe(200);
    await restart();
    expect((await listed()).map(({ id }) => id)).toEqual(["pay.yml"]);
  });
});

describe("files that are not flows", () => {
  it("the hash of a file that is not UTF-8 is the hash of its bytes", async () => {
    await server.stop();
    const bytes = Buffer.from([0x2d, 0x20, 0xff, 0xfe, 0x0a]);
    writeFileSync(join(dataDir, "routes", "binary.yaml"), bytes);
    server = await startTestServer({ dataDir });
    expect(await listed()).toMatchObject([{ id: "binary", status: "Failed", hash: sha256(bytes), error: expect.stringContaining("not UTF-8") }]);
  });

  it("a file too large to be a flow is listed, never read, and replaced by a PUT", async () => {
    expect((await server.putFlow("small", replyFlow("small", "small"))).status).toBe(201);
    expect((await server.api("PUT", "/value-mappings/kept", { entries: { a: "1" } })).status).toBe(201);
    await server.stop();
    const size = 2 ** 31;
    const huge = ["routes/huge.yaml", "value-mappings/huge.json", "message-mappings/huge.json", "policies/huge.json", "application.properties"];
    for (const file of huge) {
      const handle = openSync(join(dataDir, file), "w");
      ftruncateSync(handle, size);
      closeSync(handle);
    }
    const before = process.memoryUsage().rss;
    server = await startTestServer({ dataDir });
    expect(process.memoryUsage().rss - before).toBeLessThan(256 * 2 ** 20);
    expect((await call(server.baseUrl, "POST", "/api/small", "x")).text).toBe("small");
    expect(await listed()).toMatchObject([
      { id: "huge", status: "Failed", hash: "", error: `the file is too large: ${size} bytes, the limit is 10485760` },
      { id: "small", status: "Started" },
    ]);
    expect((await server.api("GET", "/flows/huge")).json).toMatchObject({ yaml: "", error: expect.stringContaining("too large") });
    for (const kind of ["value-mappings", "message-mappings"])
      expect((await server.api("GET", `/${kind}`)).json[kind === "value-mappings" ? "valueMappings" : "messageMappings"][0]).toMatchObject({
        id: "huge",
        error: expect.stringContaining("EFBIG"),
      });
    expect((await server.api("GET", "/health")).json.failedPolicies).toEqual([{ flowId: "huge", error: expect.stringContaining("EFBIG") }]);
    expect((await server.putFlow("huge", replyFlow("huge", "normal"))).status).toBe(200);
    expect((await server.api("GET", "/flows/huge")).json).toMatchObject({ status: "Started", error: null });
  });

  it("a symbolic link to a file outside the directory is listed and not followed; one to a file inside is followed", async () => {
    const outside = join(dataDir, "outside.yaml");
    writeFileSync(outside, replyFlow("outside", "outside"));
    await server.stop();
    mkdirSync(join(dataDir, "routes", "..data"));
    writeFileSync(join(dataDir, "routes", "..data", "mounted.yaml"), replyFlow("mounted", "mounted"));
    symlinkSync(join("..data", "mounted.yaml"), join(dataDir, "routes", "mounted.yaml"));
    symlinkSync(outside, join(dataDir, "routes", "linked.yaml"));
    server = await startTestServer({ dataDir });
    expect(await listed()).toMatchObject([
      { id: "linked", status: "Failed", hash: "", error: "the file is a link to a file outside the directory: replace the link with a copy of that file" },
      { id: "mounted", status: "Started" },
    ]);
    expect((await server.api("GET", "/flows/linked")).text).not.toContain("outside\\n");
    expect((await call(server.baseUrl, "POST", "/api/outside", "x")).status).toBe(404);
    expect((await server.putFlow("linked", replyFlow("linked", "own"))).status).toBe(200);
    expect(readFileSync(outside, "utf8")).toBe(replyFlow("outside", "outside"));
    expect((await call(server.baseUrl, "POST", "/api/linked", "x")).text).toBe("own");
  });

  it("a rename that fails leaves no temporary file and the old version in service", async () => {
    expect((await server.putFlow("kept", replyFlow("kept", "old"))).status).toBe(201);
    for (const [path, file] of [
      ["/value-mappings/blocked", "value-mappings/blocked.json"],
      ["/message-mappings/blocked", "message-mappings/blocked.json"],
      ["/auth/blocked", "policies/blocked.json"],
      ["/flows/blocked", "routes/blocked.params.json"],
      ["/flows/blocked", "routes/blocked.yaml"],
    ] as const) {
      // A directory instead of the file: the rename fails with EISDIR.
      mkdirSync(join(dataDir, file, "x"), { recursive: true });
      const body = path.startsWith("/value")
        ? { entries: { a: "1" } }
        : path.startsWith("/message")
          ? { source: { format: "json" }, target: { format: "json" }, map: [] }
          : path.startsWith("/auth")
            ? policy
            : { yaml: replyFlow("blocked", "new"), params: { a: 1 } };
      const reply = await server.api("PUT", path, body);
      expect([path, reply.status, reply.json.error]).toEqual([
        path,
        500,
        expect.stringMatching(/^cannot change '.*': disk error \(\w+\); nothing was changed, the previous version is still running$/),
      ]);
      expect(readdirSync(join(dataDir, file, "..")).filter((name) => name.endsWith(".tmp"))).toEqual([]);
      rmSync(join(dataDir, file), { recursive: true });
    }
    expect([(await call(server.baseUrl, "POST", "/api/kept", "x")).text, (await call(server.baseUrl, "POST", "/api/blocked", "x")).status]).toEqual([
      "old",
      404,
    ]);
    for (const path of ["/value-mappings/blocked", "/message-mappings/blocked", "/auth/blocked", "/flows/blocked"])
      expect([path, (await server.api("GET", path)).status]).toEqual([path, 404]);
  });
});
