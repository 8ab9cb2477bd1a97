// Pretty-prints JSON like Camel's default library: one member per line, lists on one line.
import { jsonStringEnd } from "@sluice/engine/values";
import { maxPayloadBytes, payloadError } from "../format-input.ts";

const newLine = (depth: number): string => `\n${"  ".repeat(depth)}`;

const tokensPerStep = 1_000;

/** Pretty-prints compact JSON text in slices. */
export function* prettyJsonInSteps(compact: string): Generator<undefined, string> {
  const lines: string[] = [];
  let parts: string[] = [];
  let count = 0;
  let depth = 0;
  const kinds: string[] = [];
  let size = 0;
  const finish = (finished: readonly string[]): void => {
    const text = finished.join("");
    size += text.length;
    // Indentation can make deeply nested objects a thousand times as long.
    if (size > maxPayloadBytes) throw payloadError("the body with line breaks and indentation");
    lines.push(text);
  };
  for (const token of tokensOf(compact)) {
    if (++count % tokensPerStep === 0) {
      // The last part determines how the next token is separated.
      finish(parts.slice(0, -1));
      parts = parts.slice(-1);
      yield undefined;
    }
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
  finish(parts);
  return lines.join("");
}

/** Like {@link prettyJsonInSteps}, but synchronous. */
export function prettyJson(compact: string): string {
  const steps = prettyJsonInSteps(compact);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function* tokensOf(compact: string): Iterable<string> {
  const token = /[{}[\],:]|[^"{}[\],:]+/y;
  for (let at = 0, end = 0; at < compact.length; at = end) {
    token.lastIndex = at;
    end = token.test(compact) ? token.lastIndex : jsonStringEnd(compact, at);
    yield compact.slice(at, end);
  }
}
