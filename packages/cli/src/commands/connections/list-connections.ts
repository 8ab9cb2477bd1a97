import { type Call } from "../../command/declaration.ts";
import { printList } from "../../command/output.ts";
import { connect } from "../../runtime/connection.ts";

export async function run(call: Call): Promise<number> {
  const connection = await connect(call.flags);
  const response = await connection.call("GET /connections");
  printList(call, {
    value: response,
    rows: response.connections,
    columns: [
      { title: "CONNECTION", text: ({ id }) => id },
      { title: "TYPE", text: ({ type }) => type ?? "?" },
      {
        title: "STATE",
        text: ({ state, error }) => (error === undefined ? state : "invalid"),
        style: ({ state, error }) => (error !== undefined || state === "down" ? "red" : state === "up" ? "green" : undefined),
      },
      { title: "FLOWS", text: ({ flows }) => flows.join(", ") },
      { title: "PROBLEM", text: ({ error, problem }) => error ?? problem },
    ],
    empty: `No connections at ${connection.baseUrl}`,
  });
  return 0;
}
