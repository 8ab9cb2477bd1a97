// Masks values with secret names in previews, traces and stored messages. Works on text, because a preview may be truncated anywhere;
// supports JSON (including JSON inside strings), XML and form data.
import { masked } from "./secret-headers.ts";

const secretName = /pass(?:word|wd|phrase|code)|secret|credential|tokens?$|api[-_]?key|(?:private|access|signing|encryption)[-_]?key|^pwd$|^authorization$/i;
/** A fast check: most bodies contain none of these words. */
const anySecret = /pass(?:word|wd|phrase|code)|secret|credential|token|key|pwd|authorization/i;

/** A quoted name and its colon; the number of backslashes is the nesting depth in JSON strings. */
const jsonName = /(\\*)"([^"\\]{1,100})\1"\s{0,100}:\s{0,100}/g;
const jsonList = /\[[^\]{]*/y;
const jsonScalar = /[^,}\]\s]*/y;
const jsonUnmasked = /^(?:null|true|false)?$/;
const xmlElement = /(<(?:[\w.-]{1,100}:)?([\w.-]{1,100})(?:\s[^<>]{0,2000})?>)(?:<!\[CDATA\[[^]*?(?:\]\]>|$)|[^<]+)/g;
const xmlAttribute = /(\s(?:[\w.-]{1,100}:)?([\w.-]{1,100})\s{0,20}=\s{0,20})(?:"[^"<]*"?|'[^'<]*'?)/g;
const formField = /((?:^|[&?;])([^=&?;\s"'<>{}]{1,100})=)([^&;\s"'<>]*)/g;

/** Masks secret values in text of any of these formats. */
export function maskMembers(text: string): string {
  if (!anySecret.test(text)) return text;
  let shown = text.includes('"') ? maskJson(text) : text;
  if (shown.includes("<")) shown = replaceNamed(replaceNamed(shown, xmlElement, masked), xmlAttribute, `"${masked}"`);
  return shown.includes("=") ? replaceNamed(shown, formField, masked) : shown;
}

/** Like {@link maskMembers}, for data: masks members with secret names, and secrets in strings. */
export function maskMembersOf(value: unknown): unknown {
  if (typeof value === "string") return maskMembers(value);
  if (Array.isArray(value)) return value.map(maskMembersOf);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, isSecretScalar(name, inner) ? masked : maskMembersOf(inner)]));
}

function isSecretScalar(name: string, value: unknown): boolean {
  const isScalar = typeof value === "string" || typeof value === "number" || (Array.isArray(value) && value.every((item) => typeof item !== "object"));
  return isScalar && secretName.test(name);
}

/** In the patterns, group 1 is the part before the value and group 2 the name. */
function replaceNamed(text: string, pattern: RegExp, replacement: string): string {
  return text.replaceAll(pattern, (match: string, prefix: string, name: string) => (secretName.test(decodeName(name)) ? prefix + replacement : match));
}

function decodeName(name: string): string {
  if (!name.includes("%")) return name;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function maskJson(text: string): string {
  let shown = "";
  let from = 0;
  jsonName.lastIndex = 0;
  for (let found = jsonName.exec(text); found !== null; found = jsonName.exec(text)) {
    if (!secretName.test(found[2] as string)) continue;
    const quote = `${found[1] as string}"`;
    const start = jsonName.lastIndex;
    const end = endOfValue(text, start, quote);
    if (end === start) continue;
    shown += `${text.slice(from, start)}${quote}${masked}${quote}`;
    from = jsonName.lastIndex = end;
  }
  return from === 0 ? text : shown + text.slice(from);
}

/** The end of a secret value; `start` for values that are not masked: objects, whose members are checked separately, and empty values. */
function endOfValue(text: string, start: number, quote: string): number {
  if (text.startsWith(quote, start)) return endOfString(text, start + quote.length, quote);
  if (text[start] === "{") return start;
  if (text[start] === "[") {
    jsonList.lastIndex = start;
    const end = start + (jsonList.exec(text)?.[0].length ?? 0);
    return text[end] === "{" ? start : Math.min(end + 1, text.length);
  }
  jsonScalar.lastIndex = start;
  const scalar = jsonScalar.exec(text)?.[0] ?? "";
  return jsonUnmasked.test(scalar) ? start : start + scalar.length;
}

/** The position after the closing quote; the end of the text if it was truncated. */
function endOfString(text: string, start: number, quote: string): number {
  for (let at = text.indexOf(quote, start); at >= 0; at = text.indexOf(quote, at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === "\\") slashes++;
    // At the top level an even number of backslashes escapes nothing; deeper, the quote has exactly its own backslashes.
    if (quote.length === 1 ? slashes % 2 === 0 : slashes === 0) return at + quote.length;
  }
  return text.length;
}
