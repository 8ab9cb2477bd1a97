import { type Call } from "../../command/declaration.ts";
import { countOf, isConfirmed, printResult } from "../../command/output.ts";
import { connect } from "../../runtime/connection.ts";
import { inOrder } from "../../runtime/in-order.ts";
import { selectDeadLetters, type Selection } from "./selection.ts";

export async function run(call: Call): Promise<number> {
  const connection = await connect(call.flags);
  const selection = await selectDeadLetters(call, connection, ["route", "flow", "since", "until", "text"]);
  const text = selectionText(selection);
  if (text !== undefined && !(await isConfirmed(call, `delete ${text} from ${connection.baseUrl}`))) return 1;
  const deleted =
    "letters" in selection
      ? (await inOrder(selection.letters, ({ id }) => connection.call("DELETE /dead-letters/:id", { params: { id } }))).length
      : (await connection.call("DELETE /dead-letters", { query: selection.filter })).deleted;
  printResult(call, { deleted }, () => `${countOf(deleted, "dead letter")} deleted`);
  return 0;
}

/** What the question is about: named dead letters by id and route, others by their number. Undefined if there are none. */
function selectionText(selection: Selection): string | undefined {
  if ("letters" in selection)
    return `${selection.letters.length === 1 ? "dead letter" : "dead letters"} ${selection.letters.map(({ id, routeId }) => `'${id}' (route '${routeId}')`).join(", ")}`;
  return selection.total === 0 ? undefined : countOf(selection.total, "dead letter");
}
