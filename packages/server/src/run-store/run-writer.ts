// Collects ended runs and stores them in batches. When a run ends, it is only appended to a list; everything else is done per batch, in
// slices. While the process is busy, successful runs are sampled: storing a run takes longer than running a short one.
import { performance, type EventLoopUtilization } from "node:perf_hooks";
import { messageJson } from "../dead-letters/dead-letter-view.ts";
import { inSlices } from "../host/in-slices.ts";
import type { SecretValues } from "../masking/secret-values.ts";
import type { CapturedRun } from "../replay/captures.ts";
import type { HistoryEntry } from "../runs/run-record.ts";
import type { RunDestination } from "./run-store.ts";
import { storedRun, type StoredMessages, type StoredRun } from "./stored-run.ts";

export interface RunWriterParts {
  readonly destination: RunDestination;
  readonly secrets: SecretValues;
  /** The messages captured in a run. */
  captured(runId: string): CapturedRun | undefined;
}

/** A crash loses the runs of at most this time. */
const batchMs = 250;
/** Successful runs per batch while the event loop is mostly idle, and while it is busy; each route may have a few more. */
const perIdleBatch = 500;
const perBusyBatch = 50;
const perRoute = 10;
const busyUtilization = 0.5;
/** Maximum number of runs in a batch. Runs that failed or belong to a test session are sampled only above it. */
const maxBatch = 1_000;

export class RunWriter {
  readonly #parts: RunWriterParts;
  readonly #stored = new WeakSet<HistoryEntry>();
  /** Successful runs in the batch, by route. */
  readonly #counts = new Map<HistoryEntry["route"], number>();
  #waiting: HistoryEntry[] = [];
  #successful = 0;
  #perBatch = perIdleBatch;
  #measured: EventLoopUtilization = performance.eventLoopUtilization();
  #omitted = 0;
  #timer: NodeJS.Timeout | undefined = undefined;
  #writing: Promise<void> | undefined = undefined;

  constructor(parts: RunWriterParts) {
    this.#parts = parts;
  }

  /** Adds an ended run to the next batch. */
  add(entry: HistoryEntry): void {
    if (!this.#admits(entry)) {
      this.#omitted++;
      return;
    }
    this.#waiting.push(entry);
    this.#timer ??= setTimeout(this.#onTimer, batchMs).unref();
  }

  /** True once the run was written to disk; the store may have removed it since because of its limits. */
  isStored(entry: HistoryEntry): boolean {
    return this.#stored.has(entry);
  }

  /** Resolves when all runs that ended before the call are stored or dropped. */
  async flush(): Promise<void> {
    await this.#writing;
    // Another caller may have begun the next batch.
    await (this.#writing ?? this.#write());
  }

  readonly #onTimer = (): void => {
    this.#timer = undefined;
    void this.flush();
  };

  #admits(entry: HistoryEntry): boolean {
    if (this.#waiting.length >= maxBatch) return false;
    if (entry.status !== "completed" || entry.sessionId !== undefined) return true;
    const count = this.#counts.get(entry.route) ?? 0;
    if (count >= perRoute && this.#successful >= this.#perBatch) return false;
    this.#counts.set(entry.route, count + 1);
    this.#successful++;
    return true;
  }

  #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const entries = this.#waiting;
    const omitted = this.#omitted;
    if (entries.length === 0 && omitted === 0) return Promise.resolve();
    this.#waiting = [];
    this.#counts.clear();
    this.#successful = 0;
    this.#omitted = 0;
    this.#measure();
    return (this.#writing = this.#store(entries, omitted).finally(() => (this.#writing = undefined)));
  }

  /** The load during this batch limits the next one. */
  #measure(): void {
    const now = performance.eventLoopUtilization();
    this.#perBatch = performance.eventLoopUtilization(now, this.#measured).utilization < busyUtilization ? perIdleBatch : perBusyBatch;
    this.#measured = now;
  }

  async #store(entries: readonly HistoryEntry[], omitted: number): Promise<void> {
    try {
      await this.#parts.destination.write(await inSlices(this.#prepare(entries)), omitted);
      for (const entry of entries) this.#stored.add(entry);
    } catch {
      // The destination has logged the error and counted the runs.
    }
  }

  *#prepare(entries: readonly HistoryEntry[]): Generator<undefined, readonly StoredRun[]> {
    const { secrets, captured } = this.#parts;
    const runs: StoredRun[] = [];
    for (const entry of entries) {
      const messages = captured(entry.id);
      runs.push(storedRun(entry.metadata(), secrets, messages === undefined ? undefined : yield* storedMessages(messages, secrets)));
      yield;
    }
    return runs;
  }
}

function* storedMessages({ steps, truncated }: CapturedRun, secrets: SecretValues): Generator<undefined, StoredMessages> {
  const messages: Readonly<Record<string, unknown>>[] = [];
  for (const { stepId, message } of steps) {
    messages.push({ stepId, ...messageJson(message, secrets) });
    yield;
  }
  return { messages, messagesTruncated: truncated };
}
