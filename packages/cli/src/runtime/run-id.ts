import { CommandError } from "../command/declaration.ts";
import type { Connection } from "./connection.ts";

/** The id of a run; `last` stands for the newest that no test made. */
export async function runIdOf(connection: Connection, word: string): Promise<string> {
  if (word !== "last") return word;
  const { runs } = await connection.call("GET /runs", { query: { limit: 1_000 } });
  const newest = runs.find(({ sessionId, parentRunId }) => sessionId === null && parentRunId === null);
  if (newest === undefined) throw new CommandError("there is no run yet");
  return newest.id;
}
