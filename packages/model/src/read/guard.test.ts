import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultLimits } from "./limits.ts";
import { readTree } from "./read-tree.ts";

const { bytes } = defaultLimits;
const lines = (count: number, line: (index: number) => string): string => Array.from({ length: count }, (_, index) => line(index)).join("\n");
const bomb = "abcdefghi".split("").map(
  (name, index) =>
    `- &${name} [${Array(9)
      .fill(index === 0 ? "x" : `*${"abcdefghi"[index - 1]}`)
      .join(", ")}]`,
);

describe("malicious input is rejected or read", () => {
  test.each<[string, string, string | undefined]>([
    ["opening brackets", "[".repeat(100_000), "yaml-limit"],
    ["opening braces", "{".repeat(100_000), "yaml-limit"],
    ["braces in brackets", "[{a: ".repeat(50_000), "yaml-limit"],
    ["explicit keys", "? ".repeat(100_000), "yaml-limit"],
    ["list items on one line", "- ".repeat(100_000), "yaml-limit"],
    ["values on one line", ": ".repeat(100_000), "yaml-limit"],
    ["keys on one line", "a: ".repeat(100_000), "yaml-limit"],
    ["keys and items on one line", "a: - ".repeat(100_000), "yaml-limit"],
    ["explicit keys and items", "? - ".repeat(100_000), "yaml-limit"],
    ["pairs in a flow list", `[${"a: ".repeat(30_000)}]`, "yaml-limit"],
    ["closing brackets", "]".repeat(bytes - 1), "yaml-unexpected-token"],
    ["closing brackets on lines", "]\n".repeat(bytes / 2 - 1), "yaml-unexpected-token"],
    ["anchors and aliases", "&a *a ".repeat(Math.floor(bytes / 6)), "yaml-limit"],
    ["an alias bomb", bomb.join("\n"), "yaml-limit"],
    ["nesting through aliases", `- &a0 x\n${lines(90, (index) => `- &a${index + 1} ${"[".repeat(20)}*a${index}${"]".repeat(20)}`)}`, "yaml-limit"],
    ["a map of 90,000 keys on one line", `{${lines(90_000, (index) => `k${index}: v,`)}}`.replaceAll("\n", " "), "yaml-limit"],
    ["deep indentation", lines(1400, (index) => `${" ".repeat(index)}a:`), "yaml-limit"],
    ["deep indentation of items", lines(1000, (index) => `${" ".repeat(index)}-`), "yaml-limit"],
    ["deep indentation of explicit keys", lines(1000, (index) => `${" ".repeat(index)}?`), "yaml-limit"],
    ["20,000 long log steps", `- from:\n    uri: direct:a\n    steps:\n${`      - log: ${"x".repeat(230)}\n`.repeat(20_000)}`, "yaml-limit"],
    ["20,000 short log steps", `- from:\n    uri: direct:a\n    steps:\n${"      - log: x\n".repeat(20_000)}`, "yaml-limit"],
    ["line ends", "\n".repeat(bytes - 1), "yaml-limit"],
    ["comments", "#\n".repeat(bytes / 2), "yaml-limit"],
    ["commas", `[${",".repeat(bytes - 3)}]`, "yaml-limit"],
    ["documents", "---\n".repeat(bytes / 4), "yaml-multi-document"],
    ["tags", "! ".repeat(bytes / 2), "yaml-tag"],
    ["directives", "%\n".repeat(40_000), "yaml-tag"],
    ["single quotes", "'".repeat(bytes - 2), undefined],
    ["line ends in quotes", `'${"\n".repeat(bytes - 3)}'`, undefined],
    ["a long plain text in a flow list", `[${"a ".repeat(bytes / 2 - 4)}]`, undefined],
    ["a long block of spaces", `a: |\n${" \n".repeat(bytes / 2 - 4)}`, undefined],
    ["a mapping after every error", lines(3900, (index) => `${" ".repeat((index % 2) * 3)}a: b`), "yaml-block-as-implicit-key"],
  ])("%s", (_, text, code) => {
    const { tree, diagnostics } = readTree(text);
    expect(diagnostics[0]?.code).toBe(code);
    expect(tree === undefined).toBe(code !== undefined);
    expect(diagnostics.length).toBeLessThanOrEqual(50);
  });

  test("a document over the size limit is not scanned", () => {
    expect(readTree("é".repeat(600), { bytes: 1000 }).diagnostics[0]).toMatchObject({
      code: "yaml-limit",
      message: "limit exceeded: the document is larger than 1000 bytes",
    });
    expect(readTree(`"${"é".repeat(490)}"`, { bytes: 1000 }).diagnostics).toEqual([]);
  });
});

test("quotes, comments and block scalars do not count as nesting", () => {
  const brackets = "[".repeat(300);
  const text = `# ${brackets}\na: "${brackets}"\nb: '${brackets}'\nc: |\n  ${brackets}\n${lines(150, (index) => `  ${" ".repeat(index)}- x`)}\nd: plain ${brackets}\n`;
  expect(readTree(text).diagnostics).toEqual([]);
});

test("nesting within the limit is read, deeper nesting is not", () => {
  expect(readTree(`${"[".repeat(99)}${"]".repeat(99)}`).diagnostics).toEqual([]);
  expect(readTree(`${"[".repeat(101)}${"]".repeat(101)}`).diagnostics[0]?.code).toBe("yaml-limit");
  expect(readTree(lines(99, (index) => `${"  ".repeat(index)}a:`)).diagnostics).toEqual([]);
});

test.each([
  ["!!js/function 'x'", "!!js/function"],
  ["- a: !!python/object/apply:os.system [ls]", "!!python/object/apply:os.system"],
  ["- !foo bar", "!foo"],
  ["- !!str x", "!!str"],
  ["%TAG ! tag:evil,2000:\n---\n- x", "%TAG ! tag:evil,2000:"],
])("%s is rejected with the name of its tag", (text, name) => {
  const { diagnostics } = readTree(text);
  expect(diagnostics.map((fault) => fault.code)).toEqual(["yaml-tag"]);
  expect(diagnostics[0]?.message).toContain(`'${name}'`);
});

test.each(["- a\n---\n- b\n", "---\n- a\n---\n", "- a\n...\n", "--- a\n--- b\n"])("several documents in %j are rejected", (text) =>
  expect(readTree(text).diagnostics.map((fault) => fault.code)).toEqual(["yaml-multi-document"]),
);

test("a single document may start with a document marker", () => expect(readTree("%YAML 1.2\n---\n- a\n").diagnostics).toEqual([]));

test.each([
  ["- a\0b", "U+0000", 4],
  ["- \x1bx", "U+001B", 3],
  ["- \ud800x", "U+D800", 3],
  ["- \x7f", "U+007F", 3],
  ["- \ufffe", "U+FFFE", 3],
])("the control character in %j is reported with its position", (text, name, column) => {
  const [fault] = readTree(text).diagnostics;
  expect(fault).toMatchObject({ code: "yaml-control-character", span: { line: 1, column } });
  expect(fault?.message).toContain(name);
});

test("never throws on text that consists of YAML's special characters", () => {
  const signs = fc.constantFrom(
    "[",
    "]",
    "{",
    "}",
    "- ",
    "? ",
    ": ",
    "a",
    ",",
    "\n",
    "  ",
    "&a ",
    "*a",
    "'",
    '"',
    "|",
    ">",
    "#",
    "\t",
    "<<",
    "!",
    "%",
    "---",
    "~",
    "\r\n",
    "@",
  );
  fc.assert(
    fc.property(fc.array(signs, { maxLength: 60 }), (pieces) => {
      const { tree, diagnostics } = readTree(pieces.join(""));
      expect(tree === undefined).toBe(diagnostics.length > 0);
      for (const fault of diagnostics) expect(fault.code).toMatch(/^yaml-/);
    }),
    { numRuns: 2000 },
  );
});
