// Queries the other nodes for their flows that use a document. A node that could not start the newest version of a flow runs another one, so the
// answers can differ.
import type { FlowElsewhere } from "../mappings/installed-document.ts";
import type { OtherNodes, Topic } from "./other-nodes.ts";

export type UsedKind = "connection" | "kamelet";

interface Query {
  readonly kind: UsedKind;
  readonly id: string;
}

const usersOfTopic: Topic<Query, readonly string[]> = { name: "users-of" };
/** A node that does not answer within this time is ignored; it continues to use its copy of the document. */
const maxWaitMs = 2_000;
/** Flows in one answer. */
const maxFlows = 20;

/** Answers the other nodes from now on; returns a function that ends it. */
export const answerUsersOf = (others: OtherNodes, usersOf: (kind: UsedKind, id: string) => readonly string[]): (() => void) =>
  others.answer(usersOfTopic, ({ kind, id }) => usersOf(kind, id).slice(0, maxFlows));

export async function askUsersOf(others: OtherNodes, question: Query, waitMs: number): Promise<readonly FlowElsewhere[]> {
  const { answers } = await others.ask(usersOfTopic, question, { timeoutMs: Math.min(waitMs, maxWaitMs) });
  return answers.flatMap(({ node, answer }) => answer.map((flow) => ({ flow, node })));
}
