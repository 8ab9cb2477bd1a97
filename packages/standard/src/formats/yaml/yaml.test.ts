import { exchangeOf, optionsOf } from "@sluice/testkit";
import { expect, test } from "vitest";
import { yaml } from "./yaml.ts";

const format = yaml.create(optionsOf(yaml));
const read = (body: unknown): unknown => format.unmarshal(body, exchangeOf(body));
const write = (body: unknown): unknown => format.marshal(body, exchangeOf(body));

test("scalars have the core schema's types", () => {
  expect(read("a: 1\nb: -2.5e1\nc: true\nd: ~\ne: \nf: '1'\ng: yes\nh: 0x1F\ni: .inf\nj: 12345678901234567890\nk: 2026-01-01\nl: 007\n")).toEqual({
    a: 1,
    b: -25,
    c: true,
    d: null,
    e: null,
    f: "1",
    g: "yes",
    h: 31,
    i: Infinity,
    j: 12345678901234567890n,
    k: "2026-01-01",
    l: 7,
  });
  expect(read("- x\n- [1, {k: v}]\n")).toEqual(["x", [1, { k: "v" }]]);
  expect(read(new TextEncoder().encode("plain"))).toBe("plain");
  expect(read("")).toBeNull();
});

test.each([["a: [1"], ["a: !!java/object x"], ["a: 1\na: 2"], [`${"[".repeat(200)}${"]".repeat(200)}`], [`a: &a [x]\nb: [${"*a,".repeat(60)}]`]])(
  "%j is rejected with its position",
  (text) => {
    expect(() => read(text)).toThrowError(
      expect.objectContaining({ code: "invalid-yaml", message: expect.stringMatching(/line \d+, column \d+/), details: { clientFault: true } }),
    );
  },
);

test("lists and maps of plain values are written on one line, others in blocks", () => {
  expect(write({ a: 1 })).toBe("{a: 1}\n");
  expect(write({ a: 1, b: { c: ["x", true] }, d: "yes: no" })).toBe('a: 1\nb:\n  c: [x, true]\nd: "yes: no"\n');
  expect(yaml.create(optionsOf(yaml, { prettyFlow: "true" })).marshal({ a: [1] }, exchangeOf())).toBe("a:\n  - 1\n");
});

test("a circular value is rejected", () => {
  const body: unknown[] = [];
  body.push(body);
  expect(() => write(body)).toThrowError(expect.objectContaining({ code: "limit-size" }));
});

test("written YAML is read back unchanged", () => {
  const value = { text: "a: b\n# c", number: 1.5, list: [null, true, "true", "1", ""], map: { "": { "x y": [] } } };
  expect(read(write(value))).toEqual(value);
});

test("a list is written item by item, with the same text as if it were written at once", () => {
  const list = [{ a: 1 }, { b: { c: ["x"] } }, [1, [2]], [], {}, "two\nlines", null, "- x", 5];
  const text = write(list);
  expect(text).toBe('- {a: 1}\n- b:\n    c: [x]\n- - 1\n  - [2]\n- []\n- {}\n- |-\n  two\n  lines\n- null\n- "- x"\n- 5\n');
  expect(read(text)).toEqual(list);
  expect(write([])).toBe("[]\n");
  expect(write([1, "a"])).toBe("[1, a]\n");
});

test("a list may be long, but a single value may not", () => {
  const records = Array.from({ length: 3_000 }, (_, id) => ({ id, tags: ["a", "b"] }));
  expect(write(records)).toBe(records.map(({ id }) => `- id: ${id}\n  tags: [a, b]\n`).join(""));
  expect(() => write({ records })).toThrowError(expect.objectContaining({ code: "limit-size" }));
});

test("long strings are written in double quotes", () => {
  const lines = "# a 'line' \"of\" text: \u0085\u2028\ud800\t\u0000\n".repeat(8_000);
  expect(write({ lines, short: "x" })).toBe(`{"lines": ${JSON.stringify(lines)}, "short": "x"}\n`);
  expect(read(write({ lines: [lines, 1], short: "yes: no" }))).toEqual({ lines: [lines, 1], short: "yes: no" });
  expect(write(lines)).toBe(`${JSON.stringify(lines)}\n`);
});
