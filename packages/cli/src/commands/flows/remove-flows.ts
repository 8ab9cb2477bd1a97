import { listOf, type Call } from "../../command/declaration.ts";
import { countOf, isConfirmed, printResult } from "../../command/output.ts";
import { connect } from "../../runtime/connection.ts";
import { inOrder } from "../../runtime/in-order.ts";

export async function run(call: Call): Promise<number> {
  const ids = [...new Set(listOf(call.arguments, "flows"))];
  const connection = await connect(call.flags);
  // All are read first, so that a misspelled id removes nothing.
  const flows = await inOrder(ids, (id) => connection.call("GET /flows/:id", { params: { id } }));
  const names = flows.map(({ id, routes }) => `'${id}' (${countOf(routes.length, "route")})`).join(", ");
  if (!(await isConfirmed(call, `remove ${flows.length === 1 ? "flow" : "flows"} ${names} with all versions from ${connection.baseUrl}`))) return 1;
  const removed = await inOrder(flows, ({ id, hash }) => {
    call.terminal.progress(`removing ${id}: its runs in flight are completed first`);
    return connection.call("DELETE /flows/:id", { params: { id }, ifMatch: hash });
  });
  call.terminal.progress(undefined);
  for (const { id } of removed.filter(({ drained }) => !drained)) call.terminal.note(`Runs of flow '${id}' were aborted, because they did not finish in time`);
  printResult(call, { removed }, () =>
    removed.map(({ id, routes }) => `Flow '${id}' removed${routes.length === 0 ? "" : `: ${routes.join(", ")}`}`).join("\n"),
  );
  return 0;
}
