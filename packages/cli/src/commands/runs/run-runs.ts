import type { CallInput, Run, RunStatus } from "@sluice/client";
import { countFlag, isOn, textFlag, type Call } from "../../command/declaration.ts";
import { connect, type Connection } from "../../runtime/connection.ts";
import { routeWidthOf, runLine, runText } from "../../runtime/event-lines.ts";
import { pause } from "../../runtime/pause.ts";
import { runIdOf } from "../../runtime/run-id.ts";

type RunQuery = NonNullable<CallInput<"GET /runs">["query"]>;

const pollMs = 1_000;

export async function run({ arguments: positionals, flags, terminal, signal }: Call): Promise<number> {
  const connection = await connect(flags);
  const asJson = isOn(flags, "json");
  if (typeof positionals["run"] === "string") {
    const found = await connection.call("GET /runs/:id", { params: { id: await runIdOf(connection, positionals["run"]) } });
    terminal.write(asJson ? JSON.stringify(found, undefined, 2) : runText(found, terminal.style));
    return 0;
  }
  const query = {
    limit: countFlag(flags, "limit", 20),
    flowId: textFlag(flags, "flow"),
    routeId: textFlag(flags, "route"),
    // The flag accepts only these values.
    status: textFlag(flags, "status") as RunStatus | undefined,
  };
  const page = await connection.call("GET /runs", { query });
  if (asJson && !isOn(flags, "follow")) terminal.write(JSON.stringify(page, undefined, 2));
  else {
    let width = routeWidthOf(page.runs);
    const print = (listed: Run): void => {
      width = Math.max(width, routeWidthOf([listed]));
      terminal.write(asJson ? JSON.stringify(listed) : runLine(listed, terminal.style, width));
    };
    for (const listed of page.runs.toReversed()) print(listed);
    if (page.runs.length === 0 && !isOn(flags, "follow")) terminal.note("No runs");
    if (isOn(flags, "follow")) await followRuns(connection, query, page.runs, print, signal);
  }
  return signal.aborted ? 130 : 0;
}

/** Prints newly finished runs. Polling once a second is enough, because the runtime stores past runs. */
async function followRuns(connection: Connection, query: RunQuery, printed: readonly Run[], print: (run: Run) => void, signal: AbortSignal): Promise<void> {
  const endedIds = new Set<string>(printed.filter(({ endedAt }) => endedAt !== null).map(({ id }) => id));
  while (!signal.aborted) {
    await pause(pollMs, signal);
    if (signal.aborted) return;
    const { runs } = await connection.call("GET /runs", { query: { ...query, limit: 200 } });
    for (const listed of runs.toReversed()) {
      if (listed.endedAt === null || endedIds.has(listed.id)) continue;
      endedIds.add(listed.id);
      print(listed);
    }
  }
}
