import { CommandError, listOf, type Call } from "../../command/declaration.ts";
import { printResult } from "../../command/output.ts";
import { connect } from "../../runtime/connection.ts";
import { inOrder } from "../../runtime/in-order.ts";

export async function run(call: Call): Promise<number> {
  const { style } = call.terminal;
  const connection = await connect(call.flags);
  const named = listOf(call.arguments, "connections");
  const ids = named.length > 0 ? named : (await connection.call("GET /connections")).connections.map(({ id }) => id);
  if (ids.length === 0) throw new CommandError(`no connections to test at ${connection.baseUrl}: define one with \`sluice connections put\``);
  const results = await inOrder(ids, async (id) => ({ id, ...(await connection.call("POST /connections/:id/test", { params: { id } })) }));
  printResult(call, { results }, () =>
    results
      .map((result) =>
        result.ok
          ? `${style("green", "✓")} ${result.id}  ${result.server} (${result.ms} ms)`
          : `${style("red", "✗")} ${result.id}  ${result.error} (${result.hint})`,
      )
      .join("\n"),
  );
  return results.every(({ ok }) => ok) ? 0 : 1;
}
