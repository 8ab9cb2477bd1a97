// Rows as aligned columns with a header.
import { plainText } from "./plain-text.ts";
import type { Style, Terminal } from "./terminal.ts";

export interface Column<T> {
  readonly title: string;
  /** A column without any text is left out. */
  readonly text: (row: T) => string | number | null | undefined;
  readonly isNumber?: boolean;
  readonly style?: (row: T) => Style | undefined;
}

const gap = "  ";
/** In a terminal the last column is shortened to the width of the window, but not below this. */
const minLastWidth = 20;

export function tableText<T>(columns: readonly Column<T>[], rows: readonly T[], { style, isInteractive, columns: width }: Terminal): string {
  const cells = columns.map((column) => rows.map((row) => plainText(column.text(row) ?? "")));
  const shown = columns.map((column, index) => ({ column, texts: cells[index] as readonly string[] })).filter(({ texts }) => texts.some((text) => text !== ""));
  const widths = shown.map(({ column, texts }) => texts.reduce((widest, text) => Math.max(widest, text.length), column.title.length));
  const used = widths.slice(0, -1).reduce((sum, each) => sum + each + gap.length, 0);
  const lastWidth = isInteractive ? Math.max(minLastWidth, width - used) : Infinity;

  const lineOf = (textOf: (entry: (typeof shown)[number]) => string, styleOf: (column: Column<T>) => Style | undefined): string =>
    shown
      .map((entry, index) => {
        const text = textOf(entry);
        const isLast = index === shown.length - 1;
        const padding = " ".repeat(isLast && entry.column.isNumber !== true ? 0 : Math.max(0, (widths[index] as number) - text.length));
        const styled = applyStyle(style, styleOf(entry.column), isLast ? shorten(text, lastWidth) : text);
        return entry.column.isNumber === true ? padding + styled : styled + padding;
      })
      .join(gap)
      .trimEnd();

  const header = lineOf(
    ({ column }) => column.title,
    () => "dim",
  );
  const lines = rows.map((row, index) =>
    lineOf(
      ({ texts }) => texts[index] as string,
      (column) => column.style?.(row),
    ),
  );
  return [header, ...lines].join("\n");
}

const shorten = (text: string, width: number): string => (text.length > width ? `${text.slice(0, width - 1)}…` : text);
const applyStyle = (style: Terminal["style"], name: Style | undefined, text: string): string => (name === undefined || text === "" ? text : style(name, text));
