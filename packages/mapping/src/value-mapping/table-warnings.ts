// Names the values that stand in several rows with different counterparts: only the first of those rows is ever found.
import type { Cell, TableContent } from "./value-table.ts";

const mostWarnings = 20;
const mostRows = 5;

export function tableWarnings({ columns, rows }: TableContent): readonly string[] {
  const warnings: string[] = [];
  let more = 0;
  for (let column = columns.length - 1; column >= 0; column--) {
    const fold = columns[column]?.match === "ignoreCase";
    for (const found of repeatedValues(rows, column, fold)) {
      const first = rows[found[0] as number] as readonly Cell[];
      const other = columns.findIndex((_, index) => index !== column && found.some((row) => different(first[index], rows[row]?.[index])));
      if (other < 0) continue;
      if (warnings.length >= mostWarnings) more++;
      else warnings.push(sentence(columns[column]?.id ?? "", String(first[column]), { back: other < column, to: first[other] ?? null, rows: found }));
    }
  }
  return more === 0 ? warnings : [...warnings, `${more} more values stand in several rows`];
}

function sentence(column: string, value: string, found: { readonly back: boolean; readonly to: Cell; readonly rows: readonly number[] }): string {
  const numbers = found.rows.slice(0, mostRows).map((row) => row + 1);
  const list = `rows ${numbers.join(", ")}${found.rows.length > mostRows ? ", …" : ""}`;
  return `${column} '${value}' maps ${found.back ? "back " : ""}to ${found.to === null ? "nothing" : `'${found.to}'`} (${list})`;
}

function* repeatedValues(rows: TableContent["rows"], column: number, fold: boolean): Generator<readonly number[]> {
  const first = new Map<string, number>();
  const repeated = new Map<string, number[]>();
  for (let row = 0; row < rows.length; row++) {
    const cell = (rows[row] as readonly Cell[])[column];
    if (cell === null || cell === undefined) continue;
    const key = fold ? String(cell).toLowerCase() : String(cell);
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, row);
    else {
      const list = repeated.get(key);
      if (list === undefined) repeated.set(key, [earlier, row]);
      else list.push(row);
    }
  }
  yield* repeated.values();
}

/** A row without a value takes no part in that direction, so it cannot disagree. */
const different = (one: Cell | undefined, other: Cell | undefined): boolean => one !== other && other !== null && other !== undefined;
