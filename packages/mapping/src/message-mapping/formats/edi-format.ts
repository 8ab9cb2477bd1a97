// EDI: segments by tag, elements `e1`, `e2`, … and their components `c1`, `c2`, …; loops nest segments below their first segment.
import { isPlainObject } from "@sluice/engine/values";
import { formatValue } from "../../problem.ts";
import { runToEnd, type Incremental } from "../../text/incremental.ts";
import { limitFault, readFault } from "../../text/read-fault.ts";
import { MappingFault } from "../mapping-fault.ts";
import { isNothing, toList, toText } from "../values.ts";
import { BoundedLines } from "./bounded-lines.ts";
import { readDialect, readingSyntax, writingSyntax, type EdiSyntax } from "./edi-syntax.ts";
import { nestRecords, readLoops, type TaggedRecord } from "./segment-loops.ts";
import { flagOption, noPrefixes, textOfBody, type FormatOptions, type MessageFormat, type SideReport } from "./message-format.ts";

const limits = { segments: 1_000_000, elements: 1000, depth: 100, written: 4_000_000 } as const;
const envelopeWidths = [2, 10, 2, 10, 2, 15, 2, 15, 6, 4, 1, 5, 9, 1, 1, 1];
/** Trailer segments that contain the number of segments, with the header segment where counting starts. */
const headerOfTrailer: Readonly<Record<string, string>> = { UNT: "UNH", SE: "ST" };

export function ediFormat(options: FormatOptions, report: SideReport): MessageFormat {
  const dialect = readDialect(options["dialect"], report);
  const loops = readLoops(options["loops"], report);
  const lineBreak = flagOption(options, "lineBreaks", false, report) ? "\n" : "";
  function* readSegments(body: unknown): Incremental<unknown> {
    const text = textOfBody(body);
    return text === undefined ? body : nestRecords(yield* parseSegments(text.trimStart(), dialect), loops);
  }
  return {
    name: "edi",
    contentType: dialect === "x12" ? "application/edi-x12" : dialect === "edifact" ? "application/edifact" : "text/plain; charset=utf-8",
    oneOrMany: true,
    prefixes: noPrefixes,
    read: (body) => runToEnd(readSegments(body)),
    readIncrementally: readSegments,
    write(output) {
      const syntax = writingSyntax(dialect, output);
      const interchange: Interchange = { syntax, tags: [], elements: 0, segments: new BoundedLines(syntax.segment + lineBreak) };
      writeSegments(output, interchange, 0);
      return interchange.segments.toText();
    },
  };
}

const segmentsPerStep = 500;

function* parseSegments(text: string, dialect: Parameters<typeof readingSyntax>[1]): Incremental<readonly TaggedRecord[]> {
  const { syntax, start } = readingSyntax(text, dialect);
  const records: TaggedRecord[] = [];
  let at = skipBlanks(text, start);
  while (at < text.length) {
    const end = unescapedIndex(text, syntax.segment, at, syntax);
    if (end < 0) throw readFault("edi", `the segment '${text.slice(at, at + 20)}' is not terminated: expected ${JSON.stringify(syntax.segment)}`);
    records.push(parseSegment(text.slice(at, end), syntax));
    if (records.length % segmentsPerStep === 0) yield undefined;
    if (records.length > limits.segments) throw limitFault(`the interchange has more than ${limits.segments} segments`);
    at = skipBlanks(text, end + 1);
  }
  return records;
}

function parseSegment(text: string, syntax: EdiSyntax): TaggedRecord {
  const [tag = "", ...elements] = split(text, syntax.element, syntax);
  if (!/^[A-Za-z0-9]{1,10}$/.test(tag)) throw readFault("edi", `'${tag.slice(0, 20)}' is not a segment tag`);
  if (elements.length > limits.elements) throw limitFault(`segment ${tag} has more than ${limits.elements} elements`);
  const fields: Record<string, unknown> = {};
  // ISA defines the component and repetition separators, so its elements are not split at them.
  const isEnvelope = tag === "ISA";
  for (const [index, element] of elements.entries()) {
    if (element === "") continue;
    const repeats = syntax.repetition === undefined || isEnvelope ? [element] : split(element, syntax.repetition, syntax);
    const values = repeats.map((repeat) => (isEnvelope ? repeat : parseElement(repeat, syntax)));
    fields[`e${index + 1}`] = values.length === 1 ? values[0] : values;
  }
  return { tag, fields };
}

function parseElement(text: string, syntax: EdiSyntax): unknown {
  const components = split(text, syntax.component, syntax);
  if (components.length === 1) return unescapeText(components[0] as string, syntax);
  const element: Record<string, unknown> = {};
  for (const [index, component] of components.entries()) if (component !== "") element[`c${index + 1}`] = unescapeText(component, syntax);
  return element;
}

function split(text: string, separator: string, syntax: EdiSyntax): readonly string[] {
  if (syntax.release === undefined || !text.includes(syntax.release)) return text.split(separator);
  const parts: string[] = [];
  let from = 0;
  for (let end = unescapedIndex(text, separator, 0, syntax); end >= 0; end = unescapedIndex(text, separator, from, syntax)) {
    parts.push(text.slice(from, end));
    from = end + 1;
  }
  parts.push(text.slice(from));
  return parts;
}

/** The next position of a character that is not escaped by the release character; -1 when there is none. */
function unescapedIndex(text: string, character: string, from: number, { release }: EdiSyntax): number {
  if (release === undefined) return text.indexOf(character, from);
  for (let at = from; at < text.length; at++) {
    if (text[at] === release) at++;
    else if (text[at] === character) return at;
  }
  return -1;
}

function unescapeText(text: string, { release }: EdiSyntax): string {
  if (release === undefined || !text.includes(release)) return text;
  let plain = "";
  for (let at = 0; at < text.length; at++) plain += text[at] === release ? (text[++at] ?? "") : text[at];
  return plain;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text[at] as string)) at++;
  return at;
}

interface Interchange {
  readonly syntax: EdiSyntax;
  /** Tags of the segments written so far. */
  readonly tags: string[];
  elements: number;
  readonly segments: BoundedLines;
}

/** Every key of an output object is a tag; keys of a segment that are not elements are nested segments. */
function writeSegments(node: unknown, interchange: Interchange, depth: number): void {
  if (depth > limits.depth) throw new MappingFault("limit", `segments are nested deeper than ${limits.depth} levels`);
  if (!isPlainObject(node)) throw new MappingFault("output", "an EDI target must be an object of segments");
  for (const [tag, value] of Object.entries(node)) {
    if (depth > 0 && /^e\d+$/.test(tag)) continue;
    if (!/^[A-Za-z0-9]{1,10}$/.test(tag)) throw new MappingFault("output", `'${tag}' is not a segment tag: use 1 to 10 letters or digits`);
    for (const segment of toList(value)) {
      if (!isPlainObject(segment)) throw new MappingFault("output", `segment ${tag} must be an object of elements e1, e2, …`);
      const elements = tag === "ISA" ? envelope(segment, interchange.syntax) : elementsOf(segment, tag, interchange);
      interchange.elements += elements.length;
      if (interchange.elements > limits.written) throw limitFault(`the interchange has more than ${limits.written} elements`);
      interchange.tags.push(tag);
      interchange.segments.add([tag, ...elements].join(interchange.syntax.element));
      writeSegments(segment, interchange, depth + 1);
    }
  }
}

function elementsOf(segment: Readonly<Record<string, unknown>>, tag: string, { tags, syntax }: Interchange): readonly string[] {
  const elements: string[] = [];
  for (const [name, value] of Object.entries(segment)) {
    if (!/^e\d+$/.test(name)) continue;
    const number = Number(name.slice(1));
    if (number < 1 || number > limits.elements) throw new MappingFault("output", `segment ${tag} has no element '${name}': use e1 to e${limits.elements}`);
    elements[number - 1] = toList(value)
      .map((repeat) => elementText(repeat, syntax))
      .join(syntax.repetition ?? syntax.component);
  }
  const header = headerOfTrailer[tag];
  if (header !== undefined && isNothing(segment["e1"])) {
    const from = tags.lastIndexOf(header);
    if (from >= 0) elements[0] = String(tags.length - from + 1);
  }
  return withoutTrailing(elements);
}

/** The first segment of X12 has fixed-width elements and defines the separators, so they cannot be escaped or used in it. */
function envelope(segment: Readonly<Record<string, unknown>>, syntax: EdiSyntax): readonly string[] {
  return envelopeWidths.map((width, index) => {
    const name = `e${index + 1}`;
    const text = isNothing(segment[name]) ? "" : toText(segment[name]);
    if (text.length > width) throw new MappingFault("output", `${formatValue(text)} is longer than the ${width} characters of ISA.${name}`, text);
    if (text.includes(syntax.element) || text.includes(syntax.segment))
      throw new MappingFault("output", `${formatValue(text)} contains a separator, which ISA.${name} cannot escape`, text);
    if (text === "" && index === 10) return syntax.repetition ?? "U";
    if (text === "" && index === 15) return syntax.component;
    return index === 12 ? text.padStart(width, "0") : text.padEnd(width);
  });
}

function elementText(value: unknown, syntax: EdiSyntax): string {
  if (!isPlainObject(value)) return isNothing(value) ? "" : escapeText(toText(value), syntax);
  const components: string[] = [];
  for (const [name, component] of Object.entries(value)) {
    const number = Number(/^c(\d{1,4})$/.exec(name)?.[1] ?? 0);
    if (number < 1 || number > limits.elements) throw new MappingFault("output", `'${name}' is not a component: use c1, c2, …`);
    components[number - 1] = isNothing(component) ? "" : escapeText(toText(component), syntax);
  }
  return withoutTrailing(components).join(syntax.component);
}

/** Gaps are empty; trailing empty parts are omitted, as the standards require. */
function withoutTrailing(parts: readonly string[]): readonly string[] {
  const filled = Array.from(parts, (part) => part ?? "");
  while (filled.at(-1) === "") filled.pop();
  return filled;
}

function escapeText(text: string, syntax: EdiSyntax): string {
  const special = [syntax.segment, syntax.element, syntax.component, syntax.release, syntax.repetition].filter((character) => character !== undefined);
  if (!special.some((character) => text.includes(character))) return text;
  if (syntax.release === undefined)
    throw new MappingFault("output", `${JSON.stringify(text.slice(0, 40))} contains a separator, but the dialect cannot escape it`, text);
  return [...text].map((character) => (special.includes(character) ? syntax.release + character : character)).join("");
}
