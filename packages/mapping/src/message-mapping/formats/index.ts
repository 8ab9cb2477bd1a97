import { isPlainObject } from "@sluice/engine/values";
import { closest, memberNames } from "@sluice/model";
import { maxReportedNames } from "../../problem.ts";
import { csvFormat } from "./csv-format.ts";
import { ediFormat } from "./edi-format.ts";
import { fixedFormat } from "./fixed-format.ts";
import { formatSchemas, type FormatName } from "./format-schemas.ts";
import { jsonFormat } from "./json-format.ts";
import type { FormatOptions, MessageFormat, SideReport } from "./message-format.ts";
import { xmlFormat } from "./xml-format.ts";

const formats: Readonly<Record<FormatName, (options: FormatOptions, report: SideReport) => MessageFormat>> = {
  json: () => jsonFormat,
  xml: xmlFormat,
  csv: csvFormat,
  fixed: fixedFormat,
  edi: ediFormat,
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
  const allowed = memberNames(formatSchemas[name as FormatName]);
  const unknown = Object.keys(side).filter((option) => !allowed.includes(option));
  for (const option of unknown.slice(0, maxReportedNames)) {
    const suggestion = closest(option, allowed);
    report("", `format ${name} has no option '${option.slice(0, 60)}'${suggestion === undefined ? "" : ` (did you mean '${suggestion}'?)`}`);
  }
  return formats[name as FormatName](side, report);
}
