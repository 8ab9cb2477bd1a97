// Replays dead letters into their routes, one or many. A successful replay removes the letter; a failed one updates it.
import { restoreMessage, type RestoredMessage } from "@sluice/connectors";
import { FlowError, type Clock, type Exchange, type Inlet, type Runtime } from "@sluice/engine";
import { unguessableId } from "../host/ulid.ts";
import { Refusal } from "../refusal.ts";
import type { Letter, LetterFilter } from "../store/dead-letter-table.ts";
import type { DeadLetterStore } from "./dead-letter-store.ts";
import { failureOf, letterProperty, type DeadLetterWriter } from "./dead-letter-writer.ts";

const atOnce = 4;
const maxJobs = 20;

export interface ReplayParts {
  readonly runtime: Runtime;
  readonly writer: DeadLetterWriter;
  readonly clock: Clock;
  /** True while the runtime shuts down: no new replay is started then. */
  isDraining(): boolean;
  isOpenSession(id: string): boolean;
}

interface LetterOutcome {
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
  /** Letters that were not tried: already removed, or their route is not deployed. */
  skipped: number;
}

/** A bulk replay; `done` resolves when none of its letters is in flight. */
interface BulkReplay {
  readonly job: ReplayJob;
  readonly done: Promise<void>;
}

/** A job is `cancelled` only when its last letter in flight is counted: until then its numbers still change. */
interface StoppableReplay extends BulkReplay {
  stop(): void;
}

export interface LetterReplays {
  one(table: DeadLetterStore, id: string): Promise<LetterOutcome>;
  /** Starts with the oldest. */
  many(table: DeadLetterStore, filter: LetterFilter, limit: number): BulkReplay;
  job(id: string): ReplayJob | undefined;
  /** Stops the job; letters in flight are finished. */
  cancel(id: string): BulkReplay | undefined;
}

const alreadyReplayed = (id: string): Refusal => new Refusal("conflict", `dead letter '${id}' is already being replayed`);

function restoredFrom({ id, input, message }: Letter): RestoredMessage {
  try {
    return restoreMessage(input ?? message);
  } catch (error) {
    throw new Refusal("conflict", `dead letter '${id}' cannot be replayed: ${(error as Error).message}`);
  }
}

export function letterReplays({ runtime, writer, clock, isDraining, isOpenSession }: ReplayParts): LetterReplays {
  const jobs = new Map<string, StoppableReplay>();

  async function one(table: DeadLetterStore, id: string): Promise<LetterOutcome> {
    const letter = await table.find(id);
    if (letter === undefined) throw new Refusal("not-found", `dead letter '${id.slice(0, 128)}' not found`);
    const route = runtime.routes.get(letter.routeId);
    if (route === undefined) throw new Refusal("conflict", `dead letter '${id}' cannot be replayed: route '${letter.routeId}' is not deployed`);
    const restored = restoredFrom(letter);
    const { session } = restored;
    if (session !== undefined && !isOpenSession(session.id))
      throw new Refusal("conflict", `dead letter '${id}' cannot be replayed: it belongs to test session '${session.id}', which is closed`);
    if (writer.repeatFailures.has(id)) throw alreadyReplayed(id);
    writer.repeatFailures.set(id, 0);
    let release: (() => Promise<void>) | undefined;
    try {
      if (table.reserve !== undefined) {
        release = await table.reserve(id);
        if (release === undefined) throw alreadyReplayed(id);
        // Another node may have replayed it since it was read.
        if ((await table.find(id)) === undefined) throw new Refusal("not-found", `dead letter '${id}' not found`);
      }
      const exchange = await deliver(id, restored, route.inlet);
      const repeatFailures = (writer.repeatFailures.get(id) ?? 0) > 0;
      return await settle(table, letter, exchange, repeatFailures);
    } finally {
      writer.repeatFailures.delete(id);
      await release?.();
    }
  }

  return {
    one,
    many(table, filter, limit) {
      makeRoom();
      const ids = table.oldest(filter, limit);
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
      const replay = { job, done: work(table, ids, job, stopping), stop: () => stopping.abort() };
      jobs.set(job.id, replay);
      return replay;
    },
    job: (id) => jobs.get(id)?.job,
    cancel(id) {
      const replay = jobs.get(id);
      replay?.stop();
      return replay;
    },
  };

  function makeRoom(): void {
    for (const [id, { job }] of jobs) if (jobs.size >= maxJobs && job.status !== "running") jobs.delete(id);
    if (jobs.size >= maxJobs)
      throw new Refusal("too-many", `at most ${maxJobs} bulk replays can run at the same time: wait for one to finish or cancel one`, { "Retry-After": "10" });
  }

  async function work(table: DeadLetterStore, ids: readonly string[], job: ReplayJob, stopping: AbortController): Promise<void> {
    let next = 0;
    const attempt = async (id: string): Promise<void> => {
      try {
        if ((await one(table, id)).replayed) job.replayed++;
        else job.failed++;
      } catch {
        job.skipped++;
      }
      await clock.yieldToEventLoop();
    };
    const worker = async (): Promise<void> => {
      for (let id = ids[next++]; id !== undefined && !stopping.signal.aborted; id = ids[next++]) {
        if (isDraining()) stopping.abort();
        else await attempt(id);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    job.status = stopping.signal.aborted && job.replayed + job.failed + job.skipped < job.total ? "cancelled" : "completed";
  }
}

function deliver(id: string, { message, delivery, session }: RestoredMessage, inlet: Inlet): Exchange | Promise<Exchange> {
  const properties = new Map(delivery.properties ?? []);
  properties.set(letterProperty, id);
  return inlet.deliver(message, {
    pattern: "InOut",
    trigger: { uri: "sluice:dead-letters" },
    properties,
    ...(delivery.correlationId === undefined ? {} : { correlationId: delivery.correlationId }),
    ...(session === undefined ? {} : { session }),
  });
}

async function settle(table: DeadLetterStore, { id }: Letter, exchange: Exchange, repeatFailures: boolean): Promise<LetterOutcome> {
  const { run, failure, caught } = exchange;
  const error = failure ?? (repeatFailures ? caught : undefined);
  const replayed = error === undefined && !repeatFailures;
  if (replayed) await table.remove(id);
  else if (!repeatFailures) await table.failedAgain(id, failureOf(error ?? unknownFailure(), exchange), run.id);
  return {
    id,
    runId: run.id,
    status: run.status,
    replayed,
    error: error === undefined ? null : { type: error.type, message: error.message, stepId: error.stepId ?? null },
  };
}

const unknownFailure = (): FlowError => new FlowError("java.lang.IllegalStateException", "the run failed");
