import type { CallInput, Run } from "@sluice/client";
import { isOn, UsageError, type Call } from "../../command/declaration.ts";
import { printList } from "../../command/output.ts";
import { connect, type Connection } from "../../runtime/connection.ts";
import { routeWidthOf, runLine, runStyle, runText } from "../../runtime/event-lines.ts";
import { assertKnownNames } from "../../runtime/known-names.ts";
import { pause } from "../../runtime/pause.ts";
import { queryOf } from "../../runtime/query-flags.ts";
import { runIdOf } from "../../runtime/run-id.ts";
import type { Column } from "../../terminal/table.ts";

type RunQuery = NonNullable<CallInput<"GET /runs">["query"]>;

const pollMs = 1_000;

export async function run(call: Call): Promise<number> {
  const { arguments: positionals, flags, terminal, signal } = call;
  const excluded = typeof positionals["run"] === "string" ? ["follow", "limit", "cursor"].find((name) => call.given.has(name)) : undefined;
  if (excluded !== undefined) throw new UsageError(`a run and --${excluded} exclude each other: pass one of them`);
  if (call.given.has("follow") && call.given.has("cursor")) throw new UsageError("--follow and --cursor exclude each other: pass one of them");
  const connection = await connect(flags);
  const asJson = isOn(flags, "json");
  const query = queryOf("GET /runs", flags);
  if (typeof positionals["run"] === "string") {
    const { limit: _, ...filters } = query;
    const found = await connection.call("GET /runs/:id", { params: { id: await runIdOf(connection, positionals["run"], filters) } });
    terminal.write(asJson ? JSON.stringify(found, undefined, 2) : runText(found, terminal.style));
    return 0;
  }
  const page = await connection.call("GET /runs", { query });
  if (page.runs.length === 0) await assertKnownNames(connection, flags);
  if (isOn(flags, "follow")) {
    await followRuns(call, connection, query, page.runs);
    return signal.aborted ? 130 : 0;
  }
  printList(call, { value: page, rows: page.runs.toReversed(), columns: runColumns, empty: "No runs" });
  if (!asJson && typeof page.next === "string") terminal.note(`Older runs: --cursor ${page.next}`);
  return 0;
}

const runColumns: readonly Column<Run>[] = [
  { title: "STARTED", text: ({ startedAt }) => startedAt },
  { title: "STATUS", text: ({ status }) => status, style: ({ status }) => runStyle(status) },
  { title: "ROUTE", text: ({ routeId }) => routeId },
  { title: "RUN", text: ({ id }) => id },
  { title: "MS", text: ({ durationMs }) => (durationMs === null ? "" : Math.round(durationMs * 10) / 10), isNumber: true },
  { title: "NODE", text: ({ node }) => node },
  { title: "ERROR", text: ({ error }) => error?.message, style: () => "red" },
];

/** Prints the runs, then those that finish. Polling once a second is enough, because the runtime stores past runs. */
async function followRuns({ flags, terminal, signal }: Call, connection: Connection, query: RunQuery, runs: readonly Run[]): Promise<void> {
  let width = routeWidthOf(runs);
  const print = (run: Run): void => {
    width = Math.max(width, routeWidthOf([run]));
    terminal.write(isOn(flags, "json") ? JSON.stringify(run) : runLine(run, terminal.style, width));
  };
  for (const run of runs.toReversed()) print(run);
  const endedIds = new Set<string>(runs.filter(({ endedAt }) => endedAt !== null).map(({ id }) => id));
  while (!signal.aborted) {
    await pause(pollMs, signal);
    if (signal.aborted) return;
    const page = await connection.call("GET /runs", { query: { ...query, limit: 200 } });
    for (const run of page.runs.toReversed()) {
      if (run.endedAt === null || endedIds.has(run.id)) continue;
      endedIds.add(run.id);
      print(run);
    }
  }
}
