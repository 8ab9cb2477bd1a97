import type { Health } from "@sluice/client";
import { textFlag, type Call } from "../../command/declaration.ts";
import { printList } from "../../command/output.ts";
import { connect } from "../../runtime/connection.ts";
import { unknownName } from "../../runtime/known-names.ts";
import { queryOf } from "../../runtime/query-flags.ts";
import { statusStyle } from "../../runtime/status-style.ts";

export async function run(call: Call): Promise<number> {
  const { flags } = call;
  const [flow, status] = [textFlag(flags, "flow"), textFlag(flags, "status")];
  const connection = await connect(flags);
  // The health report of a runtime needs no token; the list of flows does.
  const { flows } = await connection.call("GET /flows");
  if (flow !== undefined && !flows.some(({ id }) => id === flow))
    throw unknownName(
      "flow",
      flow,
      flows.map(({ id }) => id),
    );
  const health = (await connection.call("GET /health", { query: queryOf("GET /health", flags) })) as Health;
  const routes = health.routes.filter((route) => (flow === undefined || route.flowId === flow) && (status === undefined || route.status === status));
  printList(call, {
    value: { routes, total: routes.length },
    rows: routes,
    columns: [
      { title: "ROUTE", text: ({ id }) => id },
      { title: "FLOW", text: ({ flowId }) => flowId },
      { title: "STATUS", text: (route) => route.status, style: (route) => statusStyle(route.status) },
      { title: "IN FLIGHT", text: ({ inflight }) => inflight, isNumber: true },
      { title: "RUNS", text: ({ total }) => total, isNumber: true },
      { title: "FAILED", text: ({ failed }) => failed, isNumber: true, style: ({ failed }) => (failed > 0 ? "red" : undefined) },
      { title: "LAST RUN", text: ({ lastRunAt }) => lastRunAt },
      { title: "LAST ERROR", text: ({ lastError }) => lastError },
    ],
    empty: flow === undefined && status === undefined ? `No routes at ${connection.baseUrl}` : "No routes match",
  });
  return 0;
}
