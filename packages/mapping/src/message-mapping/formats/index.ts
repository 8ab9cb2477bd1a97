import { isPlainObject } from "@sluice/engine/values";
import { closest } from "@sluice/model";
import { maxNamed } from "../../problem.ts";
import { csvFormat } from "./csv-format.ts";
import { ediFormat } from "./edi-format.ts";
import { fixedFormat } from "./fixed-format.ts";
import { jsonFormat } from "./json-format.ts";
import type { FormatOptions, MessageFormat, SideReport } from "./message-format.ts";
import { xmlFormat } from "./xml-format.ts";

const always = ["format", "schema", "sample", "note"];
const makers: Readonly<Record<string, { readonly options: readonly string[]; make(options: FormatOptions, report: SideReport): MessageFormat }>> = {
  json: { options: [], make: () => jsonFormat },
  xml: { options: ["root", "namespaces", "declaration"], make: xmlFormat },
  csv: { options: ["delimiter", "quote", "header", "columns", "lineBreak"], make: csvFormat },
  fixed: { options: ["fields", "records", "loops", "lineBreak"], make: fixedFormat },
  edi: { options: ["dialect", "loops", "lineBreaks"], make: ediFormat },
};

export const formatNames: readonly string[] = Object.keys(makers);

/** The format of one side of a document; JSON, with an error reported, when it names no known format. */
export function createFormat(side: unknown, report: SideReport): MessageFormat {
  if (!isPlainObject(side)) {
    report("", `expected an object with format, one of ${formatNames.join(", ")}`);
    return jsonFormat;
  }
  const name = side["format"];
  if (typeof name !== "string" || !Object.hasOwn(makers, name)) {
    report("format", `expected one of ${formatNames.join(", ")}, got ${JSON.stringify(name) ?? "nothing"}`);
    return jsonFormat;
  }
  const maker = makers[name] as (typeof makers)[string];
  const known = [...always, ...maker.options];
  const unknown = Object.keys(side).filter((option) => !known.includes(option));
  for (const option of unknown.slice(0, maxNamed)) {
    const meant = closest(option, known);
    report("", `format ${name} has no option '${option.slice(0, 60)}'${meant === undefined ? "" : ` (did you mean '${meant}'?)`}`);
  }
  return maker.make(side, report);
}
