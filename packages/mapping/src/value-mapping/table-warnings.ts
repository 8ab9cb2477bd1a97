// Warns about values that appear in several rows with different counterparts: only the first of those rows is ever found.
import { runToEnd, type Incremental } from "../text/incremental.ts";
import type { Cell, TableContent } from "./value-table.ts";

const maxWarnings = 20;
const maxRows = 5;
const cellsPerStep = 5_000;

export const tableWarnings = (content: TableContent): readonly string[] => runToEnd(tableWarningsIncrementally(content));

/** Like {@link tableWarnings}, incrementally. */
export function* tableWarningsIncrementally({ columns, rows }: TableContent): Incremental<readonly string[]> {
  const warnings: string[] = [];
  let omitted = 0;
  for (let column = columns.length - 1; column >= 0; column--) {
    const ignoreCase = columns[column]?.match === "ignoreCase";
    let groups = 0;
    for (const found of (yield* repeatedValues(rows, column, ignoreCase)).values()) {
      if (++groups % cellsPerStep === 0) yield undefined;
      const other = yield* differingColumn({ columns, rows }, column, found);
      if (other === undefined) continue;
      if (warnings.length >= maxWarnings) omitted++;
      else
        warnings.push(
          warningText(columns[column]?.id ?? "", String(rows[found[0] as number]?.[column]), { back: other.index < column, to: other.first, rows: found }),
        );
    }
  }
  return omitted === 0 ? warnings : [...warnings, `${omitted} more values appear in several rows`];
}

function warningText(column: string, value: string, found: { readonly back: boolean; readonly to: Cell; readonly rows: readonly number[] }): string {
  const numbers = found.rows.slice(0, maxRows).map((row) => row + 1);
  const list = `rows ${numbers.join(", ")}${found.rows.length > maxRows ? ", …" : ""}`;
  return `${column} '${value}' maps ${found.back ? "back " : ""}to '${found.to}' (${list})`;
}

/** The first other column in which these rows differ, with the value that is found. A row without a value is not used, so it cannot differ. */
function* differingColumn(
  { columns, rows }: Pick<TableContent, "columns" | "rows">,
  column: number,
  found: readonly number[],
): Incremental<{ readonly index: number; readonly first: Cell } | undefined> {
  for (let index = 0; index < columns.length; index++) {
    if (index === column) continue;
    let first: Cell | undefined;
    for (const [at, row] of found.entries()) {
      if (at % cellsPerStep === cellsPerStep - 1) yield undefined;
      const cell = rows[row]?.[index] ?? undefined;
      if (first !== undefined && cell !== undefined && cell !== first) return { index, first };
      first ??= cell;
    }
  }
  return undefined;
}

/** The rows of each repeated value of a column. */
function* repeatedValues(rows: TableContent["rows"], column: number, ignoreCase: boolean): Incremental<ReadonlyMap<string, readonly number[]>> {
  const first = new Map<string, number>();
  const repeated = new Map<string, number[]>();
  for (let row = 0; row < rows.length; row++) {
    if (row % cellsPerStep === 0) yield undefined;
    const cell = (rows[row] as readonly Cell[])[column];
    if (cell === null || cell === undefined) continue;
    const key = ignoreCase ? String(cell).toLowerCase() : String(cell);
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, row);
    else {
      const list = repeated.get(key);
      if (list === undefined) repeated.set(key, [earlier, row]);
      else list.push(row);
    }
  }
  return repeated;
}
