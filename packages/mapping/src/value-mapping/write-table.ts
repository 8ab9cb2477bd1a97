import type { TableColumn, TableContent } from "./value-table.ts";

/** The table as a document in its long form. */
export function tableDocument({ name, onMissing, match, columns, rows }: TableContent): Readonly<Record<string, unknown>> {
  return { ...(name === undefined ? {} : { name }), onMissing, match, columns: columns.map((column) => columnDocument(column, match)), rows };
}

/** The document as text with one row per line, as people compare versions of it. */
export function tableText(content: TableContent): string {
  const { rows, ...head } = tableDocument(content) as { rows: TableContent["rows"] };
  const opening = JSON.stringify(head, null, 2).slice(0, -2);
  const lines = rows.map((row) => `    ${JSON.stringify(row)}`);
  return `${opening},\n  "rows": [${lines.length === 0 ? "" : `\n${lines.join(",\n")}\n  `}]\n}\n`;
}

function columnDocument({ id, agency, identifier, default: fallback, match }: TableColumn, tableMatch: string): unknown {
  const more = {
    ...(agency === undefined ? {} : { agency }),
    ...(identifier === undefined ? {} : { identifier }),
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(match === tableMatch ? {} : { match }),
  };
  return Object.keys(more).length === 0 ? id : { id, ...more };
}
