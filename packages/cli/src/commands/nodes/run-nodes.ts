// `sluice nodes`: the nodes of the cluster, as seen by the queried runtime.
import { type Call } from "../../command/declaration.ts";
import { printList } from "../../command/output.ts";
import { connect } from "../../runtime/connection.ts";

export async function run(call: Call): Promise<number> {
  const connection = await connect(call.flags);
  const response = await connection.call("GET /nodes", {});
  printList(call, {
    value: response,
    rows: response.nodes,
    columns: [
      { title: "NODE", text: ({ node }) => node },
      { title: "STATE", text: ({ ready }) => (ready ? "ready" : "not ready"), style: ({ ready }) => (ready ? "green" : "yellow") },
      { title: "VERSION", text: ({ version }) => version },
      { title: "SINCE", text: ({ startedAt }) => startedAt },
      { title: "REVISION", text: ({ applied }) => applied, isNumber: true },
      { title: "SLOTS", text: ({ slots }) => slots.length, isNumber: true },
      { title: "BEHIND", text: ({ behind }) => behind.map(({ id, reason }) => `${id}: ${reason}`).join("; "), style: () => "red" },
    ],
    empty: `The runtime at ${connection.baseUrl} is not part of a cluster`,
  });
  return 0;
}
