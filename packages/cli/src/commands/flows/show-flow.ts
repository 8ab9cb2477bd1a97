import type { Flow } from "@sluice/client";
import { isOn, UsageError, type Call } from "../../command/declaration.ts";
import { printResult } from "../../command/output.ts";
import { connect } from "../../runtime/connection.ts";
import { statusStyle } from "../../runtime/status-style.ts";
import { fieldsText } from "../../terminal/fields.ts";
import { tableText } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";

export async function run(call: Call): Promise<number> {
  const { flags, terminal } = call;
  const params = { id: String(call.arguments["flow"]) };
  if (isOn(flags, "yaml") && isOn(flags, "json")) throw new UsageError("--yaml and --json exclude each other: pass one of them");
  const connection = await connect(flags);
  if (isOn(flags, "yaml")) terminal.write((await connection.text("GET /flows/:id", { params, accept: "application/yaml" })).body);
  else {
    const flow = await connection.call("GET /flows/:id", { params });
    printResult(call, flow, () => flowText(flow, terminal));
  }
  return 0;
}

function flowText(flow: Flow, terminal: Terminal): string {
  const { style } = terminal;
  const fields = fieldsText(
    [
      ["file", flow.file],
      ["changed", flow.lastModified],
      ["hash", flow.hash],
      ["running", flow.deployedHash === flow.hash ? "" : `another version: ${flow.deployedHash ?? "none"}`],
      ["policy", flow.hasPolicy ? "yes" : "none"],
      ["tests", flow.tests === null ? "none" : "yes"],
      ["params", flow.paramNames.join(", ")],
      ["error", flow.error],
      ...flow.warnings.map((warning) => ["warning", warning] as const),
    ],
    terminal,
  );
  const routes = tableText(
    [
      { title: "ROUTE", text: ({ id }) => id },
      { title: "STATUS", text: ({ status }) => status, style: ({ status }) => statusStyle(status) },
      { title: "FROM", text: ({ from }) => from },
      { title: "PATH", text: ({ url }) => url },
    ],
    flow.routes,
    terminal,
  );
  const heading = `${style("bold", flow.id)}  ${style(statusStyle(flow.status) ?? "dim", flow.status)}`;
  return [heading, fields, ...(flow.routes.length === 0 ? [] : ["", routes])].join("\n");
}
