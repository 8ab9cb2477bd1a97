import { describe, expect, test } from "vitest";
import type { Tree } from "../flow/tree.ts";
import { readTree } from "../read/read-tree.ts";
import { errorSpan, spanInText, type ErrorSubject } from "./error-span.ts";

/** The text at the reported position, to the end of its line. */
function textAtSpan(source: string, owner: string, subject: ErrorSubject): string {
  const { tree } = readTree(source);
  const start = source.indexOf(owner);
  const at = { line: 1, column: 1, endLine: 1, endColumn: 1, start, end: start + owner.length };
  const span = errorSpan(tree, source, at, subject);
  const line = source.split("\n")[span.line - 1] as string;
  return span === at ? "the owner" : line.slice(span.column - 1);
}

const flow = `- from:
    uri: "timer:t?period=soon"
    parameters:
      delay: nowhere
    steps:
      - split:
          stopOnException: true
          inner: {deep: {ref: nowhere}}
          steps:
            - log: {message: nowhere, level: x}
- beans:
    - name: x
      type: com.acme.Thing
`;

describe("position of an error found after binding", () => {
  test.each<[string, string, ErrorSubject, string]>([
    ["an option by name", "split:", { option: "stopOnException" }, "stopOnException: true"],
    ["an option inside another", "split:", { option: "ref" }, "ref: nowhere}}"],
    ["an option by its text", "split:", { value: "nowhere" }, "nowhere}}"],
    ["the name before the text", "split:", { option: "deep", value: "true" }, "deep: {ref: nowhere}}"],
    ["the text when the name does not exist", "split:", { option: "gone", value: "true" }, "true"],
    ["ignores options of nested steps", "split:", { option: "level" }, "the owner"],
    ["falls back to the owner for unknown text", "split:", { value: "elsewhere" }, "the owner"],
    ["a mapping that begins with its first key", "name: x", { value: "com.acme.Thing" }, "com.acme.Thing"],
    ["a parameter of an endpoint", '"timer', { option: "delay" }, "delay: nowhere"],
    ["ignores steps after an endpoint", '"timer', { option: "stopOnException", value: "true" }, "the owner"],
    ["an offset within a string", '"timer', { value: "timer:t?period=soon", offset: 15 }, 'soon"'],
  ])("%s", (_, owner, subject, expected) => expect(textAtSpan(flow, owner, subject)).toBe(expected));
});

describe("position of a character in a string", () => {
  const positionOf = (source: string, offset: number): string => {
    const entry = (readTree(source).tree as Extract<Tree, { type: "map" }>).entries[0]?.value as Extract<Tree, { type: "scalar" }>;
    const { line, column } = spanInText(source, entry.span, entry.text as string, offset);
    return `${line}:${column}`;
  };

  test.each([
    ["plain", "a: 1 + x", 4, "1:8"],
    ["in double quotes", 'a: "1 + x"', 4, "1:9"],
    ["in single quotes", "a: '1 + x'", 4, "1:9"],
    ["shows the last character for an offset after it", "a: '1 +'", 3, "1:7"],
    ["not found in a string with an escape", 'a: "1\\u0020+ x"', 4, "1:4"],
    ["not found in a string over two lines", "a: '1\n   + x'", 4, "1:4"],
    ["a block, first line", "a: |\n  1 +\n  x\n", 2, "2:5"],
    ["a block, second line", "a: |\n  1 +\n  x\n", 4, "3:3"],
    ["not found in a folded block", "a: >\n  1 +\n  x\n", 4, "1:4"],
    ["beyond the text", "a: 1", 9, "1:4"],
  ])("%s", (_, source, offset, expected) => expect(positionOf(source, offset)).toBe(expected));
});
