// Checks shared by tables, mapping documents, connections and Kamelets.
import { isFlowId } from "../flows/flow-id.ts";
import { invalidId, oneSentence, ServiceError } from "../service-error.ts";

export interface DocumentVersion {
  readonly id: string;
  readonly hash: string;
  readonly lastModified: number;
}

/** Some file systems are case-insensitive: two documents must never share a file. */
export function rejectCaseConflict(noun: string, id: string, installed: ReadonlyMap<string, DocumentVersion>): void {
  if (installed.has(id)) return;
  for (const other of installed.keys())
    if (other.toLowerCase() === id.toLowerCase()) throw new ServiceError("conflict", `${noun} id '${id}' differs from ${noun} '${other}' only in case`);
}

/** A flow that runs on another node of the cluster. */
export interface RemoteFlow {
  readonly flow: string;
  readonly node: string;
}

/** Rejects the removal of a document that a flow uses, here or on another node. */
export async function rejectIfUsed(
  noun: string,
  id: string,
  here: readonly string[],
  elsewhere: (id: string) => Promise<readonly RemoteFlow[]>,
): Promise<void> {
  const users = here.length > 0 ? here.map((flow) => `flow '${flow}'`) : (await elsewhere(id)).map(({ flow, node }) => `flow '${flow}' on node '${node}'`);
  if (users.length > 0) throw new ServiceError("conflict", oneSentence(`${noun} '${id}' is used by ${users.join(", ")}`));
}

export function notFound(noun: string, id: string): ServiceError {
  return new ServiceError("not-found", `${noun} '${id}' not found`);
}

export const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/** The id of a path segment; throws the documented error if it is invalid. */
export function documentId({ id = "" }: Readonly<Record<string, string>>): string {
  if (!isFlowId(id)) throw invalidId(id);
  return id;
}
