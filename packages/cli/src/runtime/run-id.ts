import { CommandError } from "../command/declaration.ts";
import type { Connection } from "./connection.ts";

/** Resolves `last` to the newest top-level run outside test sessions. */
export async function runIdOf(connection: Connection, idOrLast: string): Promise<string> {
  if (idOrLast !== "last") return idOrLast;
  const { runs } = await connection.call("GET /runs", { query: { limit: 1_000 } });
  const newest = runs.find(({ sessionId, parentRunId }) => sessionId === null && parentRunId === null);
  if (newest === undefined) throw new CommandError("no runs yet: call a route first, or pass the id of a run");
  return newest.id;
}
