// JSON laid out as Camel's default library does it: a member a line, lists in one line.
import { jsonStringEnd } from "@sluice/engine/spi";

const newLine = (depth: number): string => `\n${"  ".repeat(depth)}`;

/** The same JSON, laid out for people; takes compact text as JSON.stringify writes it. */
export function prettyJson(compact: string): string {
  const parts: string[] = [];
  let depth = 0;
  const kinds: string[] = [];
  for (const token of tokensOf(compact)) {
    const isEmpty = parts.at(-1) === "{" || parts.at(-1) === "[";
    if (isEmpty && token !== "}" && token !== "]") parts.push(kinds.at(-1) === "{" ? newLine(depth) : " ");
    if (token === "{" || token === "[") {
      kinds.push(token);
      if (token === "{") depth++;
      parts.push(token);
    } else if (token === "}" || token === "]") {
      kinds.pop();
      if (token === "}") depth--;
      parts.push(isEmpty || token === "]" ? " " : newLine(depth), token);
    } else if (token === ",") parts.push(",", kinds.at(-1) === "{" ? newLine(depth) : " ");
    else parts.push(token === ":" ? " : " : token);
  }
  return parts.join("");
}

function* tokensOf(compact: string): Iterable<string> {
  const token = /[{}[\],:]|[^"{}[\],:]+/y;
  for (let at = 0, end = 0; at < compact.length; at = end) {
    token.lastIndex = at;
    end = token.test(compact) ? token.lastIndex : jsonStringEnd(compact, at);
    yield compact.slice(at, end);
  }
}
