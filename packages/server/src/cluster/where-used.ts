// Queries the other nodes for their flows that use a document. A node that could not start the newest version of a flow runs another one, so the
// responses can differ.
import type { RemoteFlow } from "../mappings/installed-document.ts";
import type { OtherNodes, Topic } from "./other-nodes.ts";

export type UsedKind = "connection" | "kamelet";

interface Query {
  readonly kind: UsedKind;
  readonly id: string;
}

const usersOfTopic: Topic<Query, readonly string[]> = { name: "users-of" };
/** A node that does not respond within this time is ignored; it continues to use its copy of the document. */
const maxWaitMs = 2_000;
/** Flows in one response. */
const maxFlows = 20;

/** Starts to respond to requests of the other nodes; returns a function that stops this. */
export const respondToUsageQueries = (others: OtherNodes, usersOf: (kind: UsedKind, id: string) => readonly string[]): (() => void) =>
  others.respond(usersOfTopic, ({ kind, id }) => usersOf(kind, id).slice(0, maxFlows));

/** The flows of the other nodes that use a document. */
export async function queryUsage(others: OtherNodes, request: Query, waitMs: number): Promise<readonly RemoteFlow[]> {
  const { responses } = await others.request(usersOfTopic, request, { timeoutMs: Math.min(waitMs, maxWaitMs) });
  return responses.flatMap(({ node, response }) => response.map((flow) => ({ flow, node })));
}
