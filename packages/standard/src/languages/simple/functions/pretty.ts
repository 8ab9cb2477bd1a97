// Pretty-prints text: JSON with tabs, XML with two spaces per level. Other text is unchanged.
import { FlowError, isFlowError } from "@sluice/engine/spi";
import { asJson, asText, checkTextLength, longJson, parsePlainJson } from "@sluice/engine/values";

/** JSON indented with tabs and a newline at the end. */
function prettyJson(value: unknown): string {
  if (hasMoreValuesThan(value, maxLines))
    throw new FlowError("java.lang.IllegalStateException", `time limit: the JSON has more than ${maxLines} values`, { code: "limit-time" });
  return `${asJson(value, "\t")}\n`;
}

/** Compact JSON with escaped slashes, as Camel writes it; text is unchanged. */
export function compactJson(value: unknown): string {
  return typeof value === "string" || value instanceof Uint8Array ? asText(value) : asJson(value).replaceAll("/", "\\/");
}

/** Pretty-prints JSON or XML text; null for text that starts like JSON but is not. */
export function prettyText(value: unknown): string | null {
  if (typeof value === "object" && value !== null && !(value instanceof Uint8Array)) return prettyJson(value);
  const text = asText(value);
  const start = text.trimStart();
  if (start.startsWith("{") || start.startsWith("[")) {
    try {
      return prettyJson(parseValue(value, text));
    } catch (error) {
      if (isFlowError(error)) throw error;
      return null;
    }
  }
  return start.startsWith("<") ? prettyXml(start.trimEnd()) : text;
}

/** The value parsed before the step, or the text parsed now. */
function parseValue(value: unknown, text: string): unknown {
  const ahead = typeof value === "string" || value instanceof Uint8Array ? longJson(value) : undefined;
  if (ahead?.isExact !== true) return parsePlainJson(text);
  if (ahead.error !== undefined) throw ahead.error;
  return ahead.value;
}

function hasMoreValuesThan(value: unknown, limit: number): boolean {
  const pending: object[] = typeof value === "object" && value !== null ? [value] : [];
  let count = 0;
  for (let inner = pending.pop(); inner !== undefined; inner = pending.pop()) {
    const items: readonly unknown[] = Array.isArray(inner) ? inner : Object.values(inner);
    if ((count += items.length) > limit) return true;
    for (const item of items) if (typeof item === "object" && item !== null) pending.push(item);
  }
  return false;
}

/** Maximum number of tags and text nodes, or of JSON values, about a tenth of a second of work. */
const maxLines = 200_000;

/** Every tag and every text node on its own line. */
function prettyXml(text: string): string {
  const lines: string[] = [];
  let depth = 0;
  let length = 0;
  for (let at = 0; at < text.length;) {
    const end = endOfPiece(text, at);
    const piece = text.slice(at, end).trim();
    at = end;
    if (piece === "") continue;
    if (piece.startsWith("</")) depth = Math.max(0, depth - 1);
    lines.push("  ".repeat(Math.min(depth, 100)) + piece);
    if (lines.length > maxLines)
      throw new FlowError("java.lang.IllegalStateException", `time limit: the XML has more than ${maxLines} tags and text nodes`, { code: "limit-time" });
    checkTextLength((length += piece.length + 2 * Math.min(depth, 100)));
    if (/^<[^/!?]/.test(piece) && !piece.endsWith("/>")) depth++;
  }
  return lines.join("\n");
}

const brackets: readonly (readonly [string, string])[] = [
  ["<!--", "-->"],
  ["<![CDATA[", "]]>"],
  ["<", ">"],
];

function endOfPiece(text: string, at: number): number {
  const bracket = brackets.find(([open]) => text.startsWith(open, at));
  const sign = bracket?.[1] ?? "<";
  const found = text.indexOf(sign, at + 1);
  return found < 0 ? text.length : bracket === undefined ? found : found + sign.length;
}
