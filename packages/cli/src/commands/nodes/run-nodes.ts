// `sluice nodes`: the nodes of the cluster, as seen by the queried runtime.
import type { ReplyOf } from "@sluice/client";
import { isOn, type Call } from "../../command/declaration.ts";
import { connect } from "../../runtime/connection.ts";

type Node = ReplyOf<"GET /nodes">["nodes"][number];

export async function run({ flags, terminal }: Call): Promise<number> {
  const connection = await connect(flags);
  const response = await connection.call("GET /nodes", {});
  if (isOn(flags, "json")) terminal.write(JSON.stringify(response, undefined, 2));
  else if (response.total === 0) terminal.note(`The runtime at ${connection.baseUrl} is not part of a cluster`);
  else terminal.write(response.nodes.map(line).join("\n"));
  return 0;
}

function line({ node, version, startedAt, ready, applied, slots, behind }: Node): string {
  const state = ready ? "ready" : "not ready";
  const problems = behind.map(({ id, reason }) => `\n  behind: ${id}: ${reason}`);
  return `${node}  ${state}  version ${version}  since ${startedAt}  revision ${applied}  ${slots.length} ${slots.length === 1 ? "slot" : "slots"}${problems.join("")}`;
}
