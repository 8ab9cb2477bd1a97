// The separators of an interchange: fixed by the dialect, defined by the interchange itself (UNA, ISA), or configured.
import { isPlainObject } from "@sluice/engine/values";
import { memberNames } from "@sluice/model";
import { readFault } from "../../text/read-fault.ts";
import { separatorsSchema } from "./format-schemas.ts";
import type { SideReport } from "./message-format.ts";

export interface EdiSyntax {
  readonly segment: string;
  readonly element: string;
  readonly component: string;
  /** Escapes the next character; undefined when the dialect has none. */
  readonly release: string | undefined;
  readonly repetition: string | undefined;
}

const edifact: EdiSyntax = { segment: "'", element: "+", component: ":", release: "?", repetition: "*" };
const x12: EdiSyntax = { segment: "~", element: "*", component: ":", release: undefined, repetition: "^" };

export type Dialect = "edifact" | "x12" | EdiSyntax;

const separatorNames = memberNames(separatorsSchema);

export function readDialect(value: unknown, report: SideReport): Dialect {
  if (value === undefined || value === "edifact" || value === "x12") return value ?? "edifact";
  const separators = isPlainObject(value) && isPlainObject(value["separators"]) ? value["separators"] : value;
  if (!isPlainObject(separators)) {
    report("dialect", "expected edifact, x12 or an object of separators");
    return "edifact";
  }
  const readSeparator = (name: string, fallback: string | undefined): string | undefined => {
    const text = separators[name];
    if (text === undefined) return fallback;
    if (typeof text === "string" && text.length === 1) return text;
    if (text !== null) report(`dialect.${name}`, "expected one character");
    return undefined;
  };
  const unknown = Object.keys(separators).find((name) => !separatorNames.includes(name));
  if (unknown !== undefined) report("dialect", `unknown separator '${unknown}': use ${separatorNames.join(", ")}`);
  const syntax = {
    segment: readSeparator("segment", "'") ?? "'",
    element: readSeparator("element", "+") ?? "+",
    component: readSeparator("component", ":") ?? ":",
    release: readSeparator("release", undefined),
    repetition: readSeparator("repetition", undefined),
  };
  const used = Object.values(syntax).filter((character) => character !== undefined);
  if (new Set(used).size !== used.length) report("dialect", "all separators must be different");
  return syntax;
}

/** The syntax for writing an interchange: that of its dialect, adjusted by its own envelope. */
export function writingSyntax(dialect: Dialect, output: unknown): EdiSyntax {
  if (dialect !== "edifact" && dialect !== "x12") return dialect;
  const segments = isPlainObject(output) ? output : {};
  if (dialect === "edifact") {
    const syntax = element(segments["UNB"], "e1");
    return isBeforeVersion4(isPlainObject(syntax) ? syntax["c2"] : undefined) ? { ...edifact, repetition: undefined } : edifact;
  }
  const component = element(segments["ISA"], "e16");
  const repetition = element(segments["ISA"], "e11");
  return { ...x12, component: isSeparator(component) ? component : x12.component, repetition: isSeparator(repetition) ? repetition : x12.repetition };
}

function element(segment: unknown, name: string): unknown {
  const first: unknown = Array.isArray(segment) ? segment[0] : segment;
  return isPlainObject(first) ? first[name] : undefined;
}

const isSeparator = (value: unknown): value is string => typeof value === "string" && value.length === 1 && !/[A-Za-z0-9 ]/.test(value);

/** Elements repeat since version 4 of the EDIFACT syntax; before that, an asterisk is ordinary text. */
const isBeforeVersion4 = (version: unknown): boolean => /^[1-3]$/.test(String(version));

/** The syntax of an interchange and the start of its segments. */
export function readingSyntax(text: string, dialect: Dialect): { readonly syntax: EdiSyntax; readonly start: number } {
  if (dialect === "edifact") {
    if (text.startsWith("UNA") && text.length >= 9) return { syntax: serviceAdvice(text), start: 9 };
    return { syntax: isBeforeVersion4(/^UNB\+[^:+']*:(\w+)/.exec(text)?.[1]) ? { ...edifact, repetition: undefined } : edifact, start: 0 };
  }
  if (dialect !== "x12") return { syntax: dialect, start: 0 };
  if (!text.startsWith("ISA")) return { syntax: x12, start: 0 };
  if (text.length < 106) throw readFault("edi", "the ISA segment is shorter than 106 characters");
  const repetition = text[82] as string;
  return {
    syntax: {
      element: text[3] as string,
      component: text[104] as string,
      segment: text[105] as string,
      release: undefined,
      repetition: isSeparator(repetition) ? repetition : undefined,
    },
    start: 0,
  };
}

function serviceAdvice(text: string): EdiSyntax {
  const [component, element, , release, repetition, segment] = text.slice(3, 9);
  return {
    component: component as string,
    element: element as string,
    segment: segment as string,
    release: release === " " ? undefined : release,
    repetition: repetition === " " ? undefined : repetition,
  };
}
