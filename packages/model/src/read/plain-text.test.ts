import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LineTable } from "./line-table.ts";
import { defaultLimits } from "./limits.ts";
import { readPlainText } from "./plain-text.ts";
import { readAnyText, readTree } from "./read-tree.ts";

const plain = (text: string) => readPlainText(text, new LineTable(text), defaultLimits);
const any = (text: string) => readAnyText(text, new LineTable(text), defaultLimits);

/** Checks that a document is either not accepted or read exactly as the library reads it, positions included. Returns whether it was accepted. */
function agrees(text: string): boolean {
  const tree = plain(text);
  if (tree !== undefined) expect({ text, tree, diagnostics: [] }).toEqual({ text, ...any(text) });
  return tree !== undefined;
}

const webhook = `# Takes an event.

- route:
    id: hook
    from:
      uri: webhook
      steps:
        - unmarshal: {json: {}}
        - log: "\${body}"
        - setBody: {constant: ok}
`;

describe("accepted text", () => {
  test.each([
    webhook,
    webhook.trimEnd(),
    "a: 1",
    "a:\n- b\n- c: d\n  e: f\ng: [h, 'i, j', {k: \"l\"}]\n",
    "-  a:   b c\n   d:\n   - e\n-  f\n",
    "a: {}\nb: []\nc: ''\nd: null\n",
    "a: http://host:80/path?query=1#part\nb: x - y, z\nc: it's\nd: ${body} [x] {y}\n",
    "- {a: b:c, d: $e , f: g h}\n",
  ])("%j", (text) => expect(agrees(text)).toBe(true));
});

describe("text left to the library", () => {
  test.each([
    "",
    "a",
    "a:\n",
    "a: b\n\nc: d\n",
    "a: b # why\n",
    "a: b\n# why\nc: d\n",
    "a: b\n  c\n",
    "a: b \n",
    "a: |\n  b\n",
    "a: &b c\n",
    "a: *b\n",
    "a: !b c\n",
    'a: "b\\n"\n',
    "a: 'b''c'\n",
    "a: b: c\n",
    "a: ~\n",
    "null: a\n",
    "<<: a\n",
    "a: b\na: c\n",
    "{a: b, a: c}\n",
    "- {a: b, a: c}\n",
    "- [a: b]\n",
    "- [a,]\n",
    "- {a: b\n",
    "- {a: b} c\n",
    "- a\nb: c\n",
    "a:\n  b: c\n d: e\n",
    "--- \na: b\n",
    "a: b\r\n",
    "a:\tb\n",
    "a: ä\n",
    "- a\n".repeat(1 + defaultLimits.keys / 4),
    `a: ${"[".repeat(21)}${"]".repeat(21)}\n`,
  ])("%j", (text) => expect(plain(text)).toBeUndefined());

  test("any text when the depth limit is lower than the reader requires", () =>
    expect(readPlainText("a: b", new LineTable("a: b"), { ...defaultLimits, depth: 10 })).toBeUndefined());
});

test("a byte order mark moves the offsets only", () => {
  expect(readTree(`\uFEFF${webhook}`).tree?.span).toMatchObject({ line: 3, column: 1, start: 20 });
});

test("agrees with the library about the examples and accepts some of them", () => {
  const folder = new URL("../../../../examples/", import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".yaml"));
  expect(files.filter((name) => agrees(readFileSync(new URL(name, folder), "utf8"))).length).toBeGreaterThan(1);
});

const word = fc.constantFrom(
  "a",
  "b c",
  "x:y",
  "1.5",
  "/p?q=r",
  "${h}",
  "$h",
  "'q, r'",
  '"d: e"',
  "a#b",
  "null",
  "it's",
  "a - b",
  "a, b",
  "p[0]",
  "(x)",
  "a =b",
  "50%",
  "a ?b",
);
const space = fc.constantFrom("", " ", "  ");
const { flow } = fc.letrec<{ flow: string }>((tie) => ({
  flow: fc.oneof(
    { maxDepth: 3 },
    word,
    fc.tuple(fc.array(tie("flow"), { maxLength: 3 }), space).map(([items, gap]) => `[${gap}${items.join(`${gap},${gap}`)}${gap}]`),
    fc
      .tuple(fc.array(tie("flow"), { maxLength: 3 }), space)
      .map(([values, gap]) => `{${gap}${values.map((value, index) => `${"abc"[index]}: ${gap}${value}`).join(`${gap},`)}${gap}}`),
  ),
}));
/** Lines of a block, without indentation. */
const { block } = fc.letrec<{ block: readonly string[] }>((tie) => {
  const below = fc
    .tuple(tie("block"), fc.integer({ min: 0, max: 3 }))
    .map(([lines, indent]) => ["", ...lines.map((line) => " ".repeat(indent) + line)] as readonly string[]);
  const value = fc.oneof(
    { maxDepth: 4 },
    flow.map((text) => [` ${text}`] as readonly string[]),
    below,
  );
  const entries = fc.array(value, { minLength: 1, maxLength: 3 }).map((values) => values.flatMap(([first, ...rest], at) => [`k${at}:${first}`, ...rest]));
  const dashed = ([first = "", ...rest]: readonly string[]): string[] => [`- ${first}`, ...rest.map((line) => `  ${line}`)];
  const items = fc.array(
    fc.oneof(
      { maxDepth: 4 },
      flow.map((text) => [text] as readonly string[]),
      tie("block"),
    ),
    { minLength: 1, maxLength: 3 },
  );
  return {
    block: fc.oneof(
      entries,
      items.map((all) => all.flatMap(dashed)),
    ),
  };
});

test("agrees with the library about documents of every layout", () => {
  let accepted = 0;
  fc.assert(
    fc.property(block, fc.boolean(), (lines, ends) => void (accepted += Number(agrees(lines.join("\n") + (ends ? "\n" : ""))))),
    { numRuns: 1500 },
  );
  expect(accepted).toBeGreaterThan(150);
});

test("agrees with the library about damaged documents", () => {
  const damage = fc.constantFrom("", " ", "\n", "#", " #", "-", ":", ": ", ",", "'", '"', "{", "]", "a", "\n\n", "\n ", "&a ", "|", "\t");
  fc.assert(
    fc.property(block, fc.nat(), fc.nat({ max: 2 }), damage, (lines, position, removed, inserted) => {
      const text = `${lines.join("\n")}\n`;
      const at = position % text.length;
      agrees(text.slice(0, at) + inserted + text.slice(at + removed));
    }),
    { numRuns: 1500 },
  );
});
