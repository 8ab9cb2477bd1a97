// What `replay` and `delete` apply to: ids, or filters.
import type { CallInput, DeadLetter } from "@sluice/client";
import { listOf, textFlag, UsageError, type Call } from "../../command/declaration.ts";
import type { Connection } from "../../runtime/connection.ts";
import { inOrder } from "../../runtime/in-order.ts";
import { assertKnownNames } from "../../runtime/known-names.ts";
import { queryOf } from "../../runtime/query-flags.ts";

type Filter = NonNullable<CallInput<"DELETE /dead-letters">["query"]>;

export type Selection = { readonly letters: readonly DeadLetter[] } | { readonly filter: Filter; readonly total: number };

/** Throws if nothing is selected; `needed` names the filters of which one is required. */
export async function selectDeadLetters(call: Call, connection: Connection, needed: readonly string[]): Promise<Selection> {
  const { flags } = call;
  const ids = [...new Set(listOf(call.arguments, "ids"))];
  const filter = queryOf("DELETE /dead-letters", flags);
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  if (ids.length > 0 && isFiltered) throw new UsageError("ids and filters exclude each other: pass either ids or filters");
  // All are read first, so that a misspelled id changes nothing.
  if (ids.length > 0) return { letters: await inOrder(ids, (id) => connection.call("GET /dead-letters/:id", { params: { id } })) };
  if (!needed.some((name) => textFlag(flags, name) !== undefined)) throw new UsageError(`pass ids, or one of ${needed.map((name) => `--${name}`).join(", ")}`);
  const { total } = await connection.call("GET /dead-letters", { query: { ...filter, limit: 1 } });
  if (total === 0) await assertKnownNames(connection, flags);
  return { filter, total };
}
