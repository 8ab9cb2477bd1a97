// The store checkpoints its log when it has been idle for five seconds; on a disk that rejects writes this must not hide the failure.
import { spawnSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { CountingPartner, durableFlow } from "../durable-partner.ts";
import { spawnServer } from "../spawned-server.ts";
import { call, eventually } from "../started-server.ts";

const canLimit = spawnSync("prlimit", ["--version"]).status === 0;

it.skipIf(!canLimit)("the store still reports a disk that rejects writes after its idle time, and recovers (needs prlimit)", async () => {
  const partner = new CountingPartner();
  const server = await spawnServer({ env: { SERVICE_EGRESS_ALLOW_PRIVATE: "true" } });
  const limitFiles = (size: string): void => expect(spawnSync("prlimit", ["--pid", String(server.pid), `--fsize=${size}:unlimited`]).status).toBe(0);
  const post = async (id: string): Promise<number> => (await call(server.baseUrl, "POST", "/api/in", `${id} ${"x".repeat(20_000)}`)).status;
  const status = async (): Promise<string> => (await server.api("GET", "/health")).json.status;
  expect((await server.putFlow("in", durableFlow(await partner.start(), 4))).status).toBe(201);
  for (let index = 0; index < 10; index++) expect(await post(`a${index}`)).toBe(202);
  await eventually(() => partner.deliveries.size === 10);
  limitFiles("8192");
  expect(await post("refused")).toBe(503);
  await pause(6_000);
  expect([await post("refused"), await status()]).toEqual([503, "DEGRADED"]);
  limitFiles("unlimited");
  await eventually(async () => (await post("again")) === 202 && (await status()) === "UP");
  await server.end("SIGKILL");
  server.clean();
  partner.stop();
});
