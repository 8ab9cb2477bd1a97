import { isPlainObject } from "@sluice/engine/values";
import { closest } from "@sluice/model";
import { maxReportedNames } from "../../problem.ts";
import { csvFormat } from "./csv-format.ts";
import { ediFormat } from "./edi-format.ts";
import { fixedFormat } from "./fixed-format.ts";
import { jsonFormat } from "./json-format.ts";
import type { FormatOptions, MessageFormat, SideReport } from "./message-format.ts";
import { xmlFormat } from "./xml-format.ts";

const commonOptions = ["format", "schema", "sample", "note"];
const formats: Readonly<Record<string, { readonly options: readonly string[]; create(options: FormatOptions, report: SideReport): MessageFormat }>> = {
  json: { options: [], create: () => jsonFormat },
  xml: { options: ["root", "namespaces", "declaration"], create: xmlFormat },
  csv: { options: ["delimiter", "quote", "header", "columns", "lineBreak"], create: csvFormat },
  fixed: { options: ["fields", "records", "loops", "lineBreak"], create: fixedFormat },
  edi: { options: ["dialect", "loops", "lineBreaks"], create: ediFormat },
};

export const formatNames: readonly string[] = Object.keys(formats);

/** The format of one side of a document. An unknown format is reported and replaced by JSON. */
export function createFormat(side: unknown, report: SideReport): MessageFormat {
  if (!isPlainObject(side)) {
    report("", `expected an object with format, one of ${formatNames.join(", ")}`);
    return jsonFormat;
  }
  const name = side["format"];
  if (typeof name !== "string" || !Object.hasOwn(formats, name)) {
    report("format", `expected one of ${formatNames.join(", ")}, got ${JSON.stringify(name) ?? "nothing"}`);
    return jsonFormat;
  }
  const format = formats[name] as (typeof formats)[string];
  const allowed = [...commonOptions, ...format.options];
  const unknown = Object.keys(side).filter((option) => !allowed.includes(option));
  for (const option of unknown.slice(0, maxReportedNames)) {
    const suggestion = closest(option, allowed);
    report("", `format ${name} has no option '${option.slice(0, 60)}'${suggestion === undefined ? "" : ` (did you mean '${suggestion}'?)`}`);
  }
  return format.create(side, report);
}
