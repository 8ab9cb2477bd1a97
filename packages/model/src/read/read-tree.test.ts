import { expect, test } from "vitest";
import type { Tree } from "../flow/tree.ts";
import { readTree } from "./read-tree.ts";

function read(text: string): Tree {
  const { tree, diagnostics } = readTree(text);
  if (tree === undefined) throw new Error(JSON.stringify(diagnostics));
  return tree;
}

/** The tree as plain data without positions. */
function plain(tree: Tree): unknown {
  if (tree.type === "scalar") return tree.text;
  return tree.type === "list" ? tree.items.map(plain) : tree.entries.map((entry) => [entry.key, plain(entry.value)]);
}

test.each(["007", "1e3", "yes", "no", "2026-01-01", "0x10", "true", "1_000", ".inf", "Null", "0o17", "12:30:00", "+1"])("%s keeps its source text", (word) => {
  expect(plain(read(`- id: ${word}`))).toEqual([[["id", word]]]);
});

test("only a missing value, null and ~ are null", () => {
  expect(plain(read("a:\nb: null\nc: ~\nd: ''\ne: \"null\"\nf: '~'\ng: |\n"))).toEqual([
    ["a", null],
    ["b", null],
    ["c", null],
    ["d", ""],
    ["e", "null"],
    ["f", "~"],
    ["g", ""],
  ]);
});

test("quoting is recorded, escapes are decoded", () => {
  const tree = read(`- plain\n- 'it''s'\n- "a\\tb\\u00e9"\n- |\n  two\n  lines\n- >-\n  folded\n  text\n`);
  expect(plain(tree)).toEqual(["plain", "it's", "a\tbé", "two\nlines\n", "folded text"]);
  expect(tree.type === "list" && tree.items.map((item) => item.type === "scalar" && item.quoted)).toEqual([false, true, true, true, true]);
});

test("keys of Object.prototype are plain text", () => {
  expect(plain(read("__proto__: {polluted: 1}\nconstructor: {prototype: {polluted: 1}}\n"))).toEqual([
    ["__proto__", [["polluted", "1"]]],
    ["constructor", [["prototype", [["polluted", "1"]]]]],
  ]);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

test("aliases share the content of their anchor", () => {
  const tree = read("- &steps [a, b]\n- *steps\n- {x: *steps, y: &word w, z: *word}\n");
  expect(plain(tree)).toEqual([
    ["a", "b"],
    ["a", "b"],
    [
      ["x", ["a", "b"]],
      ["y", "w"],
      ["z", "w"],
    ],
  ]);
  expect(tree.type === "list" && tree.items[0]).toBe(tree.type === "list" && tree.items[1]);
});

test("a redefined anchor refers to the latest definition", () => expect(plain(read("- &a x\n- *a\n- &a y\n- *a\n"))).toEqual(["x", "x", "y", "y"]));

test.each([
  ["\uFEFF- log: x\n", { line: 1, column: 3, start: 3 }],
  ["- from:\r\n    uri: a\r\n    steps: b\r\n", { line: 2, column: 5, start: 13 }],
  ["# c\n\n- é: x\n", { line: 3, column: 3, start: 7 }],
])("positions are correct in %j", (text, expected) => {
  const tree = read(text);
  const item = tree.type === "list" ? tree.items[0] : undefined;
  const entry = item?.type === "map" ? item.entries[0] : undefined;
  const inner = entry?.value.type === "map" ? entry.value.entries[0] : entry;
  expect(inner?.keySpan).toMatchObject(expected);
  expect(text.slice(inner?.keySpan.start, inner?.keySpan.end)).toBe(inner?.key);
});

test("spans cover the scalar as written", () => {
  const text = `- log: "a b"\n- to: {uri: 'x'}\n`;
  const tree = read(text);
  const [first, second] = tree.type === "list" ? tree.items : [];
  const value = first?.type === "map" ? first.entries[0]?.value : undefined;
  expect(text.slice(value?.span.start, value?.span.end)).toBe('"a b"');
  const to = second?.type === "map" ? second.entries[0]?.value : undefined;
  expect(text.slice(to?.span.start, to?.span.end)).toBe("{uri: 'x'}");
});

test("empty and comment-only documents are null", () => {
  for (const text of ["", "   ", "# only\n# comments\n", "---\n", "\uFEFF"]) expect(plain(read(text))).toBeNull();
});

test.each([
  ["a: 1\nb: 2\na: 3\n", "yaml-duplicate-key", 3, 1, "duplicate key 'a' in one mapping"],
  ["x: {k: 1, k: 2}", "yaml-duplicate-key", 1, 11, "duplicate key 'k' in one mapping"],
  ["base: &b {a: 1}\nother:\n  <<: *b\n", "yaml-merge-key", 3, 3, "the merge key '<<' is not supported"],
  ["- *nowhere\n", "yaml-alias", 1, 3, "the alias '*nowhere' has no anchor '&nowhere' that ends before it"],
  ["- &a [*a]\n", "yaml-alias", 1, 7, "the alias '*a' has no anchor '&a' that ends before it"],
  ["? [a, b]\n: c\n", "yaml-key", 1, 3, "a key must be plain text"],
  [": x\n", "yaml-key", 1, 1, "a key is missing before ':'"],
  ["null: x\n", "yaml-key", 1, 1, "a key is missing before ':'"],
])("%j is rejected", (text, code, line, column, message) => {
  expect(readTree(text).diagnostics).toMatchObject([{ code, message, span: { line, column }, severity: "error" }]);
});

test.each([
  ["- from:\n    uri: x\n   steps: y\n", 3],
  ["a:\n\tb: c\n", 2],
  ['- setBody: {simple: "x"\n- log: y\n', 2],
  ["a: 'open\nb: c\n", 1],
  ["a: b: c\n", 1],
])("the syntax error in %j is found on its line", (text, line) => {
  const { tree, diagnostics } = readTree(text);
  expect(tree).toBeUndefined();
  expect(diagnostics[0]?.code).toMatch(/^yaml-/);
  expect(diagnostics[0]?.span.line).toBe(line);
});

test("all errors are collected, not only the first", () =>
  expect(readTree("a: 1\na: 2\nb: {c: 1, c: 2}\n? [x]\n: y\n").diagnostics.map((fault) => fault.code)).toEqual([
    "yaml-duplicate-key",
    "yaml-duplicate-key",
    "yaml-key",
  ]));

test("a string without a closing quote is reported where it starts", () =>
  expect(readTree('- a: ok\n- log: "x\n- setBody: {constant: y}\n').diagnostics).toMatchObject([
    { code: "yaml-missing-char", message: 'the string that starts here has no closing quote: "', span: { line: 2, column: 8 } },
  ]));

const steps = [
  '- log: "one"',
  '- setHeader: {name: a, simple: "${body}"}',
  "- log: 'single'",
  '- setBody: {simple: "{\\"a\\": 1}"}',
  "- choice:",
  "    when:",
  "      - simple: \"${body} == 'x'\"",
  "        steps: [{log: two}]",
  '- to: "direct:b"',
];
const route = (lines: readonly string[]): string =>
  ["- route:", "    id: orders", "    from:", '      uri: "direct:orders"', "      steps:", ...lines.map((line) => `        ${line}`), ""].join("\n");
const brokenRoute = (written: string, replaced: string): string => route(steps.map((line) => line.replace(written, replaced)));

test.each([
  ["a closing double quote is missing", '"one"', '"one', 6],
  ["an opening double quote is missing", '"${body}"}', '${body}"}', 7],
  ["a closing double quote is missing in a mapping", '"${body}"}', '"${body}}', 7],
  ["a closing single quote is missing", "'single'", "'single", 8],
  ["a quote before escaped quotes is missing", 'simple: "{', "simple: {", 9],
  ["a quote after escaped quotes is missing", '1}"}', "1}}", 9],
  ["a closing brace is missing", '"${body}"}', '"${body}"', 8],
  ["there are two closing braces", '"${body}"}', '"${body}"}}', 7],
  ["a closing bracket is missing", "[{log: two}]", "[{log: two}", 14],
  ["there are two closing brackets", "[{log: two}]", "[{log: two}]]", 13],
  ["an item is indented too little", "- choice:", "\b- choice:", 10],
  ["a line is indented with a tab", "    when:", "\t    when:", 11],
  ["a value begins with a reserved character", "'single'", "@single", 8],
  ["a text contains a colon", "'single'", "a: b", 8],
  ["an alias has no anchor", "'single'", "*nowhere", 8],
  ["a key is duplicate", "{name: a, simple", "{name: b, name: a, simple", 7],
])("exactly one error, on its line, when %s", (_what, written, replaced, line) => {
  const text = brokenRoute(written, replaced).replace(" \b", "");
  expect(text).not.toBe(route(steps));
  expect(readTree(text).diagnostics.map(({ span }) => span.line)).toEqual([line]);
});

test("separate errors of a document with the right structure are all reported", () => {
  const text = route(["- log: @a", "- log: ok", "- log: `b`", '- log: "\\q"']);
  expect(readTree(text).diagnostics.map(({ span }) => span.line)).toEqual([6, 8, 9]);
  const semantic = brokenRoute("'single'", "*nowhere").replace("    id: orders", "    id: orders\n    id: again");
  expect(readTree(semantic).diagnostics.map(({ code, span }) => [code, span.line])).toEqual([
    ["yaml-duplicate-key", 3],
    ["yaml-alias", 9],
  ]);
});

test("a tab is reported without the errors that follow from it", () =>
  expect(readTree("- route:\n\tid: x\n").diagnostics).toMatchObject([{ code: "yaml-tab-as-indent", span: { line: 2 } }]));

test("a flow whose line breaks were removed is reported once, with the cause", () => {
  const flow = "- route:\n    id: a\n    from:\n      uri: webhook\n      steps:\n        - log: x\n";
  expect(readTree(flow.replaceAll("\n", "")).diagnostics).toMatchObject([{ hint: expect.stringContaining("use -T file or --data-binary @file") }]);
  expect(readTree("- a: b: c\n").diagnostics).toMatchObject([{ hint: expect.stringContaining("quote text that contains ': '") }]);
});

test("an unquoted placeholder is reported with a hint", () =>
  expect(readTree("a: {{name}}\n").diagnostics[0]).toMatchObject({ code: "yaml-key", hint: "quote a value that starts with '{{'" }));

test.each([
  ["- log: got: x\n", "quote text that contains ': ', or align this line with its neighbors"],
  ["a: 1\n- b\n", "write ': ' after the key, or align this line with its neighbors"],
])("%j is reported with a hint", (text, hint) => expect(readTree(text).diagnostics[0]).toMatchObject({ hint }));
