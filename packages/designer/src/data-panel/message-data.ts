// A message as data with named members: JSON, XML and CSV text is parsed, everything else stays as it is.
import { csvData } from "./csv-data.ts";
import type { PartialMessage } from "../trial/message-text.ts";

export type DataRoot = "body" | "header" | "variable" | "exchangeProperty";

export type Names = readonly (string | number)[];

/** The path of a value in a message. */
export interface DataPath {
  readonly root: DataRoot;
  readonly names: Names;
}

export interface MessageData {
  readonly body: unknown;
  /** The format in which the body arrives at the step. */
  readonly format: "data" | "json" | "xml" | "csv" | "text" | "empty";
  readonly header: Members;
  readonly variable: Members;
  readonly exchangeProperty: Members;
}

export type Members = Readonly<Record<string, unknown>>;

export const isMembers = (value: unknown): value is Members => typeof value === "object" && value !== null && !Array.isArray(value);

export function messageData({ body, headers = {}, variables = {}, properties = {} }: PartialMessage): MessageData {
  return { ...bodyData(body, headers), header: headers, variable: variables, exchangeProperty: properties };
}

function bodyData(body: unknown, headers: Members): Pick<MessageData, "body" | "format"> {
  if (body === null || body === undefined || body === "") return { body: undefined, format: "empty" };
  if (typeof body !== "string") return { body, format: "data" };
  const text = body.trimStart();
  if (/^[[{]/.test(text)) {
    try {
      return { body: JSON.parse(text) as unknown, format: "json" };
    } catch {
      return { body, format: "text" };
    }
  }
  const xml = text.startsWith("<") ? xmlData(text) : undefined;
  if (xml !== undefined) return { body: xml, format: "xml" };
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type")?.[1];
  const csv = csvData(text, typeof type === "string" && /\bcsv\b/i.test(type));
  return csv === undefined ? { body, format: "text" } : { body: csv, format: "csv" };
}

const xmlToken =
  /<!--[^]*?-->|<\?[^]*?\?>|<!DOCTYPE[^>[]*>|<!\[CDATA\[(?<raw>[^]*?)\]\]>|<(?<end>\/)?(?<name>[\w:.-]+)(?<attributes>(?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(?<empty>\/)?>|(?<text>[^<]+)/y;
const xmlAttribute = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

interface OpenElement {
  readonly name: string;
  readonly members: Record<string, unknown>;
  text: string;
}

/**
 * Parses XML: elements become members, attributes `@name`, and text next to them `#text`. Undefined when the text is not well-formed. The browser's own
 * parser is not used, because styles in the message would violate the page's content security policy.
 */
function xmlData(source: string): Members | undefined {
  const root: OpenElement = { name: "", members: {}, text: "" };
  const openElements = [root];
  xmlToken.lastIndex = 0;
  for (let at = 0; at < source.length; at = xmlToken.lastIndex) {
    const groups = xmlToken.exec(source)?.groups;
    const inner = openElements.at(-1);
    if (groups === undefined || inner === undefined) return undefined;
    const { raw, end, name, attributes = "", empty, text } = groups;
    inner.text += raw ?? unescapeText(text ?? "");
    if (name === undefined) continue;
    if (end !== undefined) {
      if (openElements.length === 1 || inner.name !== name) return undefined;
      openElements.pop();
      addChild(openElements.at(-1) ?? root, inner);
      continue;
    }
    const element: OpenElement = { name, members: {}, text: "" };
    for (const [, key, double, single] of attributes.matchAll(xmlAttribute)) element.members[`@${key}`] = unescapeText(double ?? single ?? "");
    if (empty === undefined) openElements.push(element);
    else addChild(inner, element);
  }
  return openElements.length === 1 && root.text.trim() === "" && Object.keys(root.members).length === 1 ? root.members : undefined;
}

function addChild({ members }: OpenElement, { name, members: childMembers, text }: OpenElement): void {
  const content = text.trim();
  const value = Object.keys(childMembers).length === 0 ? content : content === "" ? childMembers : { ...childMembers, "#text": content };
  const existing = members[name];
  members[name] = existing === undefined ? value : [...(Array.isArray(existing) ? (existing as readonly unknown[]) : [existing]), value];
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

const unescapeText = (text: string): string => text.replaceAll(/&(lt|gt|amp|quot|apos);/g, (match, name: string) => entities[name] ?? match);

/** The value at a path; a name on a list means its first item. */
export function dataAt(data: MessageData, { root, names }: DataPath): unknown {
  return names.reduce<unknown>((value, name) => memberOf(value, name), data[root]);
}

function memberOf(value: unknown, name: string | number): unknown {
  if (typeof name === "number") return Array.isArray(value) ? (value as readonly unknown[])[name] : name === 0 ? value : undefined;
  const container = Array.isArray(value) ? (value as readonly unknown[])[0] : value;
  return isMembers(container) && Object.hasOwn(container, name) ? container[name] : undefined;
}

/** The paths inside a value: the members of an object, the first item of a list. */
export function childPaths(path: DataPath, value: unknown): readonly DataPath[] {
  if (Array.isArray(value)) return value.length === 0 ? [] : [{ ...path, names: [...path.names, 0] }];
  return isMembers(value) ? Object.keys(value).map((name) => ({ ...path, names: [...path.names, name] })) : [];
}

const maxValueLength = 60;

/** A short text for a value; for objects and lists, their size. */
export function valueSummary(value: unknown): string {
  if (Array.isArray(value)) return `[ ${value.length} ]`;
  if (isMembers(value)) return `{ ${Object.keys(value).length} }`;
  const text = JSON.stringify(value) ?? "";
  return text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text;
}

export function valueType(value: unknown): "list" | "object" | "text" | "number" | "boolean" | "null" {
  if (Array.isArray(value)) return "list";
  if (value === null || value === undefined) return "null";
  if (typeof value === "string") return "text";
  return typeof value === "number" ? "number" : typeof value === "boolean" ? "boolean" : "object";
}
