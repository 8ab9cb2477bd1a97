// JSON text ⇄ values, keeping whole numbers that a double cannot hold: they are bigint in a message.
import { invalidInput } from "../format-input.ts";

const longNumber = /\d{16}/;
const mark = "\u0000n";
const writtenMark = String.raw`\u0000n`;

/** The value of a JSON text; throws a FlowError with line and column. */
export function parseJson(text: string): unknown {
  try {
    if (!longNumber.test(text) || text.includes(writtenMark)) return JSON.parse(text) as unknown;
    const marked = text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\s*:)/g, (token) =>
      /^-?[1-9]\d{15,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${writtenMark}${token}"` : token,
    );
    if (marked === text) return JSON.parse(text) as unknown;
    return JSON.parse(marked, (_key, value: unknown) =>
      typeof value === "string" && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
    ) as unknown;
  } catch (cause) {
    throw invalidInput("json", describeFault(text, cause), cause);
  }
}

/** The JSON text of a value: maps as objects, sets as lists, bytes as text, bigint as a number. */
export function writeJson(value: unknown): string {
  let hasBig = false;
  const text = JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === "bigint") {
      hasBig = true;
      return mark + String(inner);
    }
    return plain(inner);
  });
  if (text === undefined) return "null";
  return hasBig ? text.replaceAll(/"\\u0000n(-?\d+)"/g, "$1") : text;
}

const decoder = new TextDecoder();

function plain(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Set) return [...value];
  if (value instanceof Uint8Array) return decoder.decode(value);
  return value instanceof Error ? value.message : value;
}

function describeFault(text: string, cause: unknown): string {
  if (text.trim() === "") return "the body is no JSON: it is empty";
  if (cause instanceof RangeError) return "the body is no JSON: it is nested too deeply";
  const offset = faultOffset(text);
  const before = text.slice(0, offset);
  const found = offset >= text.length ? "it ends too early" : `unexpected ${JSON.stringify(text.slice(offset, offset + 1))}`;
  return `the body is no JSON: ${found} at line ${before.split("\n").length}, column ${offset - before.lastIndexOf("\n")}`;
}

/** Where a text stops being JSON. The engine's own message names the place only sometimes. */
function faultOffset(text: string): number {
  // oxlint-disable-next-line no-control-regex
  const token = /([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
  const open: string[] = [];
  let expected = "value";
  for (let at = skipBlanks(text, 0); at < text.length; at = skipBlanks(text, token.lastIndex)) {
    token.lastIndex = at;
    const match = token.exec(text);
    if (match === null) return at;
    const next = following(match[1] ?? (match[2] === undefined ? "value" : "text"), expected, open);
    if (next === undefined) return at;
    expected = next;
  }
  return text.length;
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
