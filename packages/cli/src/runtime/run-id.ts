import { CommandError } from "../command/declaration.ts";
import type { Connection } from "./connection.ts";

/** Resolves `last` to the newest run that is not part of a test. */
export async function runIdOf(connection: Connection, word: string): Promise<string> {
  if (word !== "last") return word;
  const { runs } = await connection.call("GET /runs", { query: { limit: 1_000 } });
  const newest = runs.find(({ sessionId, parentRunId }) => sessionId === null && parentRunId === null);
  if (newest === undefined) throw new CommandError("no runs yet");
  return newest.id;
}
