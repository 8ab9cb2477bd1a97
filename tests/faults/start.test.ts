// Starting after a crash, with a bad disk or while another process runs; tested with real processes.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cpuMs } from "../process-usage.ts";
import { spawnServer, type SpawnedServer } from "../spawned-server.ts";
import { call, replyFlow } from "../started-server.ts";

/** Starts a runtime and waits until its first flow is served; `ms` is the CPU time. */
async function timedStart(dataDir: string): Promise<{ readonly server: SpawnedServer; readonly ms: number }> {
  const server = await spawnServer({ dataDir });
  expect((await call(server.baseUrl, "POST", "/api/good", "x")).text).toBe("served");
  return { server, ms: cpuMs(server.pid) };
}

it("truncated, empty, binary and wrongly encoded files do not delay the start, do not affect other flows and stay unchanged", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "sluice-"));
  const routes = join(dataDir, "routes");
  mkdirSync(routes);
  writeFileSync(join(routes, "good.yaml"), replyFlow("good", "served"));
  const baseline: number[] = [];
  for (let count = 0; count < 3; count++) {
    const { server, ms } = await timedStart(dataDir);
    baseline.push(ms);
    await server.end("SIGKILL");
  }
  const complete = replyFlow("bad", "never");
  const bad: Readonly<Record<string, Buffer>> = {
    truncated: Buffer.from(complete.slice(0, complete.indexOf("constant") + 4)),
    "unclosed-string": Buffer.from('- route: {id: "bad'),
    empty: Buffer.alloc(0),
    zeros: Buffer.alloc(4_096),
    binary: Buffer.from(Array.from({ length: 4_096 }, (_, index) => (index * 167) & 255)),
    latin: Buffer.from(complete.replace("never", "caf\u00e9"), "latin1"),
    utf16: Buffer.from(complete, "utf16le"),
    large: Buffer.alloc(3_000_000, "[{"),
  };
  for (const [name, bytes] of Object.entries(bad)) writeFileSync(join(routes, `${name}.yaml`), bytes);
  const starts: number[] = [];
  for (let count = 0; count < 3; count++) {
    const { server, ms } = await timedStart(dataDir);
    starts.push(ms);
    const { flows } = (await server.api("GET", "/flows")).json as { flows: { id: string; status: string; error: string | null }[] };
    const listed = Object.fromEntries(flows.map(({ id, status, error }) => [id, [status, typeof error]]));
    expect(listed).toEqual({ good: ["Started", "object"], ...Object.fromEntries(Object.keys(bad).map((name) => [name, ["Failed", "string"]])) });
    await server.end("SIGKILL");
  }
  for (const [name, bytes] of Object.entries(bad)) expect([name, readFileSync(join(routes, `${name}.yaml`)).equals(bytes)]).toEqual([name, true]);
  // Both sides are the minimum of three starts, so that other load on the machine does not count.
  expect(Math.min(...starts) - Math.min(...baseline)).toBeLessThan(1_000);
  rmSync(dataDir, { recursive: true, force: true });
});

it("pipes instead of files do not delay the start or affect other flows, and a webhook whose policy is a pipe rejects calls", { timeout: 60_000 }, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "sluice-"));
  for (const folder of ["routes", "policies", "value-mappings", "message-mappings", "store"]) mkdirSync(join(dataDir, folder));
  for (const id of ["good", "guarded", "kept"]) writeFileSync(join(dataDir, "routes", `${id}.yaml`), replyFlow(id, "served"));
  writeFileSync(join(dataDir, "routes", "durable.yaml"), replyFlow("durable", "never").replace("uri: webhook", "uri: webhook?durable=true"));
  const pipes = ["routes/pipe.yaml", "routes/kept.params.json", "policies/guarded.json", "value-mappings/a.json", "message-mappings/a.json"];
  for (const pipe of [...pipes, "store/durable.sqlite", "application.properties"]) execFileSync("mkfifo", [join(dataDir, pipe)]);
  const { server } = await timedStart(dataDir);
  expect((await call(server.baseUrl, "POST", "/api/guarded", "x")).status).toBe(503);
  const { flows } = (await server.api("GET", "/flows")).json as { flows: { id: string; status: string; error: string | null }[] };
  expect(Object.fromEntries(flows.map(({ id, status, error }) => [id, [status, error]]))).toEqual({
    durable: ["Failed", "route 'durable' failed to start: the durable store cannot be used: disk error (ENXIO)"],
    good: ["Started", null],
    guarded: ["Started", null],
    kept: ["Failed", "the file cannot be read: the parameters of flow 'kept' cannot be read: ENOTFILE"],
  });
  expect(await server.end()).toBe(0);
  server.clean();
});

it("a second process on the same directory is rejected; the lock of a killed one is ignored", async () => {
  const first = await spawnServer();
  expect((await first.putFlow("kept", replyFlow("kept", "mine"))).status).toBe(201);
  await expect(spawnServer({ dataDir: first.dataDir })).rejects.toThrow(new RegExp(`in use by process ${first.pid}\\b`));
  expect((await call(first.baseUrl, "POST", "/api/kept", "x")).text).toBe("mine");
  expect(await first.end("SIGKILL")).toBe("SIGKILL");
  const second = await spawnServer({ dataDir: first.dataDir });
  expect((await call(second.baseUrl, "POST", "/api/kept", "x")).text).toBe("mine");
  await second.end("SIGKILL");
  second.clean();
});
