// Reads a table document, short or long form. Every problem is reported with its position.
import { compilePattern, isPlainObject } from "@sluice/engine/values";
import { memberNames } from "@sluice/model";
import { runToEnd, type Incremental } from "../text/incremental.ts";
import { formatValue, unknownProperties, type Problem } from "../problem.ts";
import { isPattern } from "./direction.ts";
import { tableLimits } from "./table-limits.ts";
import { columnSchema, longTableSchema, shortTableSchema } from "./table-schema.ts";
import { matchModes, missingRules, ValueTable, type Cell, type MatchMode, type OnMissing, type TableColumn, type TableContent } from "./value-table.ts";

const expectedCell = `expected a string of up to ${tableLimits.cell} characters, a number, true, false or null`;
const rowsPerStep = 5_000;
const patternsPerStep = 50;

export interface ReadTable {
  readonly table: ValueTable | undefined;
  readonly problems: readonly Problem[];
}

const longMembers = memberNames(longTableSchema);
const shortMembers = memberNames(shortTableSchema);
const columnMembers = memberNames(columnSchema);

export const readTable = (id: string, document: unknown): ReadTable => runToEnd(readTableIncrementally(id, document));

/** Like {@link readTable}, incrementally. */
export function* readTableIncrementally(id: string, document: unknown): Incremental<ReadTable> {
  const problems: Problem[] = [];
  const content = isPlainObject(document) ? yield* readContent(document, problems) : undefined;
  if (content === undefined && problems.length === 0)
    problems.push({ path: "", message: "a table must be an object with 'columns' and 'rows', or with 'entries'" });
  return { table: problems.length === 0 && content !== undefined ? new ValueTable(id, content) : undefined, problems };
}

type Members = Readonly<Record<string, unknown>>;

function* readContent(document: Members, problems: Problem[]): Incremental<TableContent | undefined> {
  const isShort = Object.hasOwn(document, "entries");
  reportUnknown(document, isShort ? shortMembers : longMembers, "", problems);
  const name = readText(document, "name", "", problems);
  const match = readChoice(document, "match", matchModes, "", problems) ?? "exact";
  const onMissing = readChoice(document, "onMissing", missingRules, "", problems);
  if (isShort)
    return yield* readEntries(document, { name, match, onMissing: onMissing ?? (document["default"] === undefined ? "error" : "default") }, problems);
  const columns = readColumns(document["columns"], match, problems);
  const rows = yield* readRows(document["rows"], columns, problems);
  return { name, match, onMissing: onMissing ?? "error", columns, rows };
}

function* readEntries(document: Members, settings: Pick<TableContent, "name" | "match" | "onMissing">, problems: Problem[]): Incremental<TableContent> {
  const { entries } = document;
  const fallback = document["default"];
  if (fallback !== undefined && !isCell(fallback)) problems.push({ path: "default", message: expectedCell });
  const columns: TableColumn[] = [
    { id: "from", agency: undefined, identifier: undefined, default: undefined, match: settings.match },
    { id: "to", agency: undefined, identifier: undefined, default: isCell(fallback) ? fallback : undefined, match: "exact" },
  ];
  const rows: Cell[][] = [];
  if (!isPlainObject(entries)) problems.push({ path: "entries", message: "expected an object of keys and values" });
  else {
    for (const key of Object.keys(entries)) {
      const value = entries[key];
      if (isCell(value)) rows.push([key, value]);
      else report(problems, `entries[${formatValue(key)}]`, expectedCell);
    }
  }
  yield* checkPatterns(rows, columns, problems);
  return { ...settings, columns, rows };
}

function readColumns(value: unknown, match: MatchMode, problems: Problem[]): readonly TableColumn[] {
  if (!Array.isArray(value) || value.length < 2) {
    problems.push({ path: "columns", message: "expected a list of at least two columns" });
    return [];
  }
  if (value.length > tableLimits.columns) problems.push({ path: "columns", message: `a table can have at most ${tableLimits.columns} columns` });
  const seen = new Set<string>();
  return value.slice(0, tableLimits.columns).map((entry: unknown, index) => {
    const path = `columns[${index}]`;
    const column: Members = typeof entry === "string" ? { id: entry } : isPlainObject(entry) ? entry : {};
    reportUnknown(column, columnMembers, path, problems);
    const id = column["id"];
    if (typeof id !== "string" || id.trim() === "" || id.length > 128 || /[\r\n]/.test(id))
      problems.push({ path, message: "expected a column id: text on one line of up to 128 characters" });
    else if (seen.has(id)) problems.push({ path, message: `duplicate column '${id}'` });
    else seen.add(id);
    const fallback = column["default"];
    if (fallback !== undefined && !isCell(fallback)) problems.push({ path: `${path}.default`, message: expectedCell });
    return {
      id: String(id),
      agency: readText(column, "agency", path, problems),
      identifier: readText(column, "identifier", path, problems),
      default: isCell(fallback) ? fallback : undefined,
      match: readChoice(column, "match", matchModes, path, problems) ?? match,
    };
  });
}

function* readRows(value: unknown, columns: readonly TableColumn[], problems: Problem[]): Incremental<readonly (readonly Cell[])[]> {
  if (!Array.isArray(value)) {
    problems.push({ path: "rows", message: "expected a list of rows" });
    return [];
  }
  if (value.length > tableLimits.rows) problems.push({ path: "rows", message: `a table can have at most ${tableLimits.rows} rows` });
  for (let index = 0; index < value.length && problems.length < tableLimits.problems; index++) {
    if (index % rowsPerStep === 0) yield undefined;
    const row: unknown = value[index];
    if (!Array.isArray(row)) report(problems, `rows[${index}]`, "expected a list of cells");
    else if (row.length !== columns.length) report(problems, `rows[${index}]`, `expected ${columns.length} cells, got ${row.length}`);
    else {
      for (let column = 0; column < row.length; column++) if (!isCell(row[column])) report(problems, `rows[${index}][${column}]`, expectedCell);
    }
  }
  const rows = value as readonly (readonly Cell[])[];
  if (problems.length === 0) yield* checkPatterns(rows, columns, problems);
  return rows;
}

function* checkPatterns(rows: readonly (readonly Cell[])[], columns: readonly TableColumn[], problems: Problem[]): Incremental<void> {
  for (const [column, { id, match }] of columns.entries()) {
    if (match !== "wildcard" && match !== "regex") continue;
    const patterns: (readonly [index: number, source: string])[] = [];
    for (const [index, row] of rows.entries()) {
      const cell = row[column];
      if (typeof cell === "string" && isPattern(cell, match)) patterns.push([index, cell]);
    }
    // Counted before the first is compiled: compiling too many would block the event loop.
    if (patterns.length > tableLimits.patterns)
      report(problems, `columns[${column}]`, `column '${id}' has ${patterns.length} patterns, more than the ${tableLimits.patterns} allowed`);
    else if (match === "regex") {
      for (const [at, [index, source]] of patterns.entries()) {
        if (at % patternsPerStep === 0) yield undefined;
        checkPattern(source, `rows[${index}][${column}]`, problems);
      }
    }
  }
}

function checkPattern(source: string, path: string, problems: Problem[]): void {
  try {
    compilePattern(source);
  } catch (error) {
    report(problems, path, (error as Error).message);
  }
}

function isCell(value: unknown): value is Cell {
  if (typeof value === "string") return value.length <= tableLimits.cell;
  return value === null || typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value));
}

function report(problems: Problem[], path: string, message: string): void {
  if (problems.length < tableLimits.problems) problems.push({ path, message });
}

function reportUnknown(members: Members, allowed: readonly string[], path: string, problems: Problem[]): void {
  for (const message of unknownProperties(members, allowed)) report(problems, path, message);
}

function readText(members: Members, name: string, path: string, problems: Problem[]): string | undefined {
  const value = members[name];
  if (value === undefined || value === null || typeof value === "string") return value ?? undefined;
  problems.push({ path: path === "" ? name : `${path}.${name}`, message: "expected a string" });
  return undefined;
}

function readChoice<T extends MatchMode | OnMissing>(members: Members, name: string, allowed: readonly T[], path: string, problems: Problem[]): T | undefined {
  const value = members[name];
  if (value === undefined || (allowed as readonly unknown[]).includes(value)) return value as T | undefined;
  problems.push({ path: path === "" ? name : `${path}.${name}`, message: `expected one of ${allowed.join(", ")}, got ${formatValue(value)}` });
  return undefined;
}
