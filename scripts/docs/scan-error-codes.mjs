// Finds error codes in the sources: every CompileError, FlowError, ServiceError and diagnostic with its message, whose variable parts are shown as `…`.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const codeWord = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

/** `{code, kind, message, package}` of each occurrence, in file order. */
export function scanErrorCodes(root, packages) {
  return packages.flatMap((name) =>
    sources(join(root, "packages", name, "src")).flatMap((file) => codesOf(readFileSync(file, "utf8")).map((found) => ({ ...found, package: name }))),
  );
}

export function sources(folder) {
  return readdirSync(folder)
    .toSorted()
    .flatMap((name) => {
      const path = join(folder, name);
      if (statSync(path).isDirectory()) return sources(path);
      return name.endsWith(".ts") && !/\.(test|test-support|d)\.ts$/.test(name) ? [path] : [];
    });
}

function codesOf(text) {
  const found = [];
  for (const match of text.matchAll(/\b(CompileError|FlowError|ServiceError|report|fault|problem)\(/g)) {
    const values = argumentsAt(text, match.index + match[0].length);
    if (match[1] === "FlowError") {
      const code = /\bcode: "([a-z0-9-]+)"/.exec(values[2] ?? "")?.[1];
      const message = shapeOf(values[1]);
      const type = /^"([\w.]+)"$/.exec(values[0] ?? "")?.[1];
      if (code !== undefined && message !== undefined) found.push({ code, kind: "run", message, type });
      continue;
    }
    const code = /^"([^"]+)"$/.exec(values[0] ?? "")?.[1];
    const message = shapeOf(values[1]);
    if (code !== undefined && codeWord.test(code) && message !== undefined) found.push({ code, kind: match[1] === "ServiceError" ? "api" : "flow", message });
  }
  for (const match of text.matchAll(/\bcode: "(yaml-[a-z-]+|claim-[a-z-]+)",\s*(?:severity: "\w+",\s*)?message(?:: ([`"]))?/g)) {
    const message = match[2] === undefined ? "" : shapeOf(argumentsAt(text, match.index + match[0].length - 1)[0]);
    found.push({ code: match[1], kind: "flow", message: message ?? "" });
  }
  return found;
}

/** The source text of each argument of a call; `start` is after the opening parenthesis. */
function argumentsAt(text, start) {
  const values = [];
  let depth = 0;
  let from = start;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '"' || character === "'" || character === "`") at = stringEnd(text, at);
    else if ("([{".includes(character)) depth++;
    else if (")]}".includes(character) && depth-- === 0) return [...values, text.slice(from, at).trim()].filter((value) => value !== "");
    else if (character === "," && depth === 0) {
      values.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  return values;
}

function stringEnd(text, start) {
  const quote = text[start];
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (quote === "`" && text.startsWith("${", at)) at = placeholderEnd(text, at + 2);
    else if (text[at] === quote) return at;
  }
  return text.length;
}

function placeholderEnd(text, start) {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if ("\"'`".includes(text[at])) at = stringEnd(text, at);
    else if (text[at] === "{") depth++;
    else if (text[at] === "}" && depth-- === 0) return at;
  }
  return text.length;
}

/** The text of a literal with `…` for placeholders; the first literal of a conditional or a call; undefined when there is none. */
function shapeOf(source) {
  if (source === undefined) return undefined;
  const start = source.search(/["'`]/);
  if (start === -1) return undefined;
  const end = stringEnd(source, start);
  let shape = "";
  for (let at = start + 1; at < end; at++) {
    if (source[at] === "\\") shape += source[++at] === "n" ? " " : source[at];
    else if (source[start] === "`" && source.startsWith("${", at)) {
      at = placeholderEnd(source, at + 2);
      shape += "…";
    } else shape += source[at];
  }
  return shape;
}
