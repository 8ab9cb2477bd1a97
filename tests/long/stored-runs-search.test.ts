// Many stored runs: neither the start nor a search blocks the event loop, and a search that takes long continues on the next page.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../packages/server/src/host/clock.ts";
import { createSecretValues } from "../../packages/server/src/masking/secret-values.ts";
import { RunStore } from "../../packages/server/src/run-store/run-store.ts";
import { storedRun } from "../../packages/server/src/run-store/stored-run.ts";
import { lostRun } from "../../packages/server/src/runs/run-metadata.ts";
import { longMs, watchLoop, type LoopWatch } from "./event-loop/loop-watch.ts";
import { spawnServer, type SpawnedServer } from "../spawned-server.ts";
import { replyFlow } from "../started-server.ts";

const count = 60_000;
const batch = 2_000;
let server: SpawnedServer;
let watch: LoopWatch;

/** Stores runs that started one millisecond apart, as an earlier process would have. */
async function fill(dataDir: string): Promise<void> {
  const limits = { runs: 100_000, bytes: 2 ** 30, ageMs: 1e9, reservedBytes: 1 };
  const store = new RunStore({ directory: join(dataDir, "store"), limits, clock: systemClock, log: { enabled: () => true, write: () => undefined } });
  const secrets = createSecretValues();
  const first = Date.now() - count;
  for (let from = 0; from < count; from += batch) {
    const runs = Array.from({ length: batch }, (_, offset) => {
      const index = from + offset;
      const route = { id: index % 1_000 === 0 ? "rare" : "busy", flowId: "flow", flowHash: "0" };
      const id = `run_${String(index).padStart(26, "0")}`;
      const metadata = {
        id,
        route,
        exchangeId: "e",
        trigger: { uri: "webhook" },
        startedAt: first + index,
        parentRunId: undefined,
        traceId: undefined,
        correlationId: id,
      };
      return storedRun(
        { ...lostRun(metadata, { type: "T", message: "m", stepId: null }, first), preview: `order-${index} ${"text ".repeat(100)}` },
        secrets,
        undefined,
      );
    });
    await store.write(runs, 0);
  }
  await store.close();
}

beforeAll(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "sluice-"));
  await fill(dataDir);
  server = await spawnServer({ dataDir, env: { SERVICE_RUN_STORE: "disk", SERVICE_LOG_LEVEL: "ERROR" } });
  await server.putFlow("canary", replyFlow("canary", "ok"));
  watch = await watchLoop(server);
});
afterAll(async () => {
  await watch.end();
  await server.end("SIGKILL");
  server.clean();
});

/** The best of three: the first may include compilation. */
async function search(query: string): Promise<any> {
  let blockedMs = Infinity;
  let json: any;
  for (let attempt = 0; attempt < 3 && blockedMs > longMs; attempt++) {
    await watch.measure();
    ({ json } = await server.api("GET", `/runs?flowId=flow&${query}`));
    blockedMs = await watch.measure();
  }
  expect(blockedMs, `${query}: the event loop was blocked`).toBeLessThan(longMs);
  return json;
}

describe("60,000 stored runs", () => {
  it("are listed, filtered and counted without blocking the event loop", async () => {
    const { total, runs } = await search("limit=1000");
    expect([total, runs.length, runs[0].request.preview.slice(0, 11)]).toEqual([count, 1_000, "order-59999"]);
    const rare = await search("routeId=rare&limit=100&status=failed");
    expect([rare.total, rare.runs.length, rare.runs[59].id]).toEqual([60, 60, "run_00000000000000000000000000"]);
  });

  it("are searched for text in pages that together read everything once", async () => {
    const found: string[] = [];
    for (let cursor: string | null = "newest"; cursor !== null;) {
      const page = await search(`text=order-1234&limit=50&cursor=${cursor}`);
      found.push(...page.runs.map(({ request }: any) => request.preview.split(" ")[0]));
      expect(page.complete).toBe(page.next === null);
      cursor = page.next;
    }
    expect(found).toEqual([...Array.from({ length: 10 }, (_, index) => `order-${12_349 - index}`), "order-1234"]);
  });
});
