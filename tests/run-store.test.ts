// SERVICE_RUN_STORE=disk: runs, their steps and captured messages survive a restart, a crash and a damaged file, within the limits.
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, statSync, writeFileSync, writeSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { callMany, callOnNewConnection, put, route, workersOf } from "./several-workers.ts";
import { spawnServer, type SpawnedServer } from "./spawned-server.ts";
import { call, directFlow, eventually, replyFlow } from "./started-server.ts";

let server: SpawnedServer;
afterEach(async () => {
  await server.end("SIGKILL");
  server.clean();
});

const onDisk = { SERVICE_RUN_STORE: "disk" };
const start = async (env: Readonly<Record<string, string>> = {}, dataDir = mkdtempSync(join(tmpdir(), "sluice-"))): Promise<void> => {
  server = await spawnServer({ env: { ...onDisk, ...env }, dataDir });
};
async function restart(env: Readonly<Record<string, string>> = {}, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  await server.end(signal);
  await start(env, server.dataDir);
}
const runs = async (query = ""): Promise<any> => (await server.api("GET", `/runs?${query}`)).json;
const fire = (routeId: string, body = "x", headers: Readonly<Record<string, string>> = {}): ReturnType<typeof call> =>
  call(server.baseUrl, "POST", `/api/${routeId}`, body, headers);
const segmentsOf = (dataDir: string): readonly string[] =>
  readdirSync(join(dataDir, "store/runs"))
    .filter((name) => name.endsWith(".sqlite"))
    .sort()
    .map((name) => join(dataDir, "store/runs", name));
async function metric(name: string): Promise<number> {
  const { text } = await server.api("GET", "/metrics");
  return Number(new RegExp(`^${name} (\\d+)`, "m").exec(text)?.[1] ?? Number.NaN);
}

/** Overwrites the middle of a file. */
function damage(path: string): void {
  const file = openSync(path, "r+");
  const { size } = statSync(path);
  writeSync(file, Buffer.alloc(Math.floor(size * 0.8), 0x5a), 0, undefined, Math.floor(size * 0.1));
  closeSync(file);
}

const failing = directFlow(
  "inner",
  "throwException: {id: bang, exceptionType: java.lang.IllegalStateException, message: 'no http://u:S3CR3T-url@h/?password=S3CR3T-query here'}",
);
const outer = "- route:\n    id: outer\n    from:\n      uri: webhook\n      steps:\n        - to: {id: go, uri: 'direct:inner'}\n";

describe("stored runs", () => {
  it("are listed, filtered, paged, opened with captured messages and replayed after a restart as before it, with the same values masked", async () => {
    await start();
    await put(server, "web", replyFlow("web", "answer"));
    await put(server, "chain", failing + outer);
    await put(server, "captured", route("captured", "webhook", "setBody: {id: one, constant: first}", "setBody: {id: two, constant: second}"));
    expect((await server.api("POST", "/routes/captured/capture", { forMs: 60_000 })).status).toBe(200);
    const capturing = await fire("captured", '{"token":"S3CR3T-token","n":1}', { "content-type": "application/json", authorization: "Bearer S3CR3T-header" });
    const capturedPath = `/runs/${capturing.headers.get("x-run-id")}`;
    const capturedBefore = (await server.api("GET", capturedPath)).json;
    expect(capturedBefore.messages.map(({ stepId, body }: any) => [stepId, body])).toEqual([
      ["one", '{"token":"***","n":1}'],
      ["two", "first"],
    ]);
    for (let index = 0; index < 12; index++)
      expect((await fire("web", `{"order":"A-10${index}","password":"S3CR3T-body"}`, { "x-correlation-id": `c${index}` })).status).toBe(200);
    expect((await fire("outer", "broken ümlaut")).status).toBe(500);
    const queries = [
      "limit=100",
      "routeId=web&limit=5",
      "flowId=chain",
      "status=failed",
      "correlationId=c7",
      "text=A-107",
      "text=ÜMLAUT",
      "text=S3CR3T-body",
      "text=S3CR3T-url",
      "text=password",
      "cursor=newest&limit=4",
      "routeId=none",
      `since=${new Date(Date.now() + 60_000).toISOString()}`,
    ];
    const before = await Promise.all(queries.map(runs));
    expect(before.map(({ total }) => total)).toEqual([15, 12, 2, 2, 1, 1, 2, 0, 0, 14, 15, 0, 0]);
    const [{ id }] = before[1].runs;
    const openedBefore = (await server.api("GET", `/runs/${id}`)).json;
    expect(openedBefore).toMatchObject({ replayable: true, request: { preview: '{"order":"A-1011","password":"***"}' } });

    await restart();
    expect(await Promise.all(queries.map(runs))).toEqual(before);
    expect((await server.api("GET", `/runs/${id}`)).json).toEqual({ ...openedBefore, replayable: false });
    expect((await server.api("GET", capturedPath)).json).toEqual({ ...capturedBefore, replayable: false });
    const page = before[10];
    const next = await runs(`cursor=${page.next}&limit=100`);
    expect([...page.runs, ...next.runs]).toEqual(before[0].runs);
    expect(next).toMatchObject({ next: null, complete: true });

    // New runs come before the stored ones.
    await fire("web", "later");
    const after = await runs("routeId=web&limit=100");
    expect([after.total, after.runs[0].request.preview, after.runs[1].id]).toEqual([13, "later", id]);
    expect((await server.api("POST", `/runs/${id}/replay`, {})).status).toBe(409);
    expect((await server.api("POST", `/runs/${id}/replay`, { body: "again" })).json).toMatchObject({ replayOf: id, status: "completed" });
    expect((await server.api("GET", "/runs/run_00000000000000000000000000")).status).toBe(404);
    for (const file of segmentsOf(server.dataDir)) {
      expect(statSync(file).mode & 0o777).toBe(0o600);
      for (const part of [file, `${file}-wal`])
        expect(statSync(part, { throwIfNoEntry: false }) === undefined || !readFileSync(part).includes("S3CR3T")).toBe(true);
    }
  });

  it("survive kill -9 except for the last batch", async () => {
    await start();
    await put(server, "web", replyFlow("web", "answer"));
    for (let index = 0; index < 30; index++) await fire("web", `early ${index}`);
    await eventually(async () => (await metric("sluice_stored_runs_written_total")) === 30);
    for (let index = 0; index < 5; index++) await fire("web", `late ${index}`);
    await restart({}, "SIGKILL");
    const { total, runs: list } = await runs("limit=100");
    expect(total).toBeGreaterThanOrEqual(30);
    expect(total).toBeLessThanOrEqual(35);
    expect(list.filter(({ request }: any) => request.preview.startsWith("early"))).toHaveLength(30);
  });

  it("skip a damaged file with a log line; messages and new runs are not affected", async () => {
    await start({ SERVICE_RUN_STORE_TOTAL: "160" });
    await put(server, "web", replyFlow("web", "answer"));
    for (let index = 0; index < 45; index++) await fire("web", `message${index}`);
    expect((await runs("limit=100")).total).toBe(45);
    await server.end();
    const [first, second, , , newest] = segmentsOf(server.dataDir);
    damage(first as string);
    writeFileSync(second as string, "this is not a database");
    damage(newest as string);
    await start({ SERVICE_RUN_STORE_TOTAL: "160" }, server.dataDir);
    expect((await runs("limit=100")).total).toBe(20);
    const skipped = (): number => server.output().split("Skipped stored runs").length - 1;
    await eventually(() => skipped() === 3);
    expect((await fire("web", "goes on")).text).toBe("answer");
    const { total, runs: list } = await runs("limit=100");
    expect([total, list[0].request.preview]).toEqual([21, "goes on"]);
    expect((await runs("text=message15")).total).toBe(0);
    expect((await runs("text=message25")).total).toBe(1);
    expect(skipped()).toBe(3);
  });

  it.skipIf(spawnSync("prlimit", ["--version"]).status !== 0)(
    "are dropped with one log line while the disk is full, and messages are still processed (needs prlimit)",
    async () => {
      await start();
      await put(server, "web", replyFlow("web", "answer"));
      await fire("web", "stored");
      expect((await runs()).total).toBe(1);
      const limit = (size: string): void => {
        expect(spawnSync("prlimit", ["--pid", String(server.pid), `--fsize=${size}:unlimited`]).status).toBe(0);
      };
      limit("4096");
      for (let round = 0; round < 3; round++) {
        for (let index = 0; index < 5; index++) expect((await fire("web", `dropped ${round}`)).text).toBe("answer");
        await eventually(async () => (await metric("sluice_stored_runs_dropped_total")) === 5 * (round + 1));
      }
      // The dropped runs are still in memory.
      expect((await runs()).total).toBe(16);
      limit("unlimited");
      await fire("web", "stored again");
      await eventually(() => server.output().includes("Runs are stored again"));
      expect(server.output().split("Cannot store runs").length - 1).toBe(1);
      await restart();
      expect((await runs()).runs.map(({ request }: any) => request.preview)).toEqual(["stored again", "stored"]);
    },
  );

  it("of a busy process are limited, include runs that were evicted from memory while running, and are sampled only if successful", async () => {
    const small = { SERVICE_RUN_HISTORY: "2", SERVICE_RUN_HISTORY_TOTAL: "3" };
    await start(small);
    await put(server, "slow", route("slow", "webhook", "delay: {constant: 500}", "setBody: {constant: done}"));
    await put(server, "busy", replyFlow("busy", "answer"));
    await put(server, "bad", route("bad", "webhook", "throwException: {exceptionType: java.lang.IllegalStateException, message: bad}"));
    await callMany(20, server.baseUrl, "/api/slow");
    await callMany(50, server.baseUrl, "/api/bad");
    for (let round = 0; round < 10; round++) await callMany(100, server.baseUrl, "/api/busy");
    expect((await runs("routeId=slow")).total).toBe(20);
    expect((await runs("routeId=bad&limit=100")).total).toBe(50);
    const { total } = await runs("routeId=busy");
    expect(total + (await metric("sluice_stored_runs_omitted_total"))).toBeGreaterThanOrEqual(1_000);
    expect(total).toBeGreaterThanOrEqual(50);
    await restart({ ...small, SERVICE_RUN_STORE_TOTAL: "100" });
    expect((await runs()).total).toBeLessThanOrEqual(100);
    for (let index = 0; index < 30; index++) await fire("busy", `n${index}`);
    const { total: storedTotal, runs: list } = await runs("limit=1000");
    expect(storedTotal).toBeLessThanOrEqual(100);
    expect(list.slice(0, 30).map(({ request }: any) => request.preview)).toEqual(Array.from({ length: 30 }, (_, index) => `n${29 - index}`));
  });

  it("of all workers are found, before and after a restart, and after a worker exits", async () => {
    await start({ SERVICE_WORKERS: "2" });
    await put(server, "web", replyFlow("web", "answer"));
    const replies = await callMany(60, server.baseUrl, "/api/web");
    const ids = replies.map(({ headers }) => headers["x-run-id"] as string).sort();
    const listed = async (): Promise<readonly string[]> => (await runs("routeId=web&limit=1000")).runs.map(({ id }: any) => id).sort();
    expect((await workersOf(server)).filter(({ runs: count }) => count > 0)).toHaveLength(2);
    expect([await listed(), (await runs("routeId=web")).total]).toEqual([ids, 60]);
    const follower = (await workersOf(server)).find(({ leads }) => !leads);
    process.kill(follower?.pid as number, "SIGKILL");
    await eventually(async () => (await workersOf(server)).some(({ leads, pid }) => !leads && pid !== follower?.pid));
    expect(await listed()).toEqual(ids);
    const last = await callOnNewConnection(server.baseUrl, "/api/web", "last");
    await restart({ SERVICE_WORKERS: "2" });
    expect(await listed()).toEqual([...ids, last.headers["x-run-id"] as string].sort());
    for (const id of ids.slice(0, 3)) expect((await server.api("GET", `/runs/${id}`)).json).toMatchObject({ id, steps: [{ stepId: "setBody1" }] });
  });

  it("are not written by default", async () => {
    server = await spawnServer();
    await put(server, "web", replyFlow("web", "answer"));
    await fire("web");
    expect((await runs()).total).toBe(1);
    expect(readdirSync(server.dataDir)).not.toContain("store");
    await server.end();
    server = await spawnServer({ dataDir: server.dataDir });
    expect((await runs()).total).toBe(0);
  });
});
