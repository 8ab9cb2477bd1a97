// Compares the history with a model that keeps everything: for any order of starts, ends, late writes and adopted runs, each listed run
// has its own data, and the counted memory is that of the stored runs.
import { Exchange, FlowError, Headers, Message, Run, type Processor } from "@sluice/engine";
import type { StepNode } from "@sluice/model";
import fc from "fast-check";
import { expect, it } from "vitest";
import { previewBody } from "../masking/preview.ts";
import { lostRun, previewLimit, type RunMetadata } from "./run-metadata.ts";
import { createRunHistory, type RunHistory, type RunHistoryLimits } from "./run-history.ts";
import { adoptedRun, type HistoryEntry, type RunRecord } from "./run-record.ts";
import { stepTap } from "./step-tap.ts";

interface Expected {
  readonly id: string;
  readonly routeId: string;
  readonly preview: string;
  readonly requestSize: number | undefined;
  readonly contentType: string | undefined;
  correlationId: string;
  status: string;
  isOver: boolean;
  error: string | undefined;
  replayOf: string | undefined;
  replyStatus: number | undefined;
  readonly steps: { stepId: string; status: string; attempts: number }[];
}

interface TrackedRun {
  readonly expected: Expected;
  readonly exchange: Exchange;
  readonly run: Run;
  readonly record: () => HistoryEntry;
}

interface PendingStep {
  readonly recorded: { status: string } | undefined;
  settle(failed: boolean): void;
}

const maxTrailSteps = 200;
const text = (length: number, seed: number): string => String.fromCharCode(97 + (seed % 26)).repeat(length);

class Interleaving {
  readonly history: RunHistory;
  readonly tracked: TrackedRun[] = [];
  readonly pending: PendingStep[] = [];
  readonly snapshots: { readonly metadata: readonly RunMetadata[]; readonly json: string }[] = [];
  /** The runs of each route in order. */
  readonly order = new Map<string, string[]>();
  #clock = 0;

  constructor(limits: RunHistoryLimits) {
    this.history = createRunHistory(limits);
  }

  begin(routeId: string, kind: "text" | "bytes" | "structure", length: number, seed: number): void {
    const at = ++this.#clock;
    const run = new Run(`run_${String(at).padStart(6, "0")}`, { id: routeId, flowId: "f", flowHash: "h" }, at, { uri: "direct:x" });
    const content = text(length, seed);
    const body = kind === "text" ? content : kind === "bytes" ? new TextEncoder().encode(content) : { content };
    const shown = previewBody(body, previewLimit);
    const contentType = seed % 3 === 0 ? undefined : `text/${seed}`;
    const correlationId = seed % 4 === 0 ? `correlation-${at}` : undefined;
    run.correlationId = correlationId;
    const exchange = new Exchange(`e${at}`, run, "InOut", new Message(body, Headers.of(contentType === undefined ? {} : { "Content-Type": contentType })));
    this.#appendToOrder(routeId, run.id);
    this.history.started(run, exchange);
    // A run that was evicted immediately has no record.
    const record = run.record as RunRecord | undefined;
    const expected: Expected = {
      id: run.id,
      routeId,
      preview: shown.text,
      requestSize: shown.size,
      contentType,
      correlationId: correlationId ?? run.id,
      status: "running",
      isOver: false,
      error: undefined,
      replayOf: undefined,
      replyStatus: undefined,
      steps: [],
    };
    if (seed % 5 === 0) {
      record?.replays(`run_before_${at}`);
      expected.replayOf = `run_before_${at}`;
    }
    this.tracked.push({ expected, exchange, run, record: () => record as HistoryEntry });
  }

  step({ expected, exchange, run }: TrackedRun, stepId: string, { isDetached, attempt }: { isDetached: boolean; attempt: number }): void {
    const stepExchange = isDetached ? new Exchange(`${exchange.id}-copy`, run.detached(++this.#clock), "InOnly", exchange.message, exchange) : exchange;
    stepExchange.attempt = attempt;
    let settle = (_failed: boolean): void => undefined;
    const work: Processor = () =>
      new Promise<void>((resolve, reject) => (settle = (failed) => (failed ? reject(new FlowError("java.io.IOException", "late")) : resolve())));
    const wrap = stepTap.step as (next: Processor, node: StepNode) => Processor;
    void (wrap(work, { id: stepId, name: "to" } as StepNode)(stepExchange) as Promise<void>).catch(() => undefined);
    let recorded = attempt > 1 ? expected.steps.findLast((step) => step.stepId === stepId) : undefined;
    if (recorded !== undefined) Object.assign(recorded, { status: "running", attempts: attempt });
    else if (expected.steps.length < maxTrailSteps) expected.steps.push((recorded = { stepId, status: "running", attempts: 1 }));
    this.pending.push({ recorded, settle });
  }

  async stepEnds(index: number, failed: boolean): Promise<void> {
    const [step] = this.pending.splice(index, 1);
    step?.settle(failed);
    await new Promise(setImmediate);
    if (step?.recorded !== undefined) step.recorded.status = failed ? "failed" : "completed";
  }

  end({ expected, exchange, run }: TrackedRun, failed: boolean, correlated: boolean): void {
    if (expected.isOver) {
      this.history.ended(run, exchange);
      return;
    }
    run.endedAt = ++this.#clock;
    run.status = expected.status = failed ? "failed" : "completed";
    if (correlated) run.correlationId = expected.correlationId = `late-${run.id}`;
    if (failed) run.failure = new FlowError("java.io.IOException", (expected.error = `broke ${run.id}`));
    else run.reply = { status: (expected.replyStatus = 201), body: undefined };
    expected.isOver = true;
    this.history.ended(run, exchange);
  }

  adopt(routeId: string): void {
    const at = ++this.#clock;
    const error = { type: "WorkerExited", message: `lost ${at}`, stepId: null };
    const route = { id: routeId, flowId: "f", flowHash: "h" };
    const id = `run_${String(at).padStart(6, "0")}`;
    const origin = { trigger: { uri: "direct:x" }, parentRunId: undefined, traceId: undefined, correlationId: `lost-${at}` };
    const metadata = lostRun({ id, route, exchangeId: `e${at}`, startedAt: at, ...origin }, error, at);
    const run = new Run(metadata.id, metadata.route, at, metadata.trigger);
    const exchange = new Exchange(metadata.exchangeId, run, "InOut", new Message(null));
    this.#appendToOrder(routeId, metadata.id);
    this.history.adopt(metadata);
    this.history.adopt(structuredClone(metadata));
    this.tracked.push({
      expected: {
        ...{
          id: metadata.id,
          routeId,
          preview: "",
          requestSize: undefined,
          contentType: undefined,
          correlationId: metadata.correlationId,
          status: "failed",
          isOver: true,
        },
        ...{ error: error.message, replayOf: undefined, replyStatus: undefined, steps: [] },
      },
      exchange,
      run,
      record: () => adoptedRun(metadata),
    });
  }

  #runs(): readonly RunMetadata[] {
    return this.history.matching({}).map((entry) => entry.metadata());
  }

  inspect(): void {
    const runs = this.#runs();
    this.snapshots.push({ metadata: runs, json: JSON.stringify(runs) });
  }

  check(): void {
    const runs = this.#runs();
    const byId = new Map(this.tracked.map((tracked) => [tracked.expected.id, tracked]));
    const shown = runs.map((metadata) => ({
      ...{ id: metadata.id, routeId: metadata.route.id, preview: metadata.preview, requestSize: metadata.requestSize, contentType: metadata.contentType },
      ...{
        correlationId: metadata.correlationId,
        status: metadata.status,
        isOver: metadata.isOver,
        error: metadata.error?.message,
        replayOf: metadata.replayOf,
      },
      ...{ replyStatus: metadata.replyStatus, steps: metadata.steps.map(({ stepId, status, attempts }) => ({ stepId, status, attempts })) },
    }));
    expect(shown).toEqual(runs.map(({ id }) => byId.get(id)?.expected));
    expect(this.history.size).toBe(runs.length);
    expect(this.history.bytes).toBe(runs.reduce((sum, { id }) => sum + (byId.get(id) as TrackedRun).record().bytes, 0));
    // The history contains the newest runs of each route.
    for (const [routeId, ids] of this.order) {
      const storedIds = runs.filter(({ route }) => route.id === routeId).map(({ id }) => id);
      expect(storedIds).toEqual(ids.slice(ids.length - storedIds.length).toReversed());
    }
    for (const { metadata, json } of this.snapshots) expect(JSON.stringify(metadata)).toBe(json);
  }

  #appendToOrder(routeId: string, id: string): void {
    this.order.set(routeId, [...(this.order.get(routeId) ?? []), id]);
  }
}

const routeIds = fc.constantFrom("a", "a", "b", "c");
const begin = fc.record({
  kind: fc.constant("begin" as const),
  routeId: routeIds,
  body: fc.constantFrom("text" as const, "bytes" as const, "structure" as const),
  length: fc.constantFrom(0, 1, 30, 255, 256, 257, 1_023, 1_024, 1_025, 5_000),
  seed: fc.nat(100),
});
const end = fc.record({
  kind: fc.constant("end" as const),
  which: fc.nat(),
  again: fc.constantFrom(false, false, true),
  failed: fc.boolean(),
  correlated: fc.boolean(),
});
const step = fc.record({
  kind: fc.constant("step" as const),
  which: fc.nat(),
  stepId: fc.constantFrom("s1", "s2", "s3"),
  isDetached: fc.boolean(),
  attempt: fc.constantFrom(1, 1, 1, 2, 3),
  times: fc.constantFrom(1, 1, 1, 1, 1, 1, 210),
});
const stepEnds = fc.record({ kind: fc.constant("stepEnds" as const), which: fc.nat(), failed: fc.boolean() });
const adopt = fc.record({ kind: fc.constant("adopt" as const), routeId: routeIds });
const inspect = fc.record({ kind: fc.constant("inspect" as const) });
const action = fc.oneof(
  { weight: 5, arbitrary: begin },
  { weight: 5, arbitrary: end },
  { weight: 3, arbitrary: step },
  { weight: 2, arbitrary: stepEnds },
  { weight: 1, arbitrary: adopt },
  { weight: 1, arbitrary: inspect },
);
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never;

async function applyAction(interleaving: Interleaving, next: Action): Promise<void> {
  const { tracked, pending } = interleaving;
  if (next.kind === "begin") interleaving.begin(next.routeId, next.body, next.length, next.seed);
  else if (next.kind === "adopt") interleaving.adopt(next.routeId);
  else if (next.kind === "inspect") interleaving.inspect();
  else if (next.kind === "stepEnds") await interleaving.stepEnds(next.which % Math.max(1, pending.length), next.failed);
  else if (next.kind === "end") {
    const trackedRun = pick(next.again ? tracked : tracked.filter(({ expected }) => !expected.isOver), next.which);
    if (trackedRun !== undefined) interleaving.end(trackedRun, next.failed, next.correlated);
  } else {
    const trackedRun = pick(tracked, next.which);
    // A run of another process has no steps here.
    if (trackedRun?.run.trail !== undefined) for (let count = 0; count < next.times; count++) interleaving.step(trackedRun, next.stepId, next);
  }
}

/** Picks one of the eight most recent runs. */
const pick = (runs: readonly TrackedRun[], which: number): TrackedRun | undefined => runs[runs.length - 1 - (which % Math.max(1, Math.min(8, runs.length)))];

it.each<[string, RunHistoryLimits]>([
  ["a few runs per route", { perRoute: 2, total: 1_000, bytes: 1e9 }],
  ["a few runs in total", { perRoute: 5, total: 7, bytes: 1e9 }],
  ["a few bytes", { perRoute: 6, total: 1_000, bytes: 9_000 }],
  ["one run", { perRoute: 1, total: 1, bytes: 1 }],
])("a history limited to %s lists its newest runs with their own data and counts their memory", async (_name, limits) => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 60, size: "max" }), async (actions) => {
      const interleaving = new Interleaving(limits);
      for (const next of actions) {
        await applyAction(interleaving, next);
        interleaving.check();
      }
      if (limits.total === 1_000 && limits.bytes === 1e9)
        expect(interleaving.history.size).toBe([...interleaving.order.values()].reduce((sum, ids) => sum + Math.min(limits.perRoute, ids.length), 0));
    }),
    { numRuns: 30 },
  );
});
