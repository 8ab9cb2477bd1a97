import type { CallInput } from "@sluice/client";
import { CommandError, UsageError } from "../command/declaration.ts";
import type { Connection } from "./connection.ts";

type RunQuery = NonNullable<CallInput<"GET /runs">["query"]>;

/** Resolves `last` to the newest top-level run outside test sessions that matches the filters. */
export async function runIdOf(connection: Connection, idOrLast: string, filters: RunQuery = {}): Promise<string> {
  if (idOrLast !== "last") {
    if (Object.values(filters).some((value) => value !== undefined))
      throw new UsageError("a run id and filters exclude each other: pass one of them, or `last` with filters");
    return idOrLast;
  }
  const { runs } = await connection.call("GET /runs", { query: { ...filters, limit: 1_000 } });
  const newest = runs.find(({ sessionId, parentRunId }) => sessionId === null && parentRunId === null);
  if (newest === undefined) throw new CommandError("no run found: call a route first, or pass the id of a run");
  return newest.id;
}
