// Finds the expression around a position of YAML: its language and where its text starts on that line.

export interface ExpressionAt {
  readonly language: string;
  /** Column of the first character of the expression on the line. */
  readonly column: number;
}

const languages = "simple|csimple|jsonpath|jq|jsonata|js|javascript|groovy|xpath|xquery|header|variable|exchangeProperty";
const onLine = new RegExp(String.raw`(?:^|[\s{,-])["']?(${languages})["']?\s*:\s*["']?`, "g");
const blockOwner = new RegExp(String.raw`^\s*(?:- )*["']?(${languages})["']?\s*:\s*([|>].*)?$`);
const expressionKey = /(?:^|[\s{,-])expression\s*:\s*["']?/g;

/** `lines` are the lines up to the position; the last one ends there. Undefined outside an expression; `${` in any other text is Simple. */
export function expressionAt(lines: readonly string[]): ExpressionAt | undefined {
  const line = lines.at(-1) ?? "";
  const match = lastMatch(onLine, line);
  if (match !== undefined && !/[|>][+-]?$/.test(line.slice(match.end).trim())) return { language: match.name, column: match.end };
  const owner = ownerOf(lines);
  if (owner !== undefined) {
    const written = lastMatch(expressionKey, line);
    return { language: owner, column: written?.end ?? line.length - line.trimStart().length };
  }
  return line.lastIndexOf("${") > line.lastIndexOf("}") ? { language: "simple", column: 0 } : undefined;
}

function lastMatch(pattern: RegExp, line: string): { readonly name: string; readonly end: number } | undefined {
  const match = [...line.matchAll(pattern)].at(-1);
  return match === undefined ? undefined : { name: match[1] ?? "", end: match.index + match[0].length };
}

/** The language of a block of text, or of a mapping with `expression`, that the last line belongs to. */
function ownerOf(lines: readonly string[]): string | undefined {
  let indent = indentOf(lines.at(-1) ?? "");
  for (let at = lines.length - 2; at >= 0; at--) {
    const line = lines[at] ?? "";
    if (line.trim() === "" || indentOf(line) >= indent) continue;
    const owner = blockOwner.exec(line);
    if (owner !== null) return owner[1];
    if (!/^\s*expression\s*:\s*[|>]/.test(line)) return undefined;
    indent = indentOf(line);
  }
  return undefined;
}

const indentOf = (line: string): number => line.length - line.trimStart().length;
