import { describe, expect, test } from "vitest";
import { addEntry, expandScalar, renameKey, scalarYaml, setAt, setYamlAt, valueText } from "./entry.ts";
import { applySplice, type Edit } from "./edit.ts";

const flow = `# orders
- route:
    from:
      uri: direct:a
      steps:
        - log: "it's \${body}" # said
        - filter:
            simple: \${body}
            # inside
            steps:
              - log: |
                  two
                  lines
        - to: direct:b
        - choice: {}
        - marshal:
        - from: {uri: a, steps: [{log: x}]}
`;
const steps = [0, "route", "from", "steps"] as const;

function sourceOf(edit: Edit, source = flow): string {
  if (!edit.ok) throw new Error(edit.reason);
  expect(applySplice(source, edit.splice)).toBe(edit.source);
  expect(applySplice(edit.source, edit.inverse)).toBe(source);
  return edit.source;
}

/** The added and the removed lines. */
function difference(after: string): string[] {
  const before = flow.split("\n");
  const lines = after.split("\n");
  return [
    ...before.filter((line) => !lines.includes(line)).map((line) => `-${line}`),
    ...lines.filter((line) => !before.includes(line)).map((line) => `+${line}`),
  ];
}

describe("entries", () => {
  test("options go before the steps and comments stay in place", () => {
    expect(sourceOf(addEntry(flow, [...steps, 1, "filter"], "id", "gate"))).toContain(
      "simple: ${body}\n            # inside\n            id: gate\n            steps:",
    );
    expect(difference(sourceOf(addEntry(flow, [...steps, 1, "filter"], "id", "gate")))).toEqual(["+            id: gate"]);
  });

  test("a value of any kind is added, on separate lines or between braces", () => {
    expect(difference(sourceOf(addEntry(flow, [...steps, 3, "choice"], "when", "- simple: a\n  steps: []")))).toEqual([
      "-        - choice: {}",
      "+        - choice:",
      "+            when:",
      "+              - simple: a",
      "+                steps: []",
    ]);
    expect(difference(sourceOf(addEntry(flow, [...steps, 4, "marshal"], "json", "prettyPrint: true")))).toEqual([
      "+            json:",
      "+              prettyPrint: true",
    ]);
    expect(difference(sourceOf(addEntry(flow, [...steps, 5, "from"], "parameters", "a: b")))).toEqual([
      "-        - from: {uri: a, steps: [{log: x}]}",
      '+        - from: {uri: a, parameters: {a: "b"}, steps: [{log: x}]}',
    ]);
  });

  test("a renamed key keeps its value and comment", () => {
    expect(difference(sourceOf(renameKey(flow, [...steps, 1, "filter"], "simple", "constant")))).toEqual([
      "-            simple: ${body}",
      "+            constant: ${body}",
    ]);
    expect(renameKey(flow, [...steps, 1, "filter"], "simple", "steps").ok).toBe(false);
  });

  test("a bare string becomes an option", () => {
    expect(difference(sourceOf(expandScalar(flow, [...steps, 0, "log"], "message")))).toEqual([
      '-        - log: "it\'s ${body}" # said',
      "+        - log:",
      '+            message: "it\'s ${body}" # said',
    ]);
    expect(sourceOf(expandScalar(flow, [...steps, 1, "filter", "steps", 0, "log"], "message"))).toContain(
      "              - log:\n                  message: |\n                    two\n                    lines\n        - to",
    );
    expect(sourceOf(expandScalar(flow, [...steps, 5, "from", "steps", 0, "log"], "message"))).toContain("[{log: {message: x}}]");
  });

  test("a value is written at its path, creating missing mappings", () => {
    const shorthands = new Map([[steps.length + 2, "uri"]]);
    expect(difference(sourceOf(setAt(flow, [...steps, 2, "to", "parameters", "timeout"], "5", shorthands)))).toEqual([
      "-        - to: direct:b",
      "+        - to:",
      "+            uri: direct:b",
      "+            parameters:",
      "+              timeout: 5",
    ]);
    expect(difference(sourceOf(setAt(flow, [...steps, 1, "filter", "simple"], "a: b")))).toEqual([
      "-            simple: ${body}",
      '+            simple: "a: b"',
    ]);
    expect(setAt(flow, [...steps, 2, "to", "id"], "x").ok).toBe(false);
    expect(difference(sourceOf(setYamlAt(flow, [...steps, 1, "filter", "simple"], "expression: x\ntrim: false")))).toEqual([
      "-            simple: ${body}",
      "+            simple:",
      "+              expression: x",
      "+              trim: false",
    ]);
  });

  test("values are read and written as YAML text", () => {
    expect(valueText(flow, [...steps, 1, "filter", "steps"])).toBe("- log: |\n    two\n    lines");
    expect(scalarYaml("a: b")).toBe('"a: b"');
    expect(scalarYaml("a\nb")).toBe("|-\n  a\n  b");
    expect(scalarYaml("")).toBe('""');
  });
});
