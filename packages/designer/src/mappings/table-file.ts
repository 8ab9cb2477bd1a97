// Imports and exports tables as files in three formats.
import { documentText, problemText, readTable, tableFromCsv, tableFromXml, tableToCsv, tableToXml, type TableContent } from "@sluice/mapping";
import { parse } from "yaml";
import { documentOf, draftOf, type TableDraft } from "./table-draft.ts";

export type TableFileFormat = "csv" | "xml" | "json";

/** Parses a table from a file; throws an error with the reason. */
export function tableOfFile(text: string): TableDraft {
  const start = text.trimStart();
  const document: unknown = start.startsWith("<") ? tableFromXml(text) : /^[{[]/.test(start) ? parse(text) : tableFromCsv(text);
  const { table, problems } = readTable("file", document);
  if (table === undefined) throw new Error(problemText(problems));
  return draftOf(table.content);
}

export function fileOfTable(draft: TableDraft, format: TableFileFormat): { readonly text: string; readonly type: string } {
  if (format === "json") return { text: documentText(documentOf(draft)), type: "application/json" };
  const content = contentOf(draft);
  return format === "csv" ? { text: tableToCsv(content), type: "text/csv" } : { text: tableToXml(content), type: "application/xml" };
}

function contentOf(draft: TableDraft): TableContent {
  const { table, problems } = readTable("file", documentOf(draft));
  if (table === undefined) throw new Error(problemText(problems));
  return table.content;
}
