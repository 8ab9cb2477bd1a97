import { CommandError, listOf, type Run } from "../../command/declaration.ts";
import { printResult } from "../../command/output.ts";
import { connect } from "../../runtime/connection.ts";
import { inOrder } from "../../runtime/in-order.ts";

const started = { wanted: "Started", fix: "`sluice routes show` prints the last error" } as const;

/** The status after each action, and what helps if a route does not have it. */
const outcomes = {
  start: started,
  stop: { wanted: "Stopped", fix: "try again" },
  suspend: { wanted: "Suspended", fix: "start it with `sluice routes start` first" },
  resume: started,
} as const;

/** In a cluster, a route that runs on one node is suspended on the others after its start. */
const isReached = (wanted: string, status: string): boolean => status === wanted || (wanted === "Started" && (status === "Starting" || status === "Suspended"));

/** Changes the status of routes. */
export function controlRoutes(action: "start" | "stop" | "suspend" | "resume"): Run {
  return async (call) => {
    const { flags, terminal } = call;
    const connection = await connect(flags);
    const changed = await inOrder(new Set(listOf(call.arguments, "routes")), (id) => connection.call(`POST /routes/:id/${action}`, { params: { id } }));
    for (const warning of changed.flatMap(({ warnings = [] }) => warnings)) terminal.note(`${terminal.style("yellow", "warning")} ${warning}`);
    printResult(call, { routes: changed }, () => changed.map(({ id, status }) => `Route '${id}' is ${status}`).join("\n"));
    const { wanted, fix } = outcomes[action];
    const others = changed.filter(({ status }) => !isReached(wanted, status)).map(({ id, status }) => `route '${id}' is ${status}, not ${wanted}`);
    if (others.length > 0) throw new CommandError(`${others.join(", ")}: ${fix}`);
    return 0;
  };
}
