// Dead letters sent into their routes again, one or many: what succeeds is removed, what fails stays and is counted.
import { restoreMessage, type RestoredMessage } from "@sluice/connectors";
import { FlowError, type Clock, type Exchange, type Inlet, type Runtime } from "@sluice/engine";
import { unguessableId } from "../host/ulid.ts";
import { Refusal } from "../refusal.ts";
import type { DeadLetterTable, Letter, LetterFilter } from "../store/dead-letter-table.ts";
import { failureOf, letterProperty, type LetterKeeper } from "./keep-letter.ts";

const atOnce = 4;
const keptJobs = 20;

export interface ReplayParts {
  readonly runtime: Runtime;
  readonly keeper: LetterKeeper;
  readonly clock: Clock;
  /** True from the first signal to stop: nothing new is begun then. */
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
  /** Letters that could not be tried: gone meanwhile, or their route is not deployed. */
  skipped: number;
}

/** A bulk replay; the promise resolves when nothing of it is under way any more. */
interface BulkReplay {
  readonly job: ReplayJob;
  readonly done: Promise<void>;
}

export interface LetterReplays {
  one(table: DeadLetterTable, id: string): Promise<LetterOutcome>;
  /** Begins with the oldest. */
  many(table: DeadLetterTable, filter: LetterFilter, limit: number): BulkReplay;
  job(id: string): ReplayJob | undefined;
  /** Tries no more letters; those under way are finished. */
  cancel(id: string): BulkReplay | undefined;
}

function restoredFrom({ id, input, message }: Letter): RestoredMessage {
  try {
    return restoreMessage(input ?? message);
  } catch (error) {
    throw new Refusal("conflict", `dead letter '${id}' cannot be replayed: ${(error as Error).message}`);
  }
}

export function letterReplays({ runtime, keeper, clock, isDraining, isOpenSession }: ReplayParts): LetterReplays {
  const jobs = new Map<string, BulkReplay>();

  async function one(table: DeadLetterTable, id: string): Promise<LetterOutcome> {
    const letter = table.find(id);
    if (letter === undefined) throw new Refusal("not-found", `dead letter '${id.slice(0, 128)}' not found`);
    const route = runtime.routes.get(letter.routeId);
    if (route === undefined) throw new Refusal("conflict", `dead letter '${id}' cannot be replayed: route '${letter.routeId}' is not deployed`);
    const restored = restoredFrom(letter);
    const { session } = restored;
    if (session !== undefined && !isOpenSession(session.id))
      throw new Refusal("conflict", `dead letter '${id}' cannot be replayed: it is of test session '${session.id}', which is over, and must not run for real`);
    if (keeper.keptAgain.has(id)) throw new Refusal("conflict", `dead letter '${id}' is being replayed already`);
    keeper.keptAgain.set(id, 0);
    try {
      const exchange = await deliver(id, restored, route.inlet);
      const keptAgain = (keeper.keptAgain.get(id) ?? 0) > 0;
      return await settle(table, letter, exchange, keptAgain);
    } finally {
      keeper.keptAgain.delete(id);
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
      const replay = { job, done: work(table, ids, job) };
      jobs.set(job.id, replay);
      return replay;
    },
    job: (id) => jobs.get(id)?.job,
    cancel(id) {
      const replay = jobs.get(id);
      if (replay?.job.status === "running") replay.job.status = "cancelled";
      return replay;
    },
  };

  function makeRoom(): void {
    for (const [id, { job }] of jobs) if (jobs.size >= keptJobs && job.status !== "running") jobs.delete(id);
    if (jobs.size >= keptJobs)
      throw new Refusal("too-many", `no more than ${keptJobs} bulk replays may be under way: wait for one, or cancel it`, { "Retry-After": "10" });
  }

  async function work(table: DeadLetterTable, ids: readonly string[], job: ReplayJob): Promise<void> {
    let next = 0;
    const attempt = async (id: string): Promise<void> => {
      try {
        if ((await one(table, id)).replayed) job.replayed++;
        else job.failed++;
      } catch {
        job.skipped++;
      }
      await clock.breathe();
    };
    const worker = async (): Promise<void> => {
      for (let id = ids[next++]; id !== undefined && job.status === "running"; id = ids[next++]) {
        if (isDraining()) job.status = "cancelled";
        else await attempt(id);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    if (job.status === "running") job.status = "completed";
  }
}

function deliver(id: string, { message, delivery, session }: RestoredMessage, inlet: Inlet): Exchange | Promise<Exchange> {
  const properties = new Map(delivery.properties ?? []);
  properties.set(letterProperty, id);
  return inlet.deliver(message, { pattern: "InOut", trigger: { uri: "sluice:dead-letters" }, properties, ...(session === undefined ? {} : { session }) });
}

async function settle(table: DeadLetterTable, { id }: Letter, exchange: Exchange, keptAgain: boolean): Promise<LetterOutcome> {
  const { run, failure, caught } = exchange;
  const error = failure ?? (keptAgain ? caught : undefined);
  const replayed = error === undefined && !keptAgain;
  if (replayed) await table.remove(id);
  else if (!keptAgain) await table.failedAgain(id, failureOf(error ?? unknownFailure(), exchange), run.id);
  return {
    id,
    runId: run.id,
    status: run.status,
    replayed,
    error: error === undefined ? null : { type: error.type, message: error.message, stepId: error.stepId ?? null },
  };
}

const unknownFailure = (): FlowError => new FlowError("java.lang.IllegalStateException", "the run failed");
