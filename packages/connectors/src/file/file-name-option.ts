// Options with expressions, evaluated per file or message: `done/${file:name}`, `out-${date:now:yyyyMMdd}.txt`. The
// value of an expression can never point outside the directory; literal text in the option may.
import { posix } from "node:path";
import { CompileError, isCompileError, Exchange, Headers, Message, Run, type EndpointScope, type Expression } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import { fileError } from "./file-path.ts";

/** The subject of an evaluation: a file that was found, or the message to write. */
interface NamedFile {
  /** The file's name relative to the endpoint's directory. */
  readonly name: string;
  readonly size?: number;
  readonly modified?: number;
  readonly exchange?: Exchange;
}

export type FileNameOption = (file: NamedFile) => string;

export function fileNameOption(option: string, text: string, scope: EndpointScope): FileNameOption {
  if (!hasExpressions(text)) return () => text;
  const parts: (string | Expression)[] = [];
  for (let rest = text; rest !== "";) {
    const begin = rest.search(/\$(?:simple)?\{/);
    parts.push(begin < 0 ? rest : rest.slice(0, begin));
    if (begin < 0) break;
    const end = endOfExpression(rest, begin);
    if (end < 0) throw new CompileError("bad-option", `'\${' in ${option} has no closing '}'`);
    parts.push(expressionOf(option, rest.slice(begin, end), scope));
    rest = rest.slice(end);
  }
  return (file) => {
    const exchange = exchangeFor(file, scope);
    return parts.map((part) => (typeof part === "string" ? part : requireContained(asText(part(exchange))))).join("");
  };
}

export function hasExpressions(text: string): boolean {
  return text.includes("${") || text.includes("$simple{");
}

/** End of the expression that starts here, including nested ones; -1 when it is not closed. */
function endOfExpression(text: string, begin: number): number {
  let depth = 0;
  for (let at = text.indexOf("{", begin); at < text.length; at++) {
    if (text[at] === "{") depth++;
    if (text[at] === "}" && --depth === 0) return at + 1;
  }
  return -1;
}

function expressionOf(option: string, text: string, scope: EndpointScope): Expression {
  try {
    return scope.expression(text);
  } catch (error) {
    if (!isCompileError(error)) throw error;
    throw new CompileError("bad-option", `'${text}' cannot be used in ${option}: ${error.message}`, {
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    });
  }
}

/** The exchange for expressions: the message to write, if any, with the file name in its headers. */
function exchangeFor({ name, size, modified, exchange }: NamedFile, { route }: EndpointScope): Exchange {
  const headers = exchange?.message.headers.copy() ?? new Headers();
  headers.set("CamelFileName", name);
  headers.set("CamelFileNameOnly", posix.basename(name));
  if (size !== undefined) headers.set("CamelFileLength", size);
  if (modified !== undefined) headers.set("CamelFileLastModified", modified);
  const run = exchange?.run ?? new Run("", route, 0, { uri: "" });
  const fileExchange = new Exchange(exchange?.id ?? "", run, "InOnly", new Message(exchange?.message.body ?? null, headers));
  fileExchange.properties = exchange?.properties;
  fileExchange.variables = exchange?.variables;
  return fileExchange;
}

/** A value may name a subfolder, but neither a parent folder nor an absolute path. */
function requireContained(text: string): string {
  if (text.includes("\0") || /^([/\\]|[A-Za-z]:)/.test(text) || text.split(/[/\\]/).includes(".."))
    throw fileError("file name rejected: a value in it is an absolute path, or contains '..' or a NUL character", "file-name-refused");
  return text;
}
