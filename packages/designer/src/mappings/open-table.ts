import { problemText, readTable } from "@sluice/mapping";
import { draftOf, emptyTable, type TableDraft } from "./table-draft.ts";

/** The draft of a saved table; an error text when it cannot be shown as a grid. */
export function openTable(id: string, document: unknown): { readonly draft: TableDraft; readonly problem: string | undefined } {
  if (document === undefined) return { draft: emptyTable, problem: undefined };
  const { table, problems } = readTable(id, document);
  return { draft: table === undefined ? emptyTable : draftOf(table.content), problem: table === undefined ? problemText(problems) : undefined };
}
