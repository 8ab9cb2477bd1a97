// A full disk, simulated with a limit on file sizes, which every user may set for their own processes.
import { spawnSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CountingPartner, durableFlow } from "./durable-partner.ts";
import { spawnServer, type SpawnedServer } from "./spawned-server.ts";
import { call, eventually } from "./started-server.ts";

const canLimit = spawnSync("prlimit", ["--version"]).status === 0;
const consumers = 4;
let partner: CountingPartner;
let url: string;
let server: SpawnedServer | undefined;

beforeEach(async () => {
  partner = new CountingPartner();
  url = await partner.start();
});
afterEach(async () => {
  await server?.end("SIGKILL");
  server?.clean();
  partner.stop();
});

/** No file may grow beyond this size; the process gets EFBIG. */
function limitFiles({ pid }: SpawnedServer, size: number | "unlimited"): void {
  expect(spawnSync("prlimit", ["--pid", String(pid), `--fsize=${size}:unlimited`]).status).toBe(0);
}

const start = (dataDir?: string): Promise<SpawnedServer> =>
  spawnServer({ env: { SERVICE_EGRESS_ALLOW_PRIVATE: "true" }, ...(dataDir === undefined ? {} : { dataDir }) });
const post = (to: SpawnedServer, id: string): ReturnType<typeof call> => call(to.baseUrl, "POST", "/api/in", `${id} ${"x".repeat(20_000)}`);
const health = async (target: SpawnedServer): Promise<{ status: string; store: { error: string; since: string } | null }> =>
  (await target.api("GET", "/health")).json;

/** Number of messages that are not settled. */
const depth = async (target: SpawnedServer): Promise<number> =>
  Number(/sluice_queue_depth\{queue="webhook\/in"\} (\d+)/.exec((await target.api("GET", "/metrics")).text)?.[1]);

/** Sends messages, of which some are in flight when the disk starts to reject writes. Resolves when they have failed to be settled. */
async function rejectWritesDuring(target: SpawnedServer, prefix: string, count: number): Promise<void> {
  partner.isHolding = true;
  for (let index = 0; index < count; index++) expect((await post(target, `${prefix}${index}`)).status).toBe(202);
  await eventually(() => partner.waiting === consumers);
  limitFiles(target, 8_192);
  partner.release();
  await eventually(async () => partner.waiting === 0 && (await health(target)).status === "DEGRADED");
}

describe.skipIf(!canLimit)("a disk that rejects writes (needs prlimit)", () => {
  it("the store recovers when the disk does, health reports the failure and the recovery, and settled messages are not delivered again", async () => {
    server = await start();
    expect((await server.putFlow("in", durableFlow(url, consumers))).status).toBe(201);
    for (let index = 0; index < 10; index++) expect((await post(server, `a${index}`)).status).toBe(202);
    await eventually(() => partner.deliveries.size === 10);
    expect(await health(server)).toMatchObject({ status: "UP", store: null });

    await rejectWritesDuring(server, "b", 30);
    expect(await health(server)).toMatchObject({ status: "DEGRADED", store: { error: expect.stringMatching(/disk/), since: expect.any(String) } });
    const delivered = partner.deliveries.size;
    // A message whose settlement fails makes room for another one before the store notices the failure.
    expect(delivered).toBeLessThanOrEqual(10 + 3 * consumers);
    for (let attempt = 0; attempt < 5; attempt++) expect((await post(server, "refused")).status).toBe(503);
    expect(partner.deliveries.size, "nothing more is delivered while settling fails").toBe(delivered);

    limitFiles(server, "unlimited");
    const running = server;
    await eventually(async () => (await post(running, "c")).status === 202);
    await eventually(() => partner.deliveries.size === 41);
    await eventually(async () => (await health(running)).status === "UP" && (await depth(running)) === 0);
    await server.end("SIGKILL");
    server = await start(server.dataDir);
    // A message that is delivered again would arrive before this one.
    expect((await post(server, "last")).status).toBe(202);
    await eventually(() => partner.deliveries.has("last"));
    expect([partner.repeated, partner.deliveries.has("refused")]).toEqual([0, false]);
  });

  it("a crash while the disk rejects writes repeats only messages in flight", async () => {
    server = await start();
    expect((await server.putFlow("in", durableFlow(url, consumers))).status).toBe(201);
    await rejectWritesDuring(server, "m", 30);
    await server.end("SIGKILL");
    server = await start(server.dataDir);
    const running = server;
    await eventually(async () => partner.deliveries.size === 30 && (await depth(running)) === 0);
    expect(partner.repeated).toBeLessThanOrEqual(3 * consumers);
  });

  it("a store that cannot open on a full disk opens later, and its flows start", async () => {
    server = await start();
    expect((await server.putFlow("in", durableFlow(url, consumers))).status).toBe(201);
    expect((await post(server, "first")).status).toBe(202);
    await eventually(() => partner.deliveries.size === 1);
    await server.end("SIGKILL");
    const { dataDir } = server;
    server = await spawnServer({ env: { SERVICE_EGRESS_ALLOW_PRIVATE: "true" }, dataDir, under: ["prlimit", "--fsize=16:unlimited"] });
    expect((await health(server)).status).toBe("DEGRADED");
    expect((await health(server)).store).not.toBeNull();
    limitFiles(server, "unlimited");
    await eventually(async () => (await health(server as SpawnedServer)).status === "UP");
    expect((await post(server, "second")).status).toBe(202);
    await eventually(() => partner.deliveries.has("second"));
  });
});
