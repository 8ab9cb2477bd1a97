// Text laid out for reading: JSON with tabs, XML with two blanks a level. Other text stays as it is.
import { asJson, asText, checkTextLength } from "@sluice/engine/spi";

/** JSON with a tab a level and a newline at the end. */
function prettyJson(value: unknown): string {
  return `${asJson(value, "\t")}\n`;
}

/** Compact JSON with slashes escaped, as Camel writes it; text is taken as it is. */
export function compactJson(value: unknown): string {
  return typeof value === "string" || value instanceof Uint8Array ? asText(value) : asJson(value).replaceAll("/", "\\/");
}

/** Lays out JSON or XML text; null when text that begins like JSON is none. */
export function prettyText(value: unknown): string | null {
  const text = asText(value);
  const start = text.trimStart();
  if (typeof value === "object" && !(value instanceof Uint8Array)) return prettyJson(value);
  if (start.startsWith("{") || start.startsWith("[")) {
    try {
      return prettyJson(JSON.parse(text) as unknown);
    } catch {
      return null;
    }
  }
  return start.startsWith("<") ? prettyXml(start.trimEnd()) : text;
}

/** Every tag and every text on a line of its own. */
function prettyXml(text: string): string {
  const lines: string[] = [];
  let depth = 0;
  let length = 0;
  for (let at = 0; at < text.length;) {
    const end = endOfPiece(text, at);
    const shown = text.slice(at, end).trim();
    at = end;
    if (shown === "") continue;
    if (shown.startsWith("</")) depth = Math.max(0, depth - 1);
    lines.push("  ".repeat(Math.min(depth, 100)) + shown);
    checkTextLength((length += shown.length + 2 * Math.min(depth, 100)));
    if (/^<[^/!?]/.test(shown) && !shown.endsWith("/>")) depth++;
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
