// Replays one or many dead letters into their routes. A successful replay removes the dead letter; a failed one updates it.
import { restoreMessage, type RestoredMessage } from "@sluice/connectors";
import { FlowError, type Clock, type Exchange, type RouteInput, type Runtime } from "@sluice/engine";
import { unguessableId } from "../host/ulid.ts";
import type { RunRecord } from "../runs/run-record.ts";
import { ServiceError } from "../service-error.ts";
import type { DeadLetter, DeadLetterFilter } from "../store/dead-letter-table.ts";
import type { DeadLetterStore } from "./dead-letter-store.ts";
import { failureOf, deadLetterProperty, type DeadLetterWriter } from "./dead-letter-writer.ts";

const maxConcurrent = 4;
const maxJobs = 20;

export interface ReplayParts {
  readonly runtime: Runtime;
  readonly writer: DeadLetterWriter;
  readonly clock: Clock;
  /** True while the runtime shuts down: no new replay is started then. */
  isDraining(): boolean;
  isOpenSession(id: string): boolean;
}

interface DeadLetterOutcome {
  readonly id: string;
  readonly runId: string;
  readonly status: string;
  readonly replayed: boolean;
  readonly error: { readonly type: string; readonly message: string; readonly stepId: string | null } | null;
}

export interface ReplayJob {
  readonly id: string;
  readonly startedAt: number;
  readonly total: number;
  status: "running" | "completed" | "cancelled";
  replayed: number;
  failed: number;
  /** Dead letters that could not be replayed, for example because they were removed or their route is not deployed. */
  skipped: number;
}

/** A bulk replay; `done` resolves when none of its dead letters is in flight. */
interface BulkReplay {
  readonly job: ReplayJob;
  readonly done: Promise<void>;
}

/** The status changes to `cancelled` only after the last dead letter in flight: until then the counts still change. */
interface StoppableReplay extends BulkReplay {
  stop(): void;
}

export interface DeadLetterReplays {
  replay(store: DeadLetterStore, id: string): Promise<DeadLetterOutcome>;
  /** Replays the matching dead letters, oldest first. */
  replayAll(store: DeadLetterStore, filter: DeadLetterFilter, limit: number): BulkReplay;
  job(id: string): ReplayJob | undefined;
  /** Stops the job; dead letters in flight are finished. */
  cancel(id: string): BulkReplay | undefined;
}

const alreadyReplayed = (id: string): ServiceError => new ServiceError("conflict", `dead letter '${id}' is already being replayed`);

function restore({ id, input, message }: DeadLetter): RestoredMessage {
  try {
    return restoreMessage(input ?? message);
  } catch (error) {
    throw new ServiceError("conflict", `dead letter '${id}' cannot be replayed: ${(error as Error).message}`);
  }
}

export function deadLetterReplays({ runtime, writer, clock, isDraining, isOpenSession }: ReplayParts): DeadLetterReplays {
  const jobs = new Map<string, StoppableReplay>();

  async function replay(store: DeadLetterStore, id: string): Promise<DeadLetterOutcome> {
    const letter = await store.find(id);
    if (letter === undefined) throw new ServiceError("not-found", `dead letter '${id.slice(0, 128)}' not found`);
    const route = runtime.routes.get(letter.routeId);
    if (route === undefined) throw new ServiceError("conflict", `dead letter '${id}' cannot be replayed: route '${letter.routeId}' is not deployed`);
    const restored = restore(letter);
    const { session } = restored;
    if (session !== undefined && !isOpenSession(session.id))
      throw new ServiceError("conflict", `dead letter '${id}' cannot be replayed: it belongs to test session '${session.id}', which is closed`);
    if (writer.repeatFailures.has(id)) throw alreadyReplayed(id);
    writer.repeatFailures.set(id, 0);
    let release: (() => Promise<void>) | undefined;
    try {
      if (store.reserve !== undefined) {
        release = await store.reserve(id);
        if (release === undefined) throw alreadyReplayed(id);
        // Another node may have replayed it since it was read.
        if ((await store.find(id)) === undefined) throw new ServiceError("not-found", `dead letter '${id}' not found`);
      }
      const exchange = await deliver(id, restored, route.routeInput);
      const hasFailedAgain = (writer.repeatFailures.get(id) ?? 0) > 0;
      return await settle(store, letter, exchange, hasFailedAgain);
    } finally {
      writer.repeatFailures.delete(id);
      await release?.();
    }
  }

  return {
    replay,
    replayAll(store, filter, limit) {
      makeRoom();
      const ids = store.oldestIds(filter, limit);
      const job: ReplayJob = {
        id: `replay_${unguessableId()}`,
        startedAt: clock.now(),
        total: ids.length,
        status: "running",
        replayed: 0,
        failed: 0,
        skipped: 0,
      };
      const stopping = new AbortController();
      const bulkReplay = { job, done: runJob(store, ids, job, stopping), stop: () => stopping.abort() };
      jobs.set(job.id, bulkReplay);
      return bulkReplay;
    },
    job: (id) => jobs.get(id)?.job,
    cancel(id) {
      const bulkReplay = jobs.get(id);
      bulkReplay?.stop();
      return bulkReplay;
    },
  };

  function makeRoom(): void {
    for (const [id, { job }] of jobs) if (jobs.size >= maxJobs && job.status !== "running") jobs.delete(id);
    if (jobs.size >= maxJobs)
      throw new ServiceError("too-many", `at most ${maxJobs} bulk replays can run at the same time: wait for one to finish or cancel one`, {
        "Retry-After": "10",
      });
  }

  async function runJob(store: DeadLetterStore, ids: readonly string[], job: ReplayJob, stopping: AbortController): Promise<void> {
    let next = 0;
    const attempt = async (id: string): Promise<void> => {
      try {
        if ((await replay(store, id)).replayed) job.replayed++;
        else job.failed++;
      } catch {
        job.skipped++;
      }
      await clock.yieldToEventLoop();
    };
    const replayRemaining = async (): Promise<void> => {
      for (let id = ids[next++]; id !== undefined && !stopping.signal.aborted; id = ids[next++]) {
        if (isDraining()) stopping.abort();
        else await attempt(id);
      }
    };
    await Promise.all(Array.from({ length: maxConcurrent }, replayRemaining));
    job.status = stopping.signal.aborted && job.replayed + job.failed + job.skipped < job.total ? "cancelled" : "completed";
  }
}

function deliver(id: string, { message, delivery, session }: RestoredMessage, routeInput: RouteInput): Exchange | Promise<Exchange> {
  const properties = new Map(delivery.properties ?? []);
  properties.set(deadLetterProperty, id);
  return routeInput.deliver(message, {
    pattern: "InOut",
    trigger: { uri: "sluice:dead-letters" },
    properties,
    ...(delivery.correlationId === undefined ? {} : { correlationId: delivery.correlationId }),
    ...(session === undefined ? {} : { session }),
    started({ run }) {
      (run.record as RunRecord | undefined)?.replays();
    },
  });
}

async function settle(store: DeadLetterStore, { id }: DeadLetter, exchange: Exchange, hasFailedAgain: boolean): Promise<DeadLetterOutcome> {
  const { run, failure, caught } = exchange;
  const error = failure ?? (hasFailedAgain ? caught : undefined);
  const replayed = error === undefined && !hasFailedAgain;
  if (replayed) await store.remove(id);
  else if (!hasFailedAgain) await store.recordFailedReplay(id, failureOf(error ?? unknownFailure(), exchange), run.id);
  return {
    id,
    runId: run.id,
    status: run.status,
    replayed,
    error: error === undefined ? null : { type: error.type, message: error.message, stepId: error.stepId ?? null },
  };
}

const unknownFailure = (): FlowError => new FlowError("java.lang.IllegalStateException", "the run failed");
