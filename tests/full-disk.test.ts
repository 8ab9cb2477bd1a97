// A full disk, simulated with a limit on file sizes, which every user may set for their own processes.
import { spawnSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CountingPartner, durableFlow } from "./durable-partner.ts";
import { spawnServer, type SpawnedServer } from "./spawned-server.ts";
import { call, eventually, sleep } from "./started-server.ts";

const canLimit = spawnSync("prlimit", ["--version"]).status === 0;
const consumers = 4;
let partner: CountingPartner;
let url: string;
let server: SpawnedServer | undefined;

beforeEach(async () => {
  partner = new CountingPartner();
  url = await partner.start(20);
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

describe.skipIf(!canLimit)("a disk that rejects writes (needs prlimit)", () => {
  it("the store recovers within a second after the disk, health reports the failure and the recovery, and settled messages are not delivered again", async () => {
    server = await start();
    expect((await server.putFlow("in", durableFlow(url, consumers))).status).toBe(201);
    for (let index = 0; index < 30; index++) expect((await post(server, `a${index}`)).status).toBe(202);
    await eventually(() => Promise.resolve(partner.deliveries.size === 30));
    expect(await health(server)).toMatchObject({ status: "UP", store: null });

    for (let index = 0; index < 30; index++) expect((await post(server, `b${index}`)).status).toBe(202);
    limitFiles(server, 8_192);
    expect((await post(server, "refused")).status).toBe(503);
    expect(await health(server)).toMatchObject({ status: "DEGRADED", store: { error: expect.stringMatching(/disk/), since: expect.any(String) } });
    // Longer than the idle time after which the store checkpoints its log.
    await sleep(6_000);
    expect((await post(server, "refused")).status).toBe(503);
    expect((await health(server)).status).toBe("DEGRADED");
    const delivered = partner.deliveries.size;
    await sleep(500);
    expect(partner.deliveries.size, "nothing more is delivered while settling fails").toBe(delivered);

    limitFiles(server, "unlimited");
    await sleep(1_000);
    expect([(await post(server, "c")).status, (await health(server)).status]).toEqual([202, "UP"]);
    await eventually(() => Promise.resolve(partner.deliveries.size === 61));
    await sleep(500);
    await server.end("SIGKILL");
    server = await start(server.dataDir);
    await sleep(1_500);
    expect([partner.repeated, partner.deliveries.has("refused")]).toEqual([0, false]);
  }, 120_000);

  it("a crash while the disk rejects writes repeats only messages in flight", async () => {
    server = await start();
    expect((await server.putFlow("in", durableFlow(url, consumers))).status).toBe(201);
    for (let index = 0; index < 60; index++) expect((await post(server, `m${index}`)).status).toBe(202);
    limitFiles(server, 8_192);
    await eventually(async () => (await health(server as SpawnedServer)).status === "DEGRADED");
    await sleep(500);
    await server.end("SIGKILL");
    server = await start(server.dataDir);
    await eventually(() => Promise.resolve(partner.deliveries.size === 60));
    await sleep(500);
    expect(partner.repeated).toBeLessThanOrEqual(3 * consumers);
  }, 120_000);

  it("a store that cannot open on a full disk opens later, and its flows start", async () => {
    server = await start();
    expect((await server.putFlow("in", durableFlow(url, consumers))).status).toBe(201);
    expect((await post(server, "first")).status).toBe(202);
    await eventually(() => Promise.resolve(partner.deliveries.size === 1));
    await server.end("SIGKILL");
    const { dataDir } = server;
    server = await spawnServer({ env: { SERVICE_EGRESS_ALLOW_PRIVATE: "true" }, dataDir, under: ["prlimit", "--fsize=16:unlimited"] });
    expect((await health(server)).status).toBe("DEGRADED");
    expect((await health(server)).store).not.toBeNull();
    limitFiles(server, "unlimited");
    await eventually(async () => (await health(server as SpawnedServer)).status === "UP");
    expect((await post(server, "second")).status).toBe(202);
    await eventually(() => Promise.resolve(partner.deliveries.has("second")));
  }, 120_000);
});
