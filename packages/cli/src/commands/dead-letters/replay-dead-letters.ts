import type { DeadLetter, ReplayJob } from "@sluice/client";
import { listOf, numberFlag, UsageError, type Call } from "../../command/declaration.ts";
import { countOf, isConfirmed, printResult } from "../../command/output.ts";
import { connect, type Connection } from "../../runtime/connection.ts";
import { inOrder } from "../../runtime/in-order.ts";
import { pause } from "../../runtime/pause.ts";
import { printJob } from "./bulk-replay.ts";
import { selectDeadLetters, type Selection } from "./selection.ts";

const pollMs = 500;

export async function run(call: Call): Promise<number> {
  if (listOf(call.arguments, "ids").length > 0 && call.given.has("limit")) throw new UsageError("ids and --limit exclude each other: pass one of them");
  const connection = await connect(call.flags);
  const selection = await selectDeadLetters(call, connection, ["route", "flow"]);
  return "letters" in selection ? replayEach(call, connection, selection.letters) : replayAll(call, connection, selection);
}

async function replayEach(call: Call, connection: Connection, letters: readonly DeadLetter[]): Promise<number> {
  const outcomes = await inOrder(letters, ({ id }) => {
    call.signal.throwIfAborted();
    call.terminal.progress(`replaying ${id}`);
    return connection.call("POST /dead-letters/:id/replay", { params: { id } });
  });
  call.terminal.progress(undefined);
  printResult(call, { outcomes }, () =>
    outcomes
      .map(
        ({ id, runId, status, replayed, error }) =>
          `${id} ${replayed ? "replayed" : "failed again"}: ${runId} ${status}${error === null ? "" : `, ${error.type}: ${error.message}`}`,
      )
      .join("\n"),
  );
  return outcomes.every(({ replayed }) => replayed) ? 0 : 1;
}

async function replayAll(call: Call, connection: Connection, { filter, total }: Exclude<Selection, { readonly letters: unknown }>): Promise<number> {
  const limit = numberFlag(call.flags, "limit") as number;
  const count = Math.min(total, limit);
  if (count > 0 && !(await isConfirmed(call, `replay ${countOf(count, "dead letter")} at ${connection.baseUrl}`))) return 1;
  const job = await finish(call, connection, await connection.call("POST /dead-letters/replay", { body: { ...filter, limit } }));
  call.terminal.progress(undefined);
  printJob(call, job);
  return job.status === "completed" && job.failed + job.skipped === 0 ? 0 : 1;
}

/** Waits for the end of a replay; cancels it when the user interrupts. */
async function finish({ signal, terminal }: Call, connection: Connection, started: ReplayJob): Promise<ReplayJob> {
  let job = started;
  if (job.status === "running") terminal.note(`Replay ${job.id} has started: \`sluice dead-letters show-replay ${job.id}\` shows its progress`);
  let isCancelled = false;
  while (job.status === "running" && job.id !== null) {
    terminal.progress(
      `${job.replayed + job.failed + job.skipped}/${job.total} replayed, ${job.failed} failed${isCancelled ? "; waiting for those that have started" : ""}`,
    );
    await pause(pollMs, isCancelled ? undefined : signal);
    const params = { id: job.id };
    const isInterrupted: boolean = signal.aborted && !isCancelled;
    job = await connection.call(isInterrupted ? "DELETE /dead-letters/replays/:id" : "GET /dead-letters/replays/:id", { params });
    isCancelled ||= isInterrupted;
  }
  return job;
}
