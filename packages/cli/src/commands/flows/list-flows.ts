import { type Call } from "../../command/declaration.ts";
import { printList } from "../../command/output.ts";
import { connect } from "../../runtime/connection.ts";
import { statusStyle } from "../../runtime/status-style.ts";

export async function run(call: Call): Promise<number> {
  const connection = await connect(call.flags);
  const response = await connection.call("GET /flows");
  printList(call, {
    value: response,
    rows: response.flows,
    columns: [
      { title: "FLOW", text: ({ id }) => id },
      { title: "STATUS", text: ({ status }) => status, style: ({ status }) => statusStyle(status) },
      { title: "ROUTES", text: ({ routeCount }) => routeCount, isNumber: true },
      { title: "POLICY", text: ({ hasPolicy }) => (hasPolicy ? "yes" : "") },
      { title: "CHANGED", text: ({ lastModified }) => lastModified },
      { title: "ERROR", text: ({ error }) => error, style: () => "red" },
    ],
    empty: `No flows at ${connection.baseUrl}: deploy one with \`sluice deploy\``,
  });
  return 0;
}
