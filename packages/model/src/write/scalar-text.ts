// Ways to write a string as a YAML scalar. Which one is valid at a position is determined by parsing the result.

/** Ways to write `text`, the author's previous style first. `indent` is that of the key or item it belongs to. */
export function* scalarTexts(text: string, written: string, indent: string, lineEnd: string): Generator<string> {
  const style = written.charAt(0);
  if (style === "'" && isSingleLine(text)) yield quoteSingle(text);
  if (style === '"') yield quoteDouble(text);
  if (style !== "'" && style !== '"' && isSingleLine(text) && text.trim() === text && text !== "") yield text;
  if (text.includes("\n") && !/[\r\0]/.test(text)) yield blockLiteral(text, `${indent}  `, lineEnd);
  yield quoteDouble(text);
}

const isSingleLine = (text: string): boolean => !/[\r\n]/.test(text);

function quoteSingle(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** JSON strings are valid YAML, except for a few characters that YAML requires to be escaped. */
function quoteDouble(text: string): string {
  return JSON.stringify(text).replaceAll(/[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function blockLiteral(text: string, indent: string, lineEnd: string): string {
  const chomping = text.endsWith("\n") ? (text.endsWith("\n\n") ? "+" : "") : "-";
  const body = text.endsWith("\n") ? text.slice(0, -1) : text;
  return `|${chomping}${lineEnd}${body
    .split("\n")
    .map((line) => (line === "" ? "" : indent + line))
    .join(lineEnd)}`;
}
