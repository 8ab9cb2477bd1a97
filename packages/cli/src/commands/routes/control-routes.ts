import { listOf, type Run } from "../../command/declaration.ts";
import { printResult } from "../../command/output.ts";
import { connect } from "../../runtime/connection.ts";
import { inOrder } from "../../runtime/in-order.ts";

/** Changes the status of routes. */
export function controlRoutes(action: "start" | "stop" | "suspend" | "resume"): Run {
  return async (call) => {
    const { flags, terminal } = call;
    const connection = await connect(flags);
    const changed = await inOrder(new Set(listOf(call.arguments, "routes")), (id) => connection.call(`POST /routes/:id/${action}`, { params: { id } }));
    for (const warning of changed.flatMap(({ warnings = [] }) => warnings)) terminal.note(`${terminal.style("yellow", "warning")} ${warning}`);
    printResult(call, { routes: changed }, () => changed.map(({ id, status }) => `Route '${id}' is ${status}`).join("\n"));
    return 0;
  };
}
