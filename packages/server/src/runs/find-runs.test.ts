// Paging and text search over the history: each match is returned once, secrets are masked, and the event loop is not blocked.
import { describe, expect, it, vi } from "vitest";
import { createSecretValues } from "../masking/secret-values.ts";
import type { FoundRuns } from "../other-workers/worker-metrics.ts";
import { findRuns, mergeRuns } from "./find-runs.ts";
import { lostRun, type RunMetadata } from "./run-metadata.ts";
import { createRunHistory, type RunHistory, type RunPosition } from "./run-history.ts";
import type { HistoryEntry } from "./run-record.ts";

const runId = (number: number): string => `run_${String(number).padStart(6, "0")}`;

function run(number: number, routeId: string, preview = "", message = "gone"): RunMetadata {
  const lost = { id: runId(number), route: { id: routeId, flowId: `flow-of-${routeId}`, flowHash: "h" }, exchangeId: "e", trigger: { uri: "direct:x" } };
  const identity = { ...lost, startedAt: 1_000 + Math.floor(number / 3), parentRunId: undefined, traceId: undefined, correlationId: runId(number) };
  return { ...lostRun(identity, { type: "Lost", message, stepId: null }, 9_000), preview };
}

function historyOf(runs: readonly RunMetadata[]): RunHistory {
  const history = createRunHistory({ perRoute: 250, total: 20_000, bytes: 1e9 });
  for (const metadata of runs) history.adopt(metadata);
  return history;
}

const secrets = createSecretValues();
const idsOf = (runs: readonly Readonly<Record<string, unknown>>[]): readonly unknown[] => runs.map(({ id }) => id);

describe("finding runs", () => {
  it("pages through all matches once, even if several runs began at the same time and while new ones arrive", async () => {
    const history = historyOf(Array.from({ length: 40 }, (_, number) => run(number, number % 2 === 0 ? "even" : "odd")));
    const seen: unknown[] = [];
    let after = undefined;
    for (let pages = 0; pages < 20; pages++) {
      const found = await findRuns(history, { flowId: "flow-of-even", limit: 7, after }, secrets);
      seen.push(...idsOf(found.runs));
      after = found.stopped;
      history.adopt(run(100 + pages * 2, "even"));
      if (after === undefined) break;
    }
    expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => runId(38 - index * 2)));
  });

  it("finds words in the request, the error and the ids, but not in masked values", async () => {
    const flowSecrets = createSecretValues();
    flowSecrets.set("flow", ["hunter2-token"]);
    const history = historyOf([
      run(1, "a", '{"order":"A-10031","password":"S3CR3T"}'),
      run(2, "a", "hunter2-token", "no http://u:S3CR3T@h/ here"),
      run(3, "b", '{"order":"A-10032"}', "503 from ERP"),
    ]);
    const find = async (text: string): Promise<readonly unknown[]> => idsOf((await findRuns(history, { text, limit: 10 }, flowSecrets)).runs);
    expect(await find("a-10031")).toEqual([runId(1)]);
    expect(await find("A-100 erp")).toEqual([runId(3)]);
    expect(await find("flow-of-a")).toEqual([runId(2), runId(1)]);
    expect(await find(runId(2))).toEqual([runId(2)]);
    for (const secret of ["S3CR3T", "hunter2"]) expect(await find(secret)).toEqual([]);
  });

  it("merges the pages of several workers up to where the first of them stopped", () => {
    const part = (numbers: readonly number[], stopped?: number) => ({
      runs: numbers.map((number) => ({ id: runId(number), startedAt: new Date(number).toISOString() })),
      total: numbers.length,
      stopped: stopped === undefined ? undefined : { startedAt: stopped, id: runId(stopped) },
    });
    const joined = mergeRuns([part([9, 7, 5], 5), part([8, 2, 1])], 10);
    expect([idsOf(joined.runs), joined.stopped?.startedAt]).toEqual([[9, 8, 7, 5].map(runId), 5]);
    const limited = mergeRuns([part([9, 7, 5], 5), part([8, 6], 6)], 3);
    expect([idsOf(limited.runs), limited.stopped?.startedAt]).toEqual([[9, 8, 7].map(runId), 7]);
    expect(mergeRuns([part([9]), part([8])], 2).stopped).toBeUndefined();
  });

  it("a text search yields to the event loop between slices, and stops after its time limit; the next page continues it", async () => {
    const history = historyOf(Array.from({ length: 100 }, (_, number) => run(number, "a", `{"password":"S3CR3T","n":${number}}`)));
    vi.useFakeTimers({ toFake: ["performance"] });
    let turn = 0;
    let isOver = false;
    const countTurns = (): void => {
      turn++;
      if (!isOver) setImmediate(countTurns);
    };
    countTurns();
    const readIn: number[] = [];
    const costly = (entry: HistoryEntry): HistoryEntry =>
      Object.create(entry, {
        metadata: {
          value() {
            readIn.push(turn);
            vi.advanceTimersByTime(6);
            return entry.metadata();
          },
        },
      }) as HistoryEntry;
    const slowHistory = { ...history, matching: (...filter: Parameters<RunHistory["matching"]>) => history.matching(...filter).map(costly) };
    try {
      const readPerPage: number[] = [];
      let after: RunPosition | undefined;
      do {
        const page: FoundRuns = await findRuns(slowHistory, { text: "s3cr3t", limit: 50, after }, secrets);
        expect(page.runs).toEqual([]);
        readPerPage.push(readIn.length);
        after = page.stopped;
      } while (after !== undefined);
      // 200 ms at 6 ms each.
      expect(readPerPage).toEqual([34, 68, 100]);
      const readPerTurn = readIn.map((one) => readIn.filter((other) => other === one).length);
      expect(Math.max(...readPerTurn)).toBe(2);
    } finally {
      isOver = true;
      vi.useRealTimers();
    }
  });
});
