// Environments that differ from a developer's machine: each starts a real runtime, installs a flow and calls it.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";
import { spawnServer, type SpawnedServer, type SpawnOptions } from "./spawned-server.ts";
import { call } from "./started-server.ts";

let server: SpawnedServer | undefined;
const folders: string[] = [];
afterEach(async () => {
  await server?.end();
  server?.clean();
  server = undefined;
  for (const folder of folders.splice(0)) {
    chmodSync(folder, 0o700);
    rmSync(folder, { recursive: true, force: true });
  }
});

function newFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  folders.push(folder);
  return folder;
}

const hello = "- route: {id: hello, from: {uri: webhook, steps: [{setBody: {simple: 'Hello ${body}'}}]}}\n";
const durable =
  "- route: {id: accept, from: {uri: webhook, steps: [{to: 'queue:work'}]}}\n- route: {id: work, from: {uri: 'queue:work', steps: [{log: '${body}'}]}}\n";
/** The command runs in a shell that first changes its limits. */
const inShell = (line: string): readonly string[] => ["sh", "-c", `${line} && exec "$@"`, "sh"];

async function startAndCall(options: SpawnOptions): Promise<SpawnedServer> {
  server = await spawnServer(options);
  expect((await server.putFlow("hello", hello)).status).toBe(201);
  expect((await call(server.baseUrl, "POST", "/api/hello", "Ada")).text).toBe("Hello Ada");
  return server;
}

async function expectDurableMessage(running: SpawnedServer): Promise<void> {
  expect((await running.putFlow("durable", durable)).status).toBe(201);
  expect((await call(running.baseUrl, "POST", "/api/accept", "x")).status).toBeLessThan(300);
}

const hasIpv6 = await new Promise<boolean>((resolve) => {
  const probe = createServer();
  probe.once("error", () => resolve(false));
  probe.listen(0, "::1", () => probe.close(() => resolve(true)));
});
const isWindows = process.platform === "win32";

it("runs in folders with spaces and other characters in their names", async () => {
  const dataDir = join(newFolder("sluice a b "), "däta 'dir' $x");
  await expectDurableMessage(await startAndCall({ dataDir }));
});

it.skipIf(isWindows)("runs with umask 077 and keeps its data private (needs a POSIX shell)", async () => {
  const running = await startAndCall({ under: inShell("umask 077") });
  await expectDurableMessage(running);
  expect(statSync(join(running.dataDir, "routes")).mode & 0o077).toBe(0);
});

it.skipIf(isWindows)("runs with 256 file descriptors, even with two workers (needs a POSIX shell)", async () => {
  const running = await startAndCall({ under: inShell("ulimit -n 256"), env: { SERVICE_WORKERS: "2" } });
  await expectDurableMessage(running);
  const replies = await Promise.all(Array.from({ length: 200 }, () => call(running.baseUrl, "POST", "/api/hello", "Ada")));
  expect(new Set(replies.map(({ text }) => text))).toEqual(new Set(["Hello Ada"]));
});

it("runs with a home directory it cannot write to, and without TZ and LANG", async () => {
  const home = newFolder("sluice-home-");
  chmodSync(home, 0o500);
  await expectDurableMessage(await startAndCall({ env: { HOME: home } }));
});

it("runs without a home directory", async () => {
  const home = join(newFolder("sluice-home-"), "gone");
  mkdirSync(home);
  rmSync(home, { recursive: true });
  await startAndCall({ env: { HOME: home, TMPDIR: newFolder("sluice-tmp-") } });
});

it.skipIf(!hasIpv6)("runs on the IPv6 loopback address alone (needs IPv6)", async () => {
  const running = await startAndCall({ env: { SERVICE_HOST: "::1" } });
  expect(running.baseUrl).toMatch(/^http:\/\/\[::1\]:\d+$/);
});

it("runs without SQLite, logs one warning, and rejects durable flows with the reason", async () => {
  const running = await startAndCall({ env: { NODE_OPTIONS: `--require ${JSON.stringify(fileURLToPath(new URL("no-sqlite.cjs", import.meta.url)))}` } });
  const remedy = "run 'npm i @photostructure/sqlite@1.2.1' in ";
  await expect.poll(() => running.output()).toContain(remedy);
  const refused = await running.putFlow("durable", durable);
  expect([refused.status, refused.text]).toEqual([expect.toSatisfy((status: number) => status >= 400), expect.stringContaining(remedy)]);
  expect((await call(running.baseUrl, "POST", "/api/hello", "Ada")).text).toBe("Hello Ada");
  expect(running.output().split("does not include SQLite: flows run").length).toBe(2);
});
