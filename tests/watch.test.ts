// SERVICE_WATCH for files other than flows: tables, documents and policies.
import { mkdirSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sha256 } from "./sha256.ts";
import { call, eventually, replyFlow, startTestServer, type StartedServer } from "./started-server.ts";

let server: StartedServer;
beforeAll(async () => {
  server = await startTestServer({ env: { SERVICE_WATCH: "true" } });
  await server.putFlow(
    "look",
    '- route:\n    id: look\n    from:\n      uri: webhook\n      steps:\n        - setBody: {simple: "${valueMapping(uom,from,to,piece)}"}\n',
  );
  await server.putFlow("map", "- route:\n    id: map\n    from:\n      uri: webhook\n      steps:\n        - to: message-mapping:m\n");
  await server.putFlow("guarded", replyFlow("guarded", "in"));
});
afterAll(() => server.end());

const file = (...parts: readonly string[]): string => join(server.dataDir, ...parts);
/** Like an editor: writes a new file, then renames it over the old one. */
function save(path: string, text: string): void {
  writeFileSync(`${path}~`, text);
  renameSync(`${path}~`, path);
}
const post = async (route: string, body = "{}", headers: Readonly<Record<string, string>> = {}): Promise<string> =>
  (await call(server.baseUrl, "POST", `/api/${route}`, body, { "content-type": "application/json", ...headers })).text;

describe("files changed outside the API", () => {
  it("a changed table takes effect, an invalid one leaves the previous one in force, a deleted one is removed", async () => {
    await server.api("PUT", "/value-mappings/uom", { entries: { piece: "ST" } });
    expect(await post("look")).toBe("ST");
    const path = file("value-mappings", "uom.json");
    const good = JSON.stringify({ entries: { piece: "PC" } });
    save(path, good);
    await eventually(async () => (await post("look")) === "PC");
    const listed = async (): Promise<any> => (await server.api("GET", "/value-mappings")).json.valueMappings[0];
    expect((await listed()).hash).toBe(sha256(good));
    save(path, '{"entries": 5}');
    await eventually(async () => (await listed())?.error !== undefined);
    expect((await listed()).hash).toBe(sha256('{"entries": 5}'));
    expect(await post("look")).toBe("PC");
    save(path, "no json");
    await eventually(async () => (await listed())?.hash === sha256("no json"));
    expect([await post("look"), (await listed()).error]).toEqual(["PC", "the file is not JSON"]);
    save(path, JSON.stringify({ entries: { piece: "XX" } }));
    await eventually(async () => (await post("look")) === "XX");
    expect((await listed()).error).toBeUndefined();
    unlinkSync(path);
    await eventually(async () => (await server.api("GET", "/value-mappings")).json.total === 0);
    expect(await post("look")).toContain("failed");
  });

  it("a new table file is found without a restart", async () => {
    save(file("value-mappings", "fresh.json"), JSON.stringify({ entries: { a: "b" } }));
    await eventually(async () => (await server.api("GET", "/value-mappings/fresh")).status === 200);
  });

  it("a changed document takes effect, also in documents that import it; an invalid one leaves the previous one in force", async () => {
    const base = (value: string): unknown => ({
      source: { format: "json" },
      target: { format: "json" },
      parts: { p: { map: [{ to: "v", value }] } },
      map: [{ to: "x", value: 1 }],
    });
    await server.api("PUT", "/message-mappings/base", base("one"));
    const put = await server.api("PUT", "/message-mappings/m", {
      source: { format: "json" },
      target: { format: "json" },
      import: ["base"],
      map: [{ to: "o", use: "p" }],
    });
    expect([put.status, put.json.error]).toEqual([201, undefined]);
    expect(JSON.parse(await post("map"))).toEqual({ o: { v: "one" } });
    save(file("message-mappings", "base.json"), JSON.stringify(base("two")));
    await eventually(async () => (await post("map")).includes("two"));
    save(file("message-mappings", "m.json"), JSON.stringify({ source: { format: "json" }, target: { format: "json" }, map: [{ to: "o", expr: "nosuch()" }] }));
    await eventually(async () => (await server.api("GET", "/message-mappings")).json.messageMappings.some((entry: any) => entry.error?.includes("nosuch")));
    expect(await post("map")).toContain("two");
    save(file("message-mappings", "m.json"), JSON.stringify({ source: { format: "json" }, target: { format: "json" }, map: [{ to: "o", value: "three" }] }));
    await eventually(async () => (await post("map")) === '{"o":"three"}');
  });

  it("a policy takes effect with its file, an invalid one leaves the previous one in force, deleting it removes the policy", async () => {
    expect(await post("guarded")).toBe("in");
    await server.api("PUT", "/auth/other", { authenticate: [{ type: "apiKey", keys: [{ id: "k", key: "the-key-of-all" }] }] });
    const path = file("policies", "guarded.json");
    const policy = readFileSync(file("policies", "other.json"), "utf8").replace('"other"', '"guarded"');
    save(path, policy);
    await eventually(async () => (await post("guarded")) === '{"error":"unauthorized"}');
    expect(await post("guarded", "{}", { "x-api-key": "the-key-of-all" })).toBe("in");
    save(path, "{");
    await eventually(() => server.logText().includes("Did not reload the access policy of flow 'guarded'"));
    expect(await post("guarded")).toBe('{"error":"unauthorized"}');
    expect(await post("guarded", "{}", { "x-api-key": "the-key-of-all" })).toBe("in");
    unlinkSync(path);
    await eventually(async () => (await post("guarded")) === "in");
    await eventually(() => server.logText().includes("Removed the access policy of flow 'guarded' because its file was deleted"));
  });

  it("files written by the API are not loaded a second time", async () => {
    const before = server.logText().split("Reloaded ").length;
    await server.api("PUT", "/value-mappings/own", { entries: { a: "1" } });
    await server.api("PUT", "/auth/own", { authenticate: [{ type: "apiKey", keys: [{ id: "k", key: "another-key-1" }] }] });
    await server.api("PUT", "/message-mappings/own", { source: { format: "json" }, target: { format: "json" }, map: [{ to: "o", value: 1 }] });
    // What is saved last by hand is loaded, and nothing before it.
    save(file("value-mappings", "by-hand.json"), JSON.stringify({ entries: { a: "b" } }));
    await eventually(() => server.logText().includes("Reloaded value mapping 'by-hand'"));
    expect(server.logText().split("Reloaded ").length).toBe(before + 1);
  });

  it("without SERVICE_WATCH nothing changes", async () => {
    const unwatched = await startTestServer();
    try {
      mkdirSync(join(unwatched.dataDir, "value-mappings"), { recursive: true });
      const table = JSON.stringify({ entries: { a: "b" } });
      save(join(unwatched.dataDir, "value-mappings", "t.json"), table);
      // The runtime that watches has seen the same file by then.
      save(file("value-mappings", "t.json"), table);
      await eventually(async () => (await server.api("GET", "/value-mappings/t")).status === 200);
      expect((await unwatched.api("GET", "/value-mappings/t")).status).toBe(404);
      rmSync(join(unwatched.dataDir, "value-mappings", "t.json"));
    } finally {
      await unwatched.end();
    }
  });
});
