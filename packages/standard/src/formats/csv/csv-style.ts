// CSV dialects: the named formats of commons-csv, overridden by the options of the flow.
import { CompileError } from "@sluice/engine/spi";
import type { CsvSyntax } from "@sluice/engine/values";

type QuoteMode = "ALL" | "ALL_NON_NULL" | "MINIMAL" | "NON_NUMERIC" | "NONE";

export interface CsvStyle extends CsvSyntax {
  readonly quoteMode: QuoteMode;
  readonly recordSeparator: string;
  readonly allowMissingColumnNames: boolean;
  readonly ignoreHeaderCase: boolean;
}

const standard: CsvStyle = {
  delimiter: ",",
  quote: '"',
  quoteMode: "MINIMAL",
  escape: undefined,
  commentMarker: undefined,
  recordSeparator: "\r\n",
  nullString: undefined,
  ignoreEmptyLines: true,
  ignoreSurroundingSpaces: false,
  trim: false,
  trailingDelimiter: false,
  allowMissingColumnNames: false,
  ignoreHeaderCase: false,
};

const predefined: Readonly<Record<string, CsvStyle>> = {
  DEFAULT: standard,
  EXCEL: { ...standard, ignoreEmptyLines: false, allowMissingColumnNames: true },
  RFC4180: { ...standard, ignoreEmptyLines: false },
  TDF: { ...standard, delimiter: "\t", ignoreSurroundingSpaces: true },
  MYSQL: {
    ...standard,
    delimiter: "\t",
    escape: "\\",
    ignoreEmptyLines: false,
    quote: undefined,
    recordSeparator: "\n",
    nullString: "\\N",
    quoteMode: "ALL_NON_NULL",
  },
};

export const csvStyleNames = ["DEFAULT", "EXCEL", "RFC4180", "TDF", "MYSQL"] as const;

export interface CsvStyleOptions {
  readonly format?: string | undefined;
  readonly formatName?: string | undefined;
  readonly formatRef?: string | undefined;
  readonly delimiter?: string | undefined;
  readonly quote?: string | undefined;
  readonly quoteDisabled?: boolean | undefined;
  readonly quoteMode?: QuoteMode | undefined;
  readonly escape?: string | undefined;
  readonly escapeDisabled?: boolean | undefined;
  readonly commentMarker?: string | undefined;
  readonly commentMarkerDisabled?: boolean | undefined;
  readonly recordSeparator?: string | undefined;
  readonly recordSeparatorDisabled?: string | undefined;
  readonly nullString?: string | undefined;
  readonly nullStringDisabled?: boolean | undefined;
  readonly ignoreEmptyLines?: boolean | undefined;
  readonly ignoreSurroundingSpaces?: boolean | undefined;
  readonly trim?: boolean | undefined;
  readonly trailingDelimiter?: boolean | undefined;
  readonly allowMissingColumnNames?: boolean | undefined;
  readonly ignoreHeaderCase?: boolean | undefined;
}

/** The dialect described by the options. */
export function csvStyle(options: CsvStyleOptions): CsvStyle {
  const base = predefined[(options.format ?? options.formatName ?? options.formatRef ?? "DEFAULT").replace(/^#/, "").toUpperCase()];
  if (base === undefined)
    throw new CompileError(
      "csv-format",
      `unknown CSV format '${options.format ?? options.formatName ?? options.formatRef}': use one of ${csvStyleNames.join(", ")}`,
    );
  const style: CsvStyle = {
    delimiter: unescape(options.delimiter) ?? base.delimiter,
    quote: options.quoteDisabled === true ? undefined : (oneCharacter("quote", options.quote) ?? base.quote),
    quoteMode: options.quoteMode ?? base.quoteMode,
    escape: options.escapeDisabled === true ? undefined : (oneCharacter("escape", options.escape) ?? base.escape),
    commentMarker: options.commentMarkerDisabled === true ? undefined : (oneCharacter("commentMarker", options.commentMarker) ?? base.commentMarker),
    recordSeparator: options.recordSeparatorDisabled === "true" ? "" : (unescape(options.recordSeparator) ?? base.recordSeparator),
    nullString: options.nullStringDisabled === true ? undefined : (options.nullString ?? base.nullString),
    ignoreEmptyLines: options.ignoreEmptyLines ?? base.ignoreEmptyLines === true,
    ignoreSurroundingSpaces: options.ignoreSurroundingSpaces ?? base.ignoreSurroundingSpaces === true,
    trim: options.trim ?? base.trim === true,
    trailingDelimiter: options.trailingDelimiter ?? base.trailingDelimiter === true,
    allowMissingColumnNames: options.allowMissingColumnNames ?? base.allowMissingColumnNames,
    ignoreHeaderCase: options.ignoreHeaderCase ?? base.ignoreHeaderCase,
  };
  if (style.delimiter.length === 0 || /[\r\n]/.test(style.delimiter))
    throw new CompileError("csv-delimiter", "the CSV delimiter must be a non-empty string without line breaks");
  if (style.quote === style.delimiter || style.escape === style.delimiter)
    throw new CompileError("csv-delimiter", "the CSV delimiter must differ from quote and escape");
  return style;
}

/** Resolves the escapes `\t`, `\r` and `\n`, for characters that cannot be typed. */
function unescape(text: string | undefined): string | undefined {
  return text?.replaceAll(/\\([trn])/g, (_all, letter: string) => ({ t: "\t", r: "\r", n: "\n" })[letter] as string);
}

function oneCharacter(name: string, text: string | undefined): string | undefined {
  if (text === undefined || text === "") return undefined;
  const character = text === "\\" ? text : (unescape(text) as string);
  if (character.length !== 1) throw new CompileError("csv-character", `the CSV option ${name} must be a single character, not '${text}'`);
  return character;
}
