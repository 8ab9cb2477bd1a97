// A start with 2,000 flows, of which 20 are broken.
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { spawnServer } from "../spawned-server.ts";
import { call, replyFlow } from "../started-server.ts";
import { starvedMs } from "../process-usage.ts";

it("2,000 flows, 20 corrupt: ready within 10 s, 1,980 running", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "sluice-"));
  mkdirSync(join(dataDir, "routes"));
  const broken = ["- route: [", "", "\0\0\0", "- route: {id: x}"];
  for (let index = 0; index < 2_000; index++) {
    const text = index % 100 === 7 ? (broken[((index / 100) % broken.length) | 0] as string) : replyFlow(`r${index}`, `answer ${index}`);
    writeFileSync(join(dataDir, "routes", `f${index}.yaml`), text);
  }
  const startTime = performance.now();
  const server = await spawnServer({ dataDir });
  // CPU time used by others on a busy machine does not count.
  const readyMs = performance.now() - startTime - starvedMs(server.pid);
  try {
    const { flows } = (await server.api("GET", "/flows")).json as { flows: { status: string; error: string | null }[] };
    expect(flows.filter(({ status }) => status === "Started")).toHaveLength(1_980);
    expect(flows.filter(({ status, error }) => status === "Failed" && error !== null)).toHaveLength(20);
    for (const index of [0, 1, 999, 1_999]) expect((await call(server.baseUrl, "POST", `/api/r${index}`, "")).text).toBe(`answer ${index}`);
    expect(readyMs).toBeLessThan(10_000);
  } finally {
    await server.end("SIGKILL");
    server.clean();
  }
}, 120_000);
