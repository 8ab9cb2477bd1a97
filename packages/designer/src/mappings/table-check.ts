// Validation of a table as the user types, without a runtime.
import { readTable, tableWarnings, type Problem, type ValueTable } from "@sluice/mapping";
import { documentOf, type TableDraft } from "./table-draft.ts";

export interface TableCheck {
  readonly table: ValueTable | undefined;
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

export function checkTable(id: string, draft: TableDraft): TableCheck {
  const { table, problems } = readTable(id, documentOf(draft, true));
  return { table, problems, warnings: table === undefined ? [] : tableWarnings(table.content) };
}

export type LookupResult = { readonly value: unknown } | { readonly error: string };

/** The value that a flow would get for the key. */
export function lookUp(table: ValueTable, from: string, to: string, key: string): LookupResult {
  try {
    return { value: table.find(from, to, key) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}
