// Finds the users of a table or document: documents by their compiled form, flows by their text.
import { mentionsDocument, mentionsTable } from "@sluice/mapping";
import type { FlowStore } from "../flows/flow-store.ts";
import type { MessageMappings } from "./message-mappings.ts";

/** Flows whose text can be searched. */
export type SearchableFlows = Pick<FlowStore, "list" | "read">;

export interface MappingUsers {
  /** Documents and flows that use the table, as `message-mapping:id` and `flow:id`. */
  ofTable(id: string): Promise<readonly string[]>;
  /** Documents that import the document and flows that use it. */
  ofDocument(id: string): Promise<readonly string[]>;
}

export function createMappingUsers(documents: MessageMappings, flows: SearchableFlows): MappingUsers {
  async function flowsWith(isUser: (text: string) => boolean): Promise<readonly string[]> {
    const users: string[] = [];
    for (const { id, problem } of await flows.list()) {
      const stored = problem === undefined ? await flows.read(id).catch(() => undefined) : undefined;
      if (stored !== undefined && isUser(Buffer.from(stored.bytes).toString("utf8"))) users.push(`flow:${id}`);
    }
    return users;
  }
  const documentsWith = (isUser: (used: { readonly uses: readonly string[]; readonly imports: readonly string[] }) => boolean): readonly string[] =>
    documents.list().flatMap(({ id, mapping }) => (mapping !== undefined && isUser(mapping) ? [`message-mapping:${id}`] : []));
  return {
    ofTable: async (id) => [...documentsWith(({ uses }) => uses.includes(id)), ...(await flowsWith(mentionsTable(id)))],
    ofDocument: async (id) => [...documentsWith(({ imports }) => imports.includes(id)), ...(await flowsWith(mentionsDocument(id)))],
  };
}
