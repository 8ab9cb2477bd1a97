// A disk that fails to flush a directory: the change is already visible, so disk and memory must agree on it, and the reply must say which
// version is deployed. strace makes the system call fail.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { storedDocuments, newKey, oldKey } from "./faults/stored-documents.ts";
import { spawnServer, type SpawnedServer } from "./spawned-server.ts";
import { call, eventually, replyFlow, type ApiReply } from "./started-server.ts";

const hasStrace = spawnSync("strace", ["-V"]).status === 0;
let server: SpawnedServer;
afterEach(async () => {
  await server.end("SIGKILL");
  server.clean();
});

/** The reply of the operation while every flush of the directory fails with EIO. */
async function withFailingFlush(directory: string, operation: () => Promise<ApiReply>): Promise<ApiReply> {
  const tracer = spawn(
    "strace",
    ["-f", "-qq", "-p", String(server.pid), "-P", directory, "-e", "trace=fsync", "-e", "inject=fsync:error=EIO", "-o", "/dev/null"],
    {
      stdio: "ignore",
    },
  );
  await eventually(() => /TracerPid:\s*[1-9]/.test(readFileSync(`/proc/${server.pid}/status`, "utf8")));
  try {
    return await operation();
  } finally {
    tracer.kill("SIGINT");
    await new Promise((resolve) => tracer.once("exit", resolve));
  }
}

describe.skipIf(!hasStrace)("a directory that cannot be flushed (needs strace)", () => {
  it("after a PUT or DELETE that could not be flushed, disk and memory agree and the reply states which version is deployed", async () => {
    server = await spawnServer();
    for (const { path, versions } of storedDocuments) expect((await server.api("PUT", path, versions[0])).status).toBe(201);
    for (const { path, folder, file, versions } of storedDocuments) {
      const directory = join(server.dataDir, folder);
      const put = await withFailingFlush(directory, () => server.api("PUT", path, versions[1]));
      expect([path, put.status]).toEqual([path, 500]);
      expect(put.json.error).toMatch(
        /^cannot change 'kept.*': disk error \(EIO\); the new (version is (?:running|active)|policy is active), but may be lost if the power fails$/,
      );
      expect(readdirSync(directory).filter((name) => name.endsWith(".tmp"))).toEqual([]);
      const current = await server.api("GET", path);
      expect(current.text, path).toContain(path.startsWith("/auth") ? current.json.authenticate[0].keys[0].id : "new");
      if (!path.startsWith("/auth")) expect(readFileSync(join(directory, file), "utf8")).toContain("new");
    }
    const webhook = (key: string): Promise<ApiReply> => call(server.baseUrl, "POST", "/api/kept", "x", { "x-api-key": key });
    expect([(await webhook(newKey)).text, (await webhook(oldKey)).status]).toEqual(["new", 401]);
    expect((await server.api("GET", "/flows")).json.flows[0]).not.toHaveProperty("deployedHash");

    for (const { path, folder, file } of [...storedDocuments].toReversed()) {
      const directory = join(server.dataDir, folder);
      const removed = await withFailingFlush(directory, () => server.api("DELETE", path));
      expect([path, removed.status]).toEqual([path, 500]);
      expect(removed.json.error).toMatch(/: disk error \(EIO\); .* was removed, but may reappear if the power fails$/);
      expect([path, existsSync(join(directory, file)), (await server.api("GET", path)).status]).toEqual([path, false, 404]);
    }
    expect((await webhook(newKey)).status).toBe(404);
  });

  it("parameters and tests that could not be flushed are in effect", async () => {
    server = await spawnServer();
    const yaml = "- route: {id: p, from: {uri: webhook, steps: [{setBody: {constant: '{{word}}'}}]}}\n";
    const tests = (name: string): string => `flowId: p\ntests:\n  - {name: ${name}, when: {webhook: p}, then: [{status: completed}]}\n`;
    expect((await server.api("PUT", "/flows/p", { yaml, params: { word: "old" }, tests: tests("one") })).status).toBe(201);
    const routes = join(server.dataDir, "routes");
    expect((await withFailingFlush(routes, () => server.api("PUT", "/flows/p", { yaml, params: { word: "new" } }))).json.error).toContain(
      "the new version is running",
    );
    expect((await call(server.baseUrl, "POST", "/api/p", "x")).text).toBe("new");
    expect((await server.api("GET", "/flows/p")).json.params).toEqual({ word: "new" });
    const refused = await withFailingFlush(join(server.dataDir, "flow-tests"), () =>
      server.api("PUT", "/flows/p", { yaml: `${yaml}# more\n`, tests: tests("two") }),
    );
    expect([refused.status, refused.json.error]).toEqual([500, expect.stringContaining("flow 'p' is running, but its tests were not stored safely")]);
    expect((await server.api("GET", "/flows/p")).json).toMatchObject({ yaml: `${yaml}# more\n`, tests: tests("two") });
    expect((await server.putFlow("q", replyFlow("q", "q"))).status).toBe(201);
  });
});
