import { copyFileSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../host/clock.ts";
import { createSecretValues } from "../masking/secret-values.ts";
import { lostRun } from "../runs/run-metadata.ts";
import { findStoredRuns } from "./find-stored-runs.ts";
import { RunStore } from "./run-store.ts";
import type { SegmentLimits } from "./segment-files.ts";
import { storedRun, type StoredRun } from "./stored-run.ts";

const stores: RunStore[] = [];
const folders: string[] = [];
const logged: string[] = [];
const secrets = createSecretValues();
let now = Date.now();

afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  logged.length = 0;
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "sluice-runs-"));
  folders.push(path);
  return path;
}

function storeIn(directory: string, limits: Partial<SegmentLimits> = {}): RunStore {
  const store = new RunStore({
    directory,
    limits: { runs: 100_000, bytes: 2 ** 30, ageMs: 1e9, reservedBytes: 1, ...limits },
    clock: { ...systemClock, now: () => now },
    log: { enabled: () => true, write: (level, _logger, text) => void logged.push(`${level} ${text}`) },
  });
  stores.push(store);
  return store;
}

const idOf = (index: number): string => `run_${String(index).padStart(26, "0")}`;

function run(index: number, { routeId = "web", startedAt = now, preview = `number ${index}` } = {}): StoredRun {
  const route = { id: routeId, flowId: "flow", flowHash: "0" };
  const identity = {
    id: idOf(index),
    route,
    exchangeId: "e",
    trigger: { uri: "webhook" },
    startedAt,
    parentRunId: undefined,
    traceId: undefined,
    correlationId: "c",
  };
  return storedRun({ ...lostRun(identity, { type: "T", message: "m", stepId: null }, startedAt + 1), preview }, secrets, undefined);
}

const runs = (from: number, to: number, options = {}): readonly StoredRun[] => Array.from({ length: to - from }, (_, index) => run(from + index, options));
const bytesIn = (directory: string): number =>
  readdirSync(join(directory, "runs")).reduce((sum, name) => sum + (name.endsWith("-shm") ? 0 : statSync(join(directory, "runs", name)).size), 0);
const found = async (store: RunStore, filter: Partial<Parameters<typeof findStoredRuns>[1]> = {}): Promise<readonly string[]> =>
  (await findStoredRuns(store, { limit: 1_000, ...filter }, secrets)).runs.map(({ id }) => id as string);

describe("the run store", () => {
  it("removes the oldest runs above the limit on runs, one segment at a time", async () => {
    const store = storeIn(folder(), { runs: 160 });
    for (let from = 0; from < 400; from += 23) {
      await store.write(runs(from, from + 23), 0);
      expect(store.metrics.runs).toBeLessThanOrEqual(160);
      expect(store.metrics.runs).toBeGreaterThan(Math.min(from, 149));
    }
    const ids = await found(store);
    expect([ids[0], ids.length]).toEqual([idOf(413), store.metrics.runs]);
    expect(ids).toEqual(ids.toSorted().toReversed());
  });

  it("counts a run only once when it is written again", async () => {
    const store = storeIn(folder(), { runs: 1_600 });
    for (let attempt = 0; attempt < 3; attempt++) await store.write(runs(0, 40), 0);
    expect([store.metrics.runs, (await found(store)).length]).toEqual([40, 40]);
  });

  it("removes the oldest runs above the limit on bytes", async () => {
    const directory = folder();
    const limit = 8 * 1024 * 1024;
    const store = storeIn(directory, { bytes: limit });
    for (let from = 0; from < 12_000; from += 500) {
      await store.write(runs(from, from + 500, { preview: "z".repeat(1_000) }), 0);
      expect(store.metrics.bytes).toBeLessThanOrEqual(limit);
      expect(bytesIn(directory)).toBe(store.metrics.bytes);
    }
    expect(store.metrics.bytes).toBeGreaterThan(limit * 0.8);
    expect((await found(store, { limit: 1 }))[0]).toBe(idOf(11_999));
  });

  it("hides runs that are too old, and removes their files even without new runs", async () => {
    const directory = folder();
    const store = storeIn(directory, { ageMs: 1_000 });
    await store.write(runs(0, 3), 0);
    now += 600;
    await store.write(runs(3, 5), 0);
    expect(await found(store)).toHaveLength(5);
    now += 600;
    expect(await found(store)).toEqual([idOf(4), idOf(3)]);
    expect(await store.find(idOf(0))).toBeUndefined();
    now += 600;
    await expect.poll(() => readdirSync(join(directory, "runs"))).toEqual([]);
  });

  it("sorts by start time across several files, and pages through runs with the same start time", async () => {
    const store = storeIn(folder(), { runs: 64 });
    const start = now;
    // A long run is stored after those that started later.
    await store.write([...runs(10, 22, { startedAt: start + 5 }), run(1, { startedAt: start }), ...runs(30, 40, { startedAt: start + 9 })], 0);
    await store.write([run(2, { startedAt: start + 5 }), run(99, { startedAt: start + 1 })], 0);
    const all = await found(store);
    expect(all).toEqual([
      ...Array.from({ length: 10 }, (_, index) => idOf(39 - index)),
      ...Array.from({ length: 12 }, (_, index) => idOf(21 - index)),
      idOf(2),
      idOf(99),
      idOf(1),
    ]);
    const paged: string[] = [];
    for (let after: { startedAt: number; id: string } | undefined; ;) {
      const page = await findStoredRuns(store, { limit: 4, after }, secrets);
      paged.push(...page.runs.map(({ id }) => id as string));
      expect(page.total).toBe(25);
      if (page.stopped === undefined) break;
      after = page.stopped;
    }
    expect(paged).toEqual(all);
  });

  it("searches for words in masked text only, over several pages", async () => {
    const store = storeIn(folder());
    secrets.set("test", ["known-secret"]);
    await store.write([...runs(0, 300), run(300, { preview: 'say "quoted" Ünique known-secret' }), ...runs(301, 900)], 0);
    expect(await found(store, { text: 'ünique "quoted"' })).toEqual([idOf(300)]);
    expect(await found(store, { text: "known-secret" })).toEqual([]);
    expect(await found(store, { text: "number", limit: 5 })).toEqual([899, 898, 897, 896, 895].map(idOf));
    expect(await found(store, { text: "899 number", routeId: "other" })).toEqual([]);
    // The file does not contain the value either, even when it is no longer registered as a secret.
    secrets.set("test", []);
    expect(JSON.stringify(await store.find(idOf(300)))).not.toContain("known-secret");
    expect(await found(store, { flowId: "flow\0" })).toEqual([]);
  });

  it("continues after a crash, and never stores a run twice", async () => {
    const directory = folder();
    const store = storeIn(directory, { runs: 160 });
    await store.write(runs(0, 35), 0);
    await store.write(runs(33, 38), 0);
    const crashed = folder();
    storeIn(crashed);
    await stores.pop()?.close();
    for (const name of readdirSync(join(directory, "runs"))) copyFileSync(join(directory, "runs", name), join(crashed, "runs", name));
    const next = storeIn(crashed, { runs: 160 });
    await next.write(runs(38, 41), 0);
    expect(await found(next)).toEqual(Array.from({ length: 41 }, (_, index) => idOf(40 - index)));
    expect(logged).toEqual([]);
  });
});
