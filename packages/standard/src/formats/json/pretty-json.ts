// Pretty-prints JSON like Camel's default library: one member per line, lists on one line.
import { jsonStringEnd, BlockTextBuilder } from "@sluice/engine/values";
import { maxPayloadBytes, payloadError } from "../format-input.ts";

const newLine = (depth: number): string => `\n${"  ".repeat(depth)}`;

/** Pretty-prints compact JSON text in slices. */
export function* prettyJsonIncrementally(compact: string): Generator<undefined, string> {
  // Indentation can make deeply nested objects a thousand times as long.
  const text = new BlockTextBuilder((length) => {
    if (length > maxPayloadBytes) throw payloadError("the body with line breaks and indentation");
  });
  let last = "";
  const add = (part: string): void => {
    text.add(part);
    last = part;
  };
  let depth = 0;
  const kinds: string[] = [];
  for (const token of tokensOf(compact)) {
    if (text.isFull) yield text.finishBlock();
    const isEmpty = last === "{" || last === "[";
    if (isEmpty && token !== "}" && token !== "]") add(kinds.at(-1) === "{" ? newLine(depth) : " ");
    if (token === "{" || token === "[") {
      kinds.push(token);
      if (token === "{") depth++;
      add(token);
    } else if (token === "}" || token === "]") {
      kinds.pop();
      if (token === "}") depth--;
      add(isEmpty || token === "]" ? " " : newLine(depth));
      add(token);
    } else if (token === ",") {
      add(",");
      add(kinds.at(-1) === "{" ? newLine(depth) : " ");
    } else add(token === ":" ? " : " : token);
  }
  return text.end();
}

/** Like {@link prettyJsonIncrementally}, but synchronous. */
export function prettyJson(compact: string): string {
  const steps = prettyJsonIncrementally(compact);
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
