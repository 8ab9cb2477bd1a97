// How the processes of Sluice react to signals.
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { heldPartner } from "./held-partner.ts";
import { call, eventually, token } from "./started-server.ts";
import { main, spawnServer, type SpawnedServer } from "./spawned-server.ts";

/** Child processes are looked up in /proc. */
const hasProc = existsSync("/proc/self/status");
let server: SpawnedServer | undefined;

afterEach(async () => {
  await server?.end("SIGKILL");
  server?.clean();
  server = undefined;
});

/** A process and all its descendants. */
function processesOf(pid: number): readonly number[] {
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => parentOf(name) === pid)
    .map(Number);
  return [pid, ...children.flatMap(processesOf)];
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return undefined;
  }
}

describe.each([1, 2])("with %i workers", (workers) => {
  const env = { SERVICE_WORKERS: String(workers), SERVICE_DRAIN_MS: "60s" };

  it.each([["SIGHUP"], ["SIGHUP", "SIGTERM"], ["SIGINT", "SIGTERM"]] as const)("%s drains and exits with 0", async (...signals) => {
    const partner = await heldPartner();
    const running = (server = await spawnServer({ env }));
    const flow = `- route: {id: slow, from: {uri: webhook, steps: [{to: "${partner.url}"}, {setBody: {constant: done}}]}}\n`;
    expect((await running.putFlow("slow", flow)).status).toBe(201);
    const reply = call(running.baseUrl, "POST", "/api/slow", "x");
    await eventually(() => partner.waiting() === 1);
    // A closing terminal and a service manager may signal twice in a row: this counts as one request to stop.
    for (const signal of signals.slice(1)) process.kill(running.pid, signal);
    const ended = running.end(signals[0]);
    await eventually(() => running.output().includes('"Shutting down"'));
    partner.respond();
    expect(await ended).toBe(0);
    expect((await reply).text).toBe("done");
    partner.close();
  });

  it.skipIf(!hasProc)("SIGUSR1 opens no inspector in any process (needs /proc)", async () => {
    const running = (server = await spawnServer({ env }));
    const pids = processesOf(running.pid);
    expect(pids.length).toBe(workers === 1 ? 1 : 1 + workers);
    for (const pid of pids) process.kill(pid, "SIGUSR1");
    const health = await running.api("GET", "/health");
    expect([health.status, health.json.workers?.length]).toEqual([200, workers === 1 ? undefined : workers]);
    expect(processesOf(running.pid)).toEqual(pids);
    // An inspector reports itself before its process ends.
    expect(await running.end()).toBe(0);
    expect(running.output()).not.toContain("Debugger listening");
  });
});

it("an inspector requested at the start is available", async () => {
  const running = (server = await spawnServer({ env: { NODE_OPTIONS: "--inspect=127.0.0.1:0" } }));
  // It reports itself on another stream than the runtime.
  await expect.poll(() => running.output()).toContain("Debugger listening on ws://127.0.0.1");
  process.kill(server.pid, "SIGUSR1");
  expect((await server.api("GET", "/health")).status).toBe(200);
});

describe("commands that start processes", () => {
  let child: ChildProcess | undefined;
  const folder = mkdtempSync(join(tmpdir(), "sluice-signals-"));
  afterEach(() => {
    for (const pid of child?.pid === undefined || child.exitCode !== null ? [] : processesOf(child.pid)) process.kill(pid, "SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  it.skipIf(!hasProc).each(["start", "designer"])("SIGHUP ends `sluice %s` and the processes it started with exit code 0 (needs /proc)", async (command) => {
    const variables = { PATH: process.env["PATH"], SERVICE_PORT: "0", DESIGNER_PORT: "0", SERVICE_DEPLOY_TOKEN: token };
    const env = { ...variables, SERVICE_DATA_DIR: join(folder, "data"), DESIGNER_WORKSPACE: join(folder, "workspace") };
    const running = (child = spawn(process.execPath, [main, command], { env, stdio: ["ignore", "pipe", "pipe"] }));
    let output = "";
    for (const stream of [running.stdout, running.stderr]) stream?.on("data", (chunk: Buffer) => (output += chunk.toString()));
    const ended = new Promise((resolve) => running.once("exit", (code, signal) => resolve(code ?? signal)));
    await eventually(() => output.includes("Designer"));
    const pids = processesOf(running.pid as number);
    // Like a terminal, which signals all processes of its group.
    for (const pid of pids) process.kill(pid, "SIGHUP");
    expect(await ended).toBe(0);
    if (command === "start") expect(output).toContain('"Stopped"');
    await eventually(() => pids.every((pid) => parentOf(String(pid)) === undefined));
  });
});
