// Tables as SAP's value_mapping.xml: `<vm version="2.0"><group id><entry isDefault><agency/><schema/><value/>`. A group is
// the same thing in several (agency, schema) spaces; several values of one space in a group make several rows.
import { limitFault, readFault } from "../text/read-fault.ts";
import { escapeXml, parseXmlTree, type XmlData } from "../text/xml-tree.ts";
import { tableLimits } from "./read-table.ts";
import type { Cell, TableColumn, TableContent } from "./value-table.ts";

interface Entry {
  readonly column: number;
  readonly value: string;
  readonly isDefault: boolean;
}

/** The table document such a file stands for. Rows with default entries come first, because the first row wins. */
export function tableFromXml(text: string): Readonly<Record<string, unknown>> {
  const { name, value: root } = parseXmlTree(text, ({ local }) => local);
  if (name !== "vm") throw readFault("xml", `expected the root element <vm>, got <${name}>`);
  const columns = new Map<string, { readonly agency: string; readonly identifier: string; readonly index: number }>();
  const columnOf = (agency: string, identifier: string): number => {
    const pair = JSON.stringify([agency, identifier]);
    const known = columns.get(pair);
    if (known !== undefined) return known.index;
    if (columns.size === tableLimits.columns) throw limitFault(`the file has more than ${tableLimits.columns} pairs of agency and schema`);
    columns.set(pair, { agency, identifier, index: columns.size });
    return columns.size - 1;
  };
  const groups = children(root, "group").map((group, index) => children(group, "entry").map((entry) => readEntry(entry, index, columnOf)));
  const rows = groups.flatMap((entries) => rowsOf(entries, columns.size));
  const sorted = [...rows.filter((row) => row.isDefault), ...rows.filter((row) => !row.isDefault)];
  return { columns: [...columns.values()].map(columnDocument), rows: sorted.map((row) => row.cells) };
}

/** A column without an agency is written with its id in both places, and comes back by it. */
function columnDocument({ agency, identifier }: { readonly agency: string; readonly identifier: string }): unknown {
  return { id: agency === identifier ? agency : `${agency}|${identifier}`, agency, identifier };
}

function readEntry(entry: XmlData, group: number, columnOf: (agency: string, identifier: string) => number): Entry {
  const [agency, schema, value] = ["agency", "schema", "value"].map((name) => textOf(children(entry, name)[0]));
  if (agency === undefined || schema === undefined || value === undefined)
    throw readFault("xml", `group ${group + 1} has an entry without <agency>, <schema> or <value>`);
  const mark = typeof entry === "string" ? undefined : (entry["@isDefault"] ?? entry["isDefault"]);
  return { column: columnOf(agency, schema), value, isDefault: mark === "true" };
}

function rowsOf(entries: readonly Entry[], width: number): readonly { readonly cells: readonly Cell[]; readonly isDefault: boolean }[] {
  const byColumn = Array.from({ length: width }, (_, column) => {
    const own = entries.filter((entry) => entry.column === column);
    return [...own.filter((entry) => entry.isDefault), ...own.filter((entry) => !entry.isDefault)];
  });
  const height = Math.max(0, ...byColumn.map((list) => list.length));
  return Array.from({ length: height }, (_, row) => ({
    cells: byColumn.map((list) => (list[row] ?? list[0])?.value ?? null),
    isDefault: byColumn.some((list) => list[row]?.isDefault === true),
  }));
}

export function tableToXml({ columns, rows }: TableContent): string {
  const marks = defaultMarks(columns, rows);
  const groups = rows.map((row, index) => {
    const entries = row.map((cell, column) => (cell === null ? "" : entryXml(columns[column] as TableColumn, String(cell), marks[index]?.[column] === true)));
    return `  <group id="${(index + 1).toString(16).padStart(32, "0")}">\n${entries.join("")}  </group>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<vm version="2.0">\n${groups.join("")}</vm>\n`;
}

/**
 * Which cells are marked as default: the first of those that hold one value in a column. Marked rows are read before others, so every
 * row that stands before a marked one has a mark too.
 */
function defaultMarks(columns: TableContent["columns"], rows: TableContent["rows"]): readonly (readonly boolean[])[] {
  const seen = columns.map(() => new Map<string, number>());
  for (const row of rows) for (const [column, cell] of row.entries()) if (cell !== null) count(seen[column] as Map<string, number>, String(cell));
  const isOnce = rows.map((row) => row.findIndex((cell, column) => cell !== null && seen[column]?.get(String(cell)) === 1));
  const marks = rows.map((row) => row.map((cell, column) => cell !== null && isFirstOfSeveral(seen[column] as Map<string, number>, String(cell))));
  const last = marks.findLastIndex((row) => row.includes(true));
  for (const [index, row] of marks.slice(0, Math.max(0, last)).entries()) {
    if (row.includes(true)) continue;
    const once = isOnce[index] as number;
    row[once >= 0 ? once : (rows[index] as readonly Cell[]).findIndex((cell) => cell !== null)] = true;
  }
  return marks;
}

function entryXml({ id, agency, identifier }: TableColumn, value: string, isDefault: boolean): string {
  return `    <entry${isDefault ? ' isDefault="true"' : ""}><agency>${escapeXml(agency ?? id)}</agency><schema>${escapeXml(identifier ?? id)}</schema><value>${escapeXml(value)}</value></entry>\n`;
}

function count(seen: Map<string, number>, value: string): void {
  seen.set(value, (seen.get(value) ?? 0) + 1);
}

/** The first row of a repeated value is the one that counts; the mark is given once. */
function isFirstOfSeveral(seen: Map<string, number>, value: string): boolean {
  const times = seen.get(value) ?? 0;
  seen.set(value, 0);
  return times > 1;
}

function children(element: XmlData, name: string): readonly XmlData[] {
  if (typeof element === "string") return [];
  const found = element[name];
  return found === undefined ? [] : Array.isArray(found) ? (found as readonly XmlData[]) : [found as XmlData];
}

const textOf = (element: XmlData | undefined): string | undefined =>
  typeof element === "string" ? element : element === undefined ? undefined : String(element["#text"] ?? "");
