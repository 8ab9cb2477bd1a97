// A table being edited: the grid and the document it represents. Every change returns a new draft.
import { tableFromCsv, tableLimits, type Cell, type MatchMode, type OnMissing, type TableContent } from "@sluice/mapping";

export interface DraftColumn {
  readonly id: string;
  readonly agency: string;
  readonly identifier: string;
  readonly default: Cell | undefined;
  /** Undefined uses the default of the table. */
  readonly match: MatchMode | undefined;
}

export interface TableDraft {
  readonly name: string;
  readonly onMissing: OnMissing;
  readonly match: MatchMode;
  readonly columns: readonly DraftColumn[];
  readonly rows: readonly (readonly Cell[])[];
}

const newColumn = (id: string): DraftColumn => ({ id, agency: "", identifier: "", default: undefined, match: undefined });

export const emptyTable: TableDraft = { name: "", onMissing: "error", match: "exact", columns: [newColumn("from"), newColumn("to")], rows: [[null, null]] };

export function draftOf({ name, onMissing, match, columns, rows }: TableContent): TableDraft {
  return {
    name: name ?? "",
    onMissing,
    match,
    columns: columns.map((column) => ({
      id: column.id,
      agency: column.agency ?? "",
      identifier: column.identifier ?? "",
      default: column.default,
      match: column.match === match ? undefined : column.match,
    })),
    rows,
  };
}

/** Blank rows are not saved. They are included only for checks, whose messages contain the row numbers of the grid. */
export function documentOf(draft: TableDraft, withBlankRows = false): Readonly<Record<string, unknown>> {
  const { name, onMissing, match, columns, rows } = draft;
  return {
    ...(name.trim() === "" ? {} : { name: name.trim() }),
    onMissing,
    match,
    columns: columns.map(columnDocument),
    rows: withBlankRows ? rows : rows.filter((row) => row.some((cell) => cell !== null)),
  };
}

function columnDocument({ id, agency, identifier, default: fallback, match }: DraftColumn): unknown {
  const more = {
    ...(agency === "" ? {} : { agency }),
    ...(identifier === "" ? {} : { identifier }),
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(match === undefined ? {} : { match }),
  };
  return Object.keys(more).length === 0 ? id : { id, ...more };
}

export function setColumn(draft: TableDraft, index: number, change: Partial<DraftColumn>): TableDraft {
  return { ...draft, columns: draft.columns.map((column, at) => (at === index ? { ...column, ...change } : column)) };
}

export function addColumn(draft: TableDraft): TableDraft {
  return { ...draft, columns: [...draft.columns, newColumn(unusedColumnId(draft))], rows: draft.rows.map((row) => [...row, null]) };
}

export function removeColumn(draft: TableDraft, index: number): TableDraft {
  return { ...draft, columns: draft.columns.toSpliced(index, 1), rows: draft.rows.map((row) => row.toSpliced(index, 1)) };
}

function unusedColumnId({ columns }: TableDraft): string {
  for (let number = columns.length + 1; ; number++) if (!columns.some(({ id }) => id === `column-${number}`)) return `column-${number}`;
}

export function addRow(draft: TableDraft): TableDraft {
  return { ...draft, rows: [...draft.rows, draft.columns.map(() => null)] };
}

export function removeRow(draft: TableDraft, index: number): TableDraft {
  return { ...draft, rows: draft.rows.toSpliced(index, 1) };
}

export function setCell(draft: TableDraft, row: number, column: number, text: string): TableDraft {
  const cells = draft.rows[row] ?? [];
  return { ...draft, rows: draft.rows.with(row, cells.with(column, cellOf(text, cells[column]))) };
}

/** Typed text keeps the type of the previous value if it can be parsed as that type; empty input means no value. */
export function cellOf(text: string, before: Cell | undefined): Cell {
  if (text === "") return null;
  if (typeof before === "number" && Number.isFinite(Number(text)) && String(Number(text)) === text) return Number(text);
  if (typeof before === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

/** The cells of a copied range; undefined for a single value, which is pasted as text. */
export function parseCells(text: string): readonly (readonly Cell[])[] | undefined {
  const trimmed = text.replace(/\r?\n$/, "");
  if (!/[\t\n]/.test(trimmed)) return undefined;
  const lines = trimmed.split(/\r?\n/);
  const delimiter = trimmed.includes("\t") ? "\t" : ([";", ","].find((candidate) => lines.every((line) => line.includes(candidate))) ?? "\t");
  try {
    // An added header line fixes the delimiter and keeps the first copied line from being parsed as column names.
    const { rows } = tableFromCsv(`a${delimiter}b\n${trimmed}`) as { rows: readonly (readonly Cell[])[] };
    return trimmed.includes(delimiter) ? rows : rows.map((row) => row.slice(0, 1));
  } catch {
    return lines.map((line) => line.split(delimiter).map((cell) => cellOf(cell, undefined)));
  }
}

/** Pastes copied cells starting at one cell; the grid grows as needed. */
export function pasteCells(draft: TableDraft, row: number, column: number, cells: readonly (readonly Cell[])[]): TableDraft {
  let grown = draft;
  const width = Math.min(tableLimits.columns, column + Math.max(0, ...cells.map((line) => line.length)));
  while (grown.columns.length < width) grown = addColumn(grown);
  const rows = grown.rows.map((line) => [...line]);
  cells.forEach((line, rowOffset) => {
    while (rows.length <= row + rowOffset) rows.push(grown.columns.map(() => null));
    line.slice(0, width - column).forEach((cell, columnOffset) => {
      (rows[row + rowOffset] as Cell[])[column + columnOffset] = cell;
    });
  });
  return { ...grown, rows };
}

/** Adds the rows of another table: columns are matched by name, ignoring case; others are added. */
export function mergeRows(draft: TableDraft, imported: TableDraft): TableDraft {
  const columnIndexes = imported.columns.map(({ id }) => draft.columns.findIndex((column) => column.id.toLowerCase() === id.toLowerCase()));
  const added = imported.columns.filter((_, index) => columnIndexes[index] === -1);
  let next = draft.columns.length;
  const targets = columnIndexes.map((index) => (index === -1 ? next++ : index));
  const existingRows = draft.rows.filter((row) => row.some((cell) => cell !== null)).map((row) => [...row, ...added.map(() => null)]);
  const rows = imported.rows.map((row) => {
    const cells: Cell[] = Array<Cell>(next).fill(null);
    row.forEach((cell, index) => (cells[targets[index] as number] = cell));
    return cells;
  });
  return { ...draft, columns: [...draft.columns, ...added], rows: [...existingRows, ...rows] };
}

/** The indexes of rows with the text in any cell. */
export function findRows({ rows }: TableDraft, text: string): readonly number[] {
  const searchText = text.trim().toLowerCase();
  const all = rows.map((_, index) => index);
  return searchText === ""
    ? all
    : all.filter((index) => rows[index]?.some((cell) => cell !== null && String(cell).toLowerCase().includes(searchText)) === true);
}
