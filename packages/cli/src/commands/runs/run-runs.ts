import { countFlag, isOn, textFlag, type Call } from "../../command/declaration.ts";
import { connect, type Connection } from "../../runtime/connection.ts";
import { runLine, runText } from "../../runtime/event-lines.ts";
import { pause } from "../../runtime/pause.ts";
import { runIdOf } from "../../runtime/run-id.ts";

const lookMs = 1_000;

export async function run({ arguments: given, flags, terminal, signal }: Call): Promise<number> {
  const connection = await connect(flags);
  const asJson = isOn(flags, "json");
  if (typeof given["run"] === "string") {
    const { json } = await connection.expect("GET", `/runs/${encodeURIComponent(await runIdOf(connection, given["run"]))}`);
    terminal.write(asJson ? JSON.stringify(json, undefined, 2) : runText(json, terminal.style));
    return 0;
  }
  const query = new URLSearchParams({ limit: String(countFlag(flags, "limit", 20)) });
  for (const [name, flag] of [
    ["flowId", "flow"],
    ["routeId", "route"],
    ["status", "status"],
  ] as const) {
    const value = textFlag(flags, flag);
    if (value !== undefined) query.set(name, value);
  }
  const { json } = await connection.expect("GET", `/runs?${query.toString()}`);
  if (asJson && !isOn(flags, "follow")) terminal.write(JSON.stringify(json, undefined, 2));
  else {
    const print = (one: unknown): void => terminal.write(asJson ? JSON.stringify(one) : runLine(one, terminal.style));
    for (const one of [...json.runs].reverse()) print(one);
    if (json.runs.length === 0 && !isOn(flags, "follow")) terminal.note("no runs");
    if (isOn(flags, "follow")) await followRuns(connection, query, json.runs, print, signal);
  }
  return signal.aborted ? 130 : 0;
}

/** Prints runs that ended since; asks once a second, which misses nothing the history keeps. */
async function followRuns(
  connection: Connection,
  query: URLSearchParams,
  before: readonly any[],
  print: (run: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  const ended = new Set<string>(before.filter(({ endedAt }) => endedAt !== null).map(({ id }) => id as string));
  query.set("limit", "200");
  while (!signal.aborted) {
    await pause(lookMs, signal);
    if (signal.aborted) return;
    const { json } = await connection.expect("GET", `/runs?${query.toString()}`);
    for (const one of [...json.runs].reverse()) {
      if (one.endedAt === null || ended.has(one.id)) continue;
      ended.add(one.id);
      print(one);
    }
  }
}
