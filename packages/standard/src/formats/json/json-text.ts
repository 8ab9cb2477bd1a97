// JSON text ⇄ values, keeping whole numbers that a double cannot hold: they are bigint in a message.
import { asJson, longestWholeNumber, LongNumberError, parseJsonText } from "@sluice/engine/spi";
import { invalidInput } from "../format-input.ts";

/** The value of a JSON text; throws a FlowError with line and column. */
export function parseJson(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch (cause) {
    throw invalidInput("json", describeFault(text, cause), cause);
  }
}

/** The JSON text of a value: maps as objects, sets as lists, bytes as text, bigint as a number. */
export function writeJson(value: unknown): string {
  return asJson(value) || "null";
}

function describeFault(text: string, cause: unknown): string {
  if (text.trim() === "") return "the body is no JSON: it is empty";
  if (cause instanceof LongNumberError) return `the body is no JSON that can be read: a whole number in it has more than ${longestWholeNumber} digits`;
  if (cause instanceof RangeError) return "the body is no JSON: it is nested too deeply";
  const offset = faultOffset(text);
  const before = text.slice(0, offset);
  const found = offset >= text.length ? "it ends too early" : `unexpected ${JSON.stringify(text.slice(offset, offset + 1))}`;
  return `the body is no JSON: ${found} at line ${before.split("\n").length}, column ${offset - before.lastIndexOf("\n")}`;
}

/** Where a text stops being JSON. The engine's own message names the place only sometimes. */
function faultOffset(text: string): number {
  const token = /([{}[\],:])|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
  const open: string[] = [];
  let expected = "value";
  let end = 0;
  for (let at = skipBlanks(text, 0); at < text.length; at = skipBlanks(text, end)) {
    const isText = text[at] === '"';
    token.lastIndex = at;
    const match = isText ? null : token.exec(text);
    end = isText ? textEnd(text, at) : token.lastIndex;
    if (end <= at) return at;
    const next = following(isText ? "text" : (match?.[1] ?? "value"), expected, open);
    if (next === undefined) return at;
    expected = next;
  }
  return text.length;
}

// oxlint-disable-next-line no-control-regex
const textPart = /[^"\\\u0000-\u001f]{1,5000}|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Behind the quote that closes a well-formed text; -1 when it is not. */
function textEnd(text: string, opening: number): number {
  let at = opening + 1;
  for (textPart.lastIndex = at; textPart.test(text); at = textPart.lastIndex);
  return text[at] === '"' ? at + 1 : -1;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (/[ \t\r\n]/.test(text.charAt(at))) at++;
  return at;
}

/** What may come after a token, or undefined when the token itself may not stand there. */
function following(token: string, expected: string, open: string[]): string | undefined {
  const afterValue = (): string => (open.length === 0 ? "nothing" : "comma");
  if (expected === "colon") return token === ":" ? "value" : undefined;
  if (token === "}" || token === "]") {
    const isFirst = expected === (token === "}" ? "first key" : "first value");
    if (open.pop() !== (token === "}" ? "{" : "[") || !(isFirst || expected === "comma")) return undefined;
    return afterValue();
  }
  if (expected === "comma") return token === "," ? (open.at(-1) === "{" ? "key" : "value") : undefined;
  if (expected === "key" || expected === "first key") return token === "text" ? "colon" : undefined;
  if (expected === "nothing" || token === "," || token === ":") return undefined;
  if (token === "{" || token === "[") {
    open.push(token);
    return token === "{" ? "first key" : "first value";
  }
  return afterValue();
}
