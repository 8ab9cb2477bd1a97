// Tables as SAP's value_mapping.xml: `<vm version="2.0"><group id><entry isDefault><agency/><schema/><value/>`. A group lists the values of one
// item, by agency and schema; several values with the same agency and schema become several rows.
import { runToEnd, type Incremental } from "../text/incremental.ts";
import { limitFault, readFault } from "../text/read-fault.ts";
import { escapeXml, parseXmlTreeIncrementally, type XmlData } from "../text/xml-tree.ts";
import { tableLimits } from "./table-limits.ts";
import type { Cell, TableColumn, TableContent } from "./value-table.ts";

/** A table document, not checked yet. */
type TableDocument = Readonly<Record<string, unknown>>;

interface Entry {
  readonly column: number;
  readonly value: string;
  readonly isDefault: boolean;
}

/** The table document of a value_mapping.xml file. Rows with default entries come first, because the first row wins. */
export const tableFromXml = (text: string): TableDocument => runToEnd(tableFromXmlIncrementally(text));

export function* tableFromXmlIncrementally(text: string): Incremental<TableDocument> {
  const { name, value: root } = yield* parseXmlTreeIncrementally(text, ({ local }) => local);
  if (name !== "vm") throw readFault("xml", `expected the root element <vm>, got <${name}>`);
  const columns = new Map<string, { readonly agency: string; readonly identifier: string; readonly index: number }>();
  const columnOf = (agency: string, identifier: string): number => {
    const pair = JSON.stringify([agency, identifier]);
    const existing = columns.get(pair);
    if (existing !== undefined) return existing.index;
    if (columns.size === tableLimits.columns) throw limitFault(`the file has more than ${tableLimits.columns} pairs of agency and schema`);
    columns.set(pair, { agency, identifier, index: columns.size });
    return columns.size - 1;
  };
  const groups = yield* mapIncrementally(children(root, "group"), (group, index) => children(group, "entry").map((entry) => readEntry(entry, index, columnOf)));
  const rows = (yield* mapIncrementally(groups, (entries) => rowsOf(entries, columns.size))).flat();
  yield undefined;
  const sorted = [...rows.filter((row) => row.isDefault), ...rows.filter((row) => !row.isDefault)];
  return { columns: [...columns.values()].map(columnDocument), rows: sorted.map((row) => row.cells) };
}

/** A column without an agency is written with its id as agency and schema, and restored from it. */
function columnDocument({ agency, identifier }: { readonly agency: string; readonly identifier: string }): unknown {
  return { id: agency === identifier ? agency : `${agency}|${identifier}`, agency, identifier };
}

function readEntry(entry: XmlData, group: number, columnOf: (agency: string, identifier: string) => number): Entry {
  const [agency, schema, value] = ["agency", "schema", "value"].map((name) => textOf(children(entry, name)[0]));
  if (agency === undefined || schema === undefined || value === undefined)
    throw readFault("xml", `group ${group + 1} has an entry without <agency>, <schema> or <value>`);
  const isDefault = typeof entry === "string" ? undefined : (entry["@isDefault"] ?? entry["isDefault"]);
  return { column: columnOf(agency, schema), value, isDefault: isDefault === "true" };
}

function rowsOf(entries: readonly Entry[], width: number): readonly { readonly cells: readonly Cell[]; readonly isDefault: boolean }[] {
  const byColumn = Array.from({ length: width }, (_, column) => {
    const columnEntries = entries.filter((entry) => entry.column === column);
    return [...columnEntries.filter((entry) => entry.isDefault), ...columnEntries.filter((entry) => !entry.isDefault)];
  });
  const height = Math.max(0, ...byColumn.map((list) => list.length));
  return Array.from({ length: height }, (_, row) => ({
    cells: byColumn.map((list) => (list[row] ?? list[0])?.value ?? null),
    isDefault: byColumn.some((list) => list[row]?.isDefault === true),
  }));
}

export const tableToXml = (content: TableContent): string => [...tableXmlPieces(content)].join("");

/** The text in pieces: it may be ten times as long as the table. Yields undefined between pieces to allow pauses. */
export function* tableXmlPieces({ columns, rows }: TableContent): Generator<string | undefined> {
  const marks = yield* defaultMarks(columns, rows);
  let piece = `<?xml version="1.0" encoding="UTF-8"?>\n<vm version="2.0">\n`;
  for (const [index, row] of rows.entries()) {
    const entries = row.map((cell, column) => (cell === null ? "" : entryXml(columns[column] as TableColumn, String(cell), marks[index]?.[column] === true)));
    piece += `  <group id="${(index + 1).toString(16).padStart(32, "0")}">\n${entries.join("")}  </group>\n`;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = "";
  }
  yield `${piece}</vm>\n`;
}

const pieceLength = 256 * 1024;

/**
 * Which cells are marked as default: the first of those with the same value in a column. Marked rows are read before others, so every row
 * before a marked one is marked too.
 */
function* defaultMarks(columns: TableContent["columns"], rows: TableContent["rows"]): Incremental<readonly (readonly boolean[])[]> {
  const counts = columns.map(() => new Map<string, number>());
  yield* mapIncrementally(rows, (row) => row.forEach((cell, column) => void (cell !== null && count(counts[column] as Map<string, number>, String(cell)))));
  const uniqueColumns = yield* mapIncrementally(rows, (row) => row.findIndex((cell, column) => cell !== null && counts[column]?.get(String(cell)) === 1));
  const marks = yield* mapIncrementally(rows, (row) =>
    row.map((cell, column) => cell !== null && isFirstOfSeveral(counts[column] as Map<string, number>, String(cell))),
  );
  const last = marks.findLastIndex((row) => row.includes(true));
  for (const [index, row] of marks.slice(0, Math.max(0, last)).entries()) {
    if (row.includes(true)) continue;
    const uniqueColumn = uniqueColumns[index] as number;
    row[uniqueColumn >= 0 ? uniqueColumn : (rows[index] as readonly Cell[]).findIndex((cell) => cell !== null)] = true;
  }
  return marks;
}

const itemsPerStep = 1_000;

function* mapIncrementally<T, R>(items: readonly T[], map: (item: T, index: number) => R): Incremental<R[]> {
  const results: R[] = [];
  for (const [index, item] of items.entries()) if (results.push(map(item, index)) % itemsPerStep === 0) yield undefined;
  return results;
}

function entryXml({ id, agency, identifier }: TableColumn, value: string, isDefault: boolean): string {
  return `    <entry${isDefault ? ' isDefault="true"' : ""}><agency>${escapeXml(agency ?? id)}</agency><schema>${escapeXml(identifier ?? id)}</schema><value>${escapeXml(value)}</value></entry>\n`;
}

function count(counts: Map<string, number>, value: string): void {
  counts.set(value, (counts.get(value) ?? 0) + 1);
}

/** Only the first row of a repeated value is used; it is marked once. */
function isFirstOfSeveral(counts: Map<string, number>, value: string): boolean {
  const times = counts.get(value) ?? 0;
  counts.set(value, 0);
  return times > 1;
}

function children(element: XmlData, name: string): readonly XmlData[] {
  if (typeof element === "string") return [];
  const found = element[name];
  return found === undefined ? [] : Array.isArray(found) ? (found as readonly XmlData[]) : [found as XmlData];
}

const textOf = (element: XmlData | undefined): string | undefined =>
  typeof element === "string" ? element : element === undefined ? undefined : String(element["#text"] ?? "");
