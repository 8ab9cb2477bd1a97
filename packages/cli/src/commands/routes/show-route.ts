import type { Health } from "@sluice/client";
import { type Call } from "../../command/declaration.ts";
import { printResult } from "../../command/output.ts";
import { connect } from "../../runtime/connection.ts";
import { unknownName } from "../../runtime/known-names.ts";
import { queryOf } from "../../runtime/query-flags.ts";
import { statusStyle } from "../../runtime/status-style.ts";
import { durationText } from "../../terminal/duration.ts";
import { fieldsText } from "../../terminal/fields.ts";

export async function run(call: Call): Promise<number> {
  const { flags, terminal } = call;
  const id = String(call.arguments["route"]);
  const connection = await connect(flags);
  const health = (await connection.call("GET /health", { query: queryOf("GET /health", flags) })) as Health;
  const route = health.routes.find((each) => each.id === id);
  if (route === undefined)
    throw unknownName(
      "route",
      id,
      health.routes.map((each) => each.id),
    );
  const flow = await connection.call("GET /flows/:id", { params: { id: route.flowId } });
  const { from, url } = flow.routes.find((each) => each.id === id) ?? {};
  const capture = await connection.call("GET /routes/:id/capture", { params: { id } });
  printResult(call, { ...route, from, url, capture }, () =>
    [
      `${terminal.style("bold", id)}  ${terminal.style(statusStyle(route.status) ?? "dim", route.status)}`,
      fieldsText(
        [
          ["flow", route.flowId],
          ["from", from],
          ["path", url],
          ["running for", route.status === "Started" ? durationText(route.uptime) : ""],
          ["in flight", route.inflight],
          ["runs", route.total],
          ["failed", route.failed],
          ["last run", route.lastRunAt],
          ["last error", route.lastError],
          ["capture", capture.active ? `until ${capture.until}, ${capture.bytes} bytes` : "off"],
        ],
        terminal,
      ),
    ].join("\n"),
  );
  return 0;
}
