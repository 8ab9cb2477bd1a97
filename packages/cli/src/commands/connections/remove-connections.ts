import { listOf, type Call } from "../../command/declaration.ts";
import { countOf, isConfirmed, printResult } from "../../command/output.ts";
import { connect } from "../../runtime/connection.ts";
import { inOrder } from "../../runtime/in-order.ts";

export async function run(call: Call): Promise<number> {
  const ids = [...new Set(listOf(call.arguments, "connections"))];
  const connection = await connect(call.flags);
  await inOrder(ids, (id) => connection.call("GET /connections/:id", { params: { id } }));
  const names = ids.map((id) => `'${id}'`).join(", ");
  if (!(await isConfirmed(call, `remove ${countOf(ids.length, "connection")} ${names} from ${connection.baseUrl}`))) return 1;
  const removed = await inOrder(ids, (id) => connection.call("DELETE /connections/:id", { params: { id } }));
  printResult(call, { removed }, () => removed.map(({ id }) => `Connection '${id}' removed`).join("\n"));
  return 0;
}
