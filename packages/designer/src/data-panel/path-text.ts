// How each expression language writes the path to a value of the message.
import type { DataPath, DataRoot, MessageData } from "./message-data.ts";

type Names = DataPath["names"];
type WritePath = (path: DataPath, data: Pick<MessageData, "format">) => string | undefined;

const isName = (name: string): boolean => /^[A-Za-z_$][\w$]*$/.test(name);
const quote = (name: string): string => `'${name.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/** `.order['first name'][0]`, as in JavaScript, JSONPath and Groovy. */
const dotted = (names: Names): string =>
  names.map((name) => (typeof name === "number" ? `[${name}]` : isName(name) ? `.${name}` : `[${quote(name)}]`)).join("");

const simpleName = (name: string): string => (/^[\w$-]+$/.test(name) ? `.${name}` : `[${name}]`);

function simplePath({ root, names }: DataPath, { format }: Pick<MessageData, "format">): string {
  if (root === "body" && format === "xml") return `xpath(${xmlPath(names)})`;
  return root + names.map((name) => (typeof name === "number" ? `[${name}]` : simpleName(name))).join("");
}

/** Elements, attributes and text; positions start at 1. */
function xmlPath(names: Names): string {
  const path = names.map((name) => (typeof name === "number" ? `[${name + 1}]` : name === "#text" ? "/text()" : `/${name}`)).join("");
  return path === "" ? "/" : path;
}

function jqPath({ root, names }: DataPath): string | undefined {
  if (root === "body") {
    const path = names.map((name) => (typeof name === "number" ? `[${name}]` : isName(name) ? `.${name}` : `.${JSON.stringify(name)}`)).join("");
    return path.startsWith(".") ? path : `.${path}`;
  }
  const reader = root === "exchangeProperty" ? "property" : root;
  return names.length === 1 ? `${reader}(${JSON.stringify(names[0])})` : undefined;
}

const jsonataRoots: Readonly<Record<DataRoot, string>> = { body: "", header: "$headers", variable: "$variables", exchangeProperty: "$properties" };

function jsonataPath({ root, names }: DataPath): string {
  const path = names.map((name) => (typeof name === "number" ? `[${name}]` : isName(name) ? `.${name}` : `.\`${name}\``)).join("");
  return root === "body" ? (path === "" ? "$" : path.startsWith("[") ? `$${path}` : path.slice(1)) : jsonataRoots[root] + path;
}

const scriptRoots: Readonly<Record<DataRoot, string>> = { body: "body", header: "headers", variable: "variables", exchangeProperty: "properties" };

const jsPath: WritePath = ({ root, names }, { format }) => {
  if (root === "body" && format === "xml") return undefined;
  return (root === "body" && format === "json" ? "JSON.parse(body)" : scriptRoots[root]) + dotted(names);
};

/** Groovy does not parse JSON text. */
const groovyPath: WritePath = ({ root, names }, { format }) =>
  root === "body" && names.length > 0 && format !== "data" ? undefined : scriptRoots[root] + dotted(names);

const nameOf =
  (expectedRoot: DataRoot): WritePath =>
  ({ root, names }) =>
    root === expectedRoot && names.length === 1 ? String(names[0]) : undefined;

const unlessXml =
  (write: (path: DataPath) => string | undefined): WritePath =>
  (path, { format }) =>
    path.root === "body" && format === "xml" ? undefined : write(path);

const writers: Readonly<Record<string, WritePath>> = {
  simple: (path, data) => `\${${simplePath(path, data)}}`,
  csimple: (path, data) => `\${${simplePath(path, data)}}`,
  jsonpath: unlessXml(({ root, names }) => (root === "body" ? `$${dotted(names)}` : undefined)),
  jq: unlessXml(jqPath),
  jsonata: unlessXml(jsonataPath),
  js: jsPath,
  javascript: jsPath,
  groovy: groovyPath,
  xpath: ({ root, names }, { format }) => (root === "body" && format === "xml" ? xmlPath(names) : undefined),
  xquery: ({ root, names }, { format }) => (root === "body" && format === "xml" ? xmlPath(names) : undefined),
  header: nameOf("header"),
  variable: nameOf("variable"),
  exchangeProperty: nameOf("exchangeProperty"),
};

/** The expression that reads the value; undefined when the language cannot. */
export const pathText = (language: string, path: DataPath, data: Pick<MessageData, "format">): string | undefined =>
  // Columns of CSV text have no path until a step has parsed it.
  path.root === "body" && path.names.length > 0 && data.format === "csv" ? undefined : writers[language]?.(path, data);

/** The text with a value's path inserted at the caret. Inside an open `${`, the path is inserted without its own `${`. */
export function insertPath(
  language: string,
  path: DataPath,
  data: Pick<MessageData, "format">,
  text: string,
  from: number,
  to: number,
): { readonly text: string; readonly caret: number } | undefined {
  const expression = pathText(language, path, data);
  if (expression === undefined) return undefined;
  const before = text.slice(0, from);
  const isInside = expression.startsWith("${") && before.lastIndexOf("${") > before.lastIndexOf("}");
  const inserted = isInside ? expression.slice(2, text.slice(to).startsWith("}") ? -1 : undefined) : expression;
  return { text: before + inserted + text.slice(to), caret: from + inserted.length };
}
