import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Tree } from "../flow/tree.ts";
import { readTree } from "../read/read-tree.ts";
import { applySplice } from "./edit.ts";
import type { Edit } from "./edit.ts";
import type { Path } from "./layout.ts";
import { insertItem, itemText, moveItem, removeItem, removeOption, replaceItem, setOption, setScalar } from "./splice.ts";

const flow = `# orders
- route:
    id: orders   # the id
    from:
      uri: direct:a
      steps:
        # first
        - log: "hello"
        - setBody:
            simple: 'it''s'   # odd

            id: body
        - to: {uri: mock:x, parameters: {name: a}}
        - filter:
            simple: |
              two
              lines
            steps:
              - stop: {}
- from: {uri: direct:b, steps: [{log: x}, {to: mock:y}]}
`;
const steps: Path = [0, "route", "from", "steps"];

function sourceOf(edit: Edit): string {
  if (!edit.ok) throw new Error(edit.reason);
  return edit.source;
}

/** The lines an edit removed and added. */
function difference(before: string, after: string): string[] {
  const oldLines = before.split("\n");
  const newLines = after.split("\n");
  let head = 0;
  while (head < Math.min(oldLines.length, newLines.length) && oldLines[head] === newLines[head]) head++;
  let tail = 0;
  while (tail < Math.min(oldLines.length, newLines.length) - head && oldLines[oldLines.length - 1 - tail] === newLines[newLines.length - 1 - tail]) tail++;
  return [...oldLines.slice(head, oldLines.length - tail).map((line) => `-${line}`), ...newLines.slice(head, newLines.length - tail).map((line) => `+${line}`)];
}

describe("scalars", () => {
  test.each<[Path, string, string[]]>([
    [[0, "route", "id"], "shop", ["-    id: orders   # the id", "+    id: shop   # the id"]],
    [[0, "route", "id"], "a: b", ["-    id: orders   # the id", '+    id: "a: b"   # the id']],
    [[0, "route", "id"], "", ["-    id: orders   # the id", '+    id: ""   # the id']],
    [[0, "route", "id"], "null", ["-    id: orders   # the id", '+    id: "null"   # the id']],
    [[0, "route", "id"], "x #y", ["-    id: orders   # the id", '+    id: "x #y"   # the id']],
    [[...steps, 0, "log"], 'say "hi"', ['-        - log: "hello"', '+        - log: "say \\"hi\\""']],
    [[...steps, 1, "setBody", "simple"], "can't", ["-            simple: 'it''s'   # odd", "+            simple: 'can''t'   # odd"]],
    [[...steps, 2, "to", "uri"], "mock:y", ["-        - to: {uri: mock:x, parameters: {name: a}}", "+        - to: {uri: mock:y, parameters: {name: a}}"]],
    [[...steps, 2, "to", "uri"], "a, b}", ["-        - to: {uri: mock:x, parameters: {name: a}}", '+        - to: {uri: "a, b}", parameters: {name: a}}']],
    [[...steps, 3, "filter", "simple"], "two\nother\n", ["-              lines", "+              other"]],
  ])("%j becomes %j", (path, text, expected) => expect(difference(flow, sourceOf(setScalar(flow, path, text)))).toEqual(expected));

  test("an empty value is replaced", () => {
    expect(sourceOf(setScalar("- a:\n  b: c\n", [0, "a"], "x"))).toBe("- a: x\n  b: c\n");
    expect(sourceOf(setScalar("- a: # note\n", [0, "a"], "x"))).toBe("- a: x # note\n");
  });

  test("several lines become a block", () =>
    expect(sourceOf(setScalar("- log: x\n- log: y\n", [0, "log"], "a\nb\n"))).toBe("- log: |\n    a\n    b\n- log: y\n"));

  test("a path to a missing value or to one that is not a scalar is rejected", () => {
    expect(setScalar(flow, steps, "x").ok).toBe(false);
    expect(setScalar(flow, [9, "x"], "x").ok).toBe(false);
    expect(setScalar("a: [", ["a"], "x").ok).toBe(false);
  });

  test("an anchor is not edited through its alias", () => expect(setScalar("- &a x\n- b: *a\n", [1, "b"], "y").ok).toBe(false));
});

describe("options", () => {
  test("a new one goes after the last, at its indentation", () => {
    expect(difference(flow, sourceOf(setOption(flow, [...steps, 1, "setBody"], "description", "set it")))).toEqual(["+            description: set it"]);
    expect(difference(flow, sourceOf(setOption(flow, [0, "route"], "group", "b2b")))).toEqual(["+    group: b2b"]);
    expect(difference(flow, sourceOf(setOption(flow, [...steps, 2, "to", "parameters"], "size", "5")))).toEqual([
      "-        - to: {uri: mock:x, parameters: {name: a}}",
      "+        - to: {uri: mock:x, parameters: {name: a, size: 5}}",
    ]);
    expect(difference(flow, sourceOf(setOption(flow, [...steps, 3, "filter", "steps", 0, "stop"], "id", "end")))).toEqual([
      "-              - stop: {}",
      "+              - stop: {id: end}",
    ]);
  });

  test("an existing one is replaced", () =>
    expect(difference(flow, sourceOf(setOption(flow, [0, "route"], "id", "z")))).toEqual(["-    id: orders   # the id", "+    id: z   # the id"]));

  test("a document without a final line break gets none", () =>
    expect(sourceOf(setOption("- log:\n    message: x", [0, "log"], "id", "l"))).toBe("- log:\n    message: x\n    id: l"));

  test("removing deletes only its line", () => {
    expect(difference(flow, sourceOf(removeOption(flow, [0, "route"], "id")))).toEqual(["-    id: orders   # the id"]);
    expect(difference(flow, sourceOf(removeOption(flow, [...steps, 2, "to"], "uri")))).toEqual([
      "-        - to: {uri: mock:x, parameters: {name: a}}",
      "+        - to: {parameters: {name: a}}",
    ]);
    expect(difference(flow, sourceOf(removeOption(flow, [...steps, 2, "to"], "parameters")))).toEqual([
      "-        - to: {uri: mock:x, parameters: {name: a}}",
      "+        - to: {uri: mock:x}",
    ]);
    expect(sourceOf(removeOption("- log:\n    message: x\n", [0, "log"], "message"))).toBe("- log:\n    {}\n");
    expect(sourceOf(removeOption("- a: 1\n  b: 2\n", [0], "a"))).toBe("- b: 2\n");
    expect(sourceOf(removeOption("- a: 1\n  b: 2\n", [0], "b"))).toBe("- a: 1\n");
  });
});

describe("items", () => {
  test("a step is inserted with the right indentation", () => {
    expect(difference(flow, sourceOf(insertItem(flow, steps, 0, "stop: {}")))).toEqual(["+        - stop: {}"]);
    expect(difference(flow, sourceOf(insertItem(flow, steps, 2, "setHeader:\n  name: a\n  constant: b\n")))).toEqual([
      "+        - setHeader:",
      "+            name: a",
      "+            constant: b",
    ]);
    expect(difference(flow, sourceOf(insertItem(flow, steps, 4, "log: end")))).toEqual(["+        - log: end"]);
    expect(difference(flow, sourceOf(insertItem(flow, [1, "from", "steps"], 1, "log: m")))).toEqual([
      "-- from: {uri: direct:b, steps: [{log: x}, {to: mock:y}]}",
      "+- from: {uri: direct:b, steps: [{log: x}, {log: m}, {to: mock:y}]}",
    ]);
  });

  test("the first step is inserted into an empty list", () => {
    expect(sourceOf(insertItem("- from:\n    uri: a\n    steps: []\n", [0, "from", "steps"], 0, "log: x"))).toBe(
      "- from:\n    uri: a\n    steps:\n      - log: x\n",
    );
    expect(sourceOf(insertItem("- from:\n    steps:\n    uri: a\n", [0, "from", "steps"], 0, "log: x"))).toBe(
      "- from:\n    steps:\n      - log: x\n    uri: a\n",
    );
    expect(sourceOf(insertItem("- from: {steps: []}\n", [0, "from", "steps"], 0, "log: x"))).toBe("- from: {steps: [{log: x}]}\n");
    expect(sourceOf(insertItem("[]\n", [], 0, "from: {}"))).toBe("- from: {}\n");
  });

  test("removing deletes only the step's lines", () => {
    expect(difference(flow, sourceOf(removeItem(flow, steps, 0)))).toEqual(['-        - log: "hello"']);
    expect(difference(flow, sourceOf(removeItem(flow, steps, 1)))).toEqual([
      "-        - setBody:",
      "-            simple: 'it''s'   # odd",
      "-",
      "-            id: body",
    ]);
    expect(difference(flow, sourceOf(removeItem(flow, [1, "from", "steps"], 1)))).toEqual([
      "-- from: {uri: direct:b, steps: [{log: x}, {to: mock:y}]}",
      "+- from: {uri: direct:b, steps: [{log: x}]}",
    ]);
    expect(difference(flow, sourceOf(removeItem(flow, [...steps, 3, "filter", "steps"], 0)))).toEqual(["-              - stop: {}", "+              []"]);
    expect(sourceOf(removeItem("- a:\n  - b\n", [0, "a"], 0))).toBe("- a:\n   []\n");
  });

  test("a step moves with its comments and back", () => {
    const moved = sourceOf(moveItem(flow, steps, 1, [...steps, 3, "filter", "steps"], 0));
    expect(moved).toContain("              - setBody:\n                  simple: 'it''s'   # odd\n\n                  id: body\n              - stop: {}\n");
    expect(sourceOf(moveItem(moved, [...steps, 2, "filter", "steps"], 0, steps, 1))).toBe(flow);
    expect(moveItem(flow, steps, 3, [...steps, 3, "filter", "steps"], 0).ok).toBe(false);
    expect(sourceOf(moveItem("- log: a # said\n- log: b\n", [], 0, [], 1))).toBe("- log: b\n- log: a # said\n");
    expect(itemText("- [a, b] # c\n", [0], 1)).toBe("b");
  });

  test("steps are replaced", () => {
    expect(difference(flow, sourceOf(replaceItem(flow, steps, 0, "log: {message: hi}")))).toEqual(['-        - log: "hello"', "+        - log: {message: hi}"]);
  });

  test("line endings are preserved", () => {
    const windows = "- log: x\r\n- log: y\r\n";
    expect(sourceOf(insertItem(windows, [], 1, "setBody:\n  simple: z"))).toBe("- log: x\r\n- setBody:\r\n    simple: z\r\n- log: y\r\n");
    expect(sourceOf(removeItem(windows, [], 0))).toBe("- log: y\r\n");
    expect(sourceOf(setScalar(windows, [1, "log"], "z"))).toBe("- log: x\r\n- log: z\r\n");
  });

  test("invalid paths, indexes and steps are rejected", () => {
    expect(insertItem(flow, steps, 99, "log: x").ok).toBe(false);
    expect(insertItem(flow, [0], 0, "log: x").ok).toBe(false);
    expect(insertItem(flow, steps, 0, "log: [").ok).toBe(false);
    expect(removeItem(flow, steps, 99).ok).toBe(false);
  });
});

describe("any edit", () => {
  const scalars: Path[] = [];
  const lists: { path: Path; length: number }[] = [];
  const maps: { path: Path; keys: string[] }[] = [];
  const visit = (tree: Tree, path: Path): void => {
    if (tree.type === "scalar") scalars.push(path);
    if (tree.type === "list") lists.push({ path, length: tree.items.length });
    if (tree.type === "list") tree.items.forEach((item, index) => visit(item, [...path, index]));
    if (tree.type === "map") maps.push({ path, keys: tree.entries.map((entry) => entry.key) });
    if (tree.type === "map") tree.entries.forEach((entry) => visit(entry.value, [...path, entry.key]));
  };
  visit(readTree(flow).tree as Tree, []);
  const text = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.string({ unit: "binary", maxLength: 12 }),
    fc.constantFrom("null", "~", "- x", "a: b", "#", "{{x}}", "${body}\n", " x ", "'", '"', "[", "|", "%", "@", "a\nb", "\n\n"),
  );
  const items = fc.constantFrom(
    "log: x",
    "setBody:\n  simple: y\n  id: z",
    "to: {uri: mock:a}",
    "filter:\n  simple: |\n    a\n    b\n  steps:\n    - stop: {}",
  );
  const edit = fc.oneof(
    fc.tuple(fc.constantFrom(...scalars), text).map(([path, value]) => setScalar(flow, path, value)),
    fc.tuple(fc.constantFrom(...maps), fc.constantFrom("fresh", "a b", "x:y"), text).map(([map, key, value]) => setOption(flow, map.path, key, value)),
    fc.constantFrom(...maps.flatMap((map) => map.keys.map((key) => [map.path, key] as const))).map(([path, key]) => removeOption(flow, path, key)),
    fc.tuple(fc.constantFrom(...lists), fc.nat(), items).map(([list, at, yaml]) => insertItem(flow, list.path, at % (list.length + 1), yaml)),
    fc
      .constantFrom(...lists.flatMap((list) => Array.from({ length: list.length }, (_, index) => [list.path, index] as const)))
      .map(([path, index]) => removeItem(flow, path, index)),
  );

  test("changes one range of text, reads back, and its inverse restores the same bytes", () => {
    let accepted = 0;
    fc.assert(
      fc.property(edit, (result) => {
        if (!result.ok) return;
        accepted++;
        expect(readTree(result.source).diagnostics).toEqual([]);
        expect(applySplice(flow, result.splice)).toBe(result.source);
        expect(applySplice(result.source, result.inverse)).toBe(flow);
        const comments = (source: string): string[] => source.match(/# (orders|the id|first)$/gm) ?? [];
        if (!result.inverse.text.includes("#")) expect(comments(result.source)).toEqual(comments(flow));
      }),
      { numRuns: 150 },
    );
    expect(accepted).toBeGreaterThan(100);
  });

  test("inserting a removed item again restores the same bytes", () => {
    for (const { path, length } of lists.filter((list) => list.length > 1)) {
      for (let index = 0; index < length; index++) {
        const yaml = itemText(flow, path, index) as string;
        const removed = sourceOf(removeItem(flow, path, index));
        if (path.length === 0 || index > 0) expect(sourceOf(insertItem(removed, path, index, yaml))).toBe(flow);
      }
    }
  });
});
