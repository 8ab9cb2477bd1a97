// CSV text as a list of rows with named columns, for display.

const separators = [",", ";", "\t"] as const;
const maxRows = 1_000;

/** The rows of CSV text with a header line; undefined for other text. */
export function csvData(text: string, isDeclared: boolean): readonly Readonly<Record<string, string>>[] | undefined {
  for (const separator of separators) {
    const lines = cellsOf(text, separator);
    const [names = [], ...rows] = lines ?? [];
    if (names.length < 2 || rows.length === 0 || new Set(names).size !== names.length || names.includes("")) continue;
    // Prose has commas too: without a content type, every line must have the same number of columns.
    if (!isDeclared && rows.some((row) => row.length !== names.length)) continue;
    return rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index] ?? ""])));
  }
  return undefined;
}

/** Undefined when a quote is not closed. */
function cellsOf(text: string, separator: string): readonly (readonly string[])[] | undefined {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length && rows.length <= maxRows) {
    const cell = text[at] === '"' ? quotedCell(text, at) : plainCell(text, at, separator);
    if (cell === undefined) return undefined;
    row.push(cell.value.trim());
    at = cell.end;
    if (text[at] === separator) {
      at++;
      continue;
    }
    rows.push(row);
    row = [];
    at += text.startsWith("\r\n", at) ? 2 : 1;
  }
  return row.length > 0 ? [...rows, row] : rows;
}

interface Cell {
  readonly value: string;
  readonly end: number;
}

function quotedCell(text: string, start: number): Cell | undefined {
  let value = "";
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] !== '"') value += text[at];
    else if (text[at + 1] === '"') value += text[++at];
    else return { value, end: at + 1 };
  }
  return undefined;
}

function plainCell(text: string, start: number, separator: string): Cell {
  let end = start;
  while (end < text.length && text[end] !== separator && text[end] !== "\n" && text[end] !== "\r") end++;
  return { value: text.slice(start, end), end };
}
