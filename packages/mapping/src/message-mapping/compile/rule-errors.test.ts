// Tests which documents and messages are rejected, and the fields that the errors name.
import { describe, expect, it } from "vitest";
import { compileMapping } from "../compile-mapping.ts";
import { environmentOf, evaluate, jsonRules, problemsOf, runMapping } from "../mapping-under-test.test-support.ts";

const errorsOf = (document: unknown, body: unknown, environment = environmentOf()): readonly string[] =>
  runMapping(document, body, { environment }).errors.map(({ message }) => message);

describe("invalid properties", () => {
  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ["part", { parts: { p: { map: [], mapp: [] } } }, "part 'p': unknown property 'mapp' (did you mean 'map'?)"],
    ["function", { functions: { f: { args: [], expr: "1", arg: [] } } }, "function 'f': unknown property 'arg' (did you mean 'args'?)"],
    ["variable", { vars: [{ name: "v", expr: "1", scale: 2 }] }, "$v: unknown property 'scale'"],
    ["sort", { map: [{ to: "x[]", forEach: "l", sort: { by: "n", descending: true }, from: "n" }] }, "x[]: sort: unknown property 'descending'"],
    ["pattern", { map: [{ to: "x", from: "a", pattern: { regex: "a" } }] }, "x: 'pattern' must be a string"],
    ["pattern", { map: [{ to: "x", from: "a", pattern: 5 }] }, "x: 'pattern' must be a string"],
  ])("of a %s are rejected", (_what, members, fault) => {
    expect(problemsOf({ ...jsonRules(), ...members })).toEqual([fault]);
  });
});

it("a document has at most 20,000 rules", () => {
  const rules = Array.from({ length: 20_000 }, (_, index) => ({ to: `f${index}`, value: 1 }));
  const properties = Object.fromEntries(rules.map(({ to }) => [to, {}]));
  const document = { ...jsonRules(...rules), target: { format: "json", schema: { type: "object", properties, required: Object.keys(properties) } } };
  expect(compileMapping(document, environmentOf())).toMatchObject({ problems: [], warnings: [] });
  expect(problemsOf(jsonRules(...rules, { to: "last", value: 1 }))).toEqual(["the document has more than 20000 rules (a part counts once for each use)"]);
});

describe("literal patterns", () => {
  it.each([
    ["matches(a, '(')", "the regular expression '(' is invalid"],
    ["replacePattern(a, '[', '')", "the regular expression '[' is invalid"],
    ["extract(a, '(a)\\\\1')", "back-references are not supported"],
    ["formatDate(a, 'QQQ')", "the date pattern 'QQQ' is invalid"],
    ["parseDate(a, 'QQQ')", "the date pattern 'QQQ' is invalid"],
    ["formatNumber(a, 'abc')", "'abc' is not a number pattern"],
  ])("are checked at compile time: %s", (expr, fault) => {
    expect(problemsOf(jsonRules({ to: "x", expr }))).toEqual([expect.stringContaining(`x: `)]);
    expect(problemsOf(jsonRules({ to: "x", expr }))[0]).toContain(fault);
  });

  it("are checked at run time when they come from a message", () => {
    expect(problemsOf(jsonRules({ to: "x", expr: "matches(a, p)" }))).toEqual([]);
    expect(errorsOf(jsonRules({ to: "x", expr: "matches(a, p)" }), { a: "x", p: "(" })[0]).toContain("the regular expression '(' is invalid");
  });
});

describe("errors", () => {
  const environment = environmentOf({ uom: { columns: ["shop", "sap"], rows: [["piece", "ST"]] } });
  const lookup = { table: "uom", key: "unit", from: "shop", to: "sap" };

  it("of a switch name the source of the chosen case", () => {
    const cases = [{ when: "kind == 'lookup'", lookup }, { when: "kind == 'path'", from: "unit" }, { value: "fixed" }];
    const document = jsonRules({ to: "a", switch: cases, type: "integer" });
    expect(errorsOf(document, { kind: "lookup", unit: "crate" }, environment)).toEqual([
      `a: no entry for "crate" in value-mapping table 'uom' (shop -> sap) [source unit]`,
    ]);
    expect(errorsOf(document, { kind: "path", unit: "crate" }, environment)).toEqual(['a: expected integer, got "crate" [source unit]']);
    expect(errorsOf(document, { kind: "other" }, environment)).toEqual(['a: expected integer, got "fixed"']);
    const inItems = jsonRules({ to: "a[]", forEach: "l", switch: [{ when: "n > 0", from: "unit" }], type: "integer" });
    expect(
      errorsOf(inItems, {
        l: [
          { n: 1, unit: "1" },
          { n: 1, unit: "x" },
        ],
      }),
    ).toEqual(['a[1]: expected integer, got "x" [source l[1].unit]']);
  });

  it("of a list name the position of each value when all errors are requested", () => {
    const document = { ...jsonRules({ to: "n[]", forEach: "l", from: "$item", type: "integer" }), onError: "all" };
    expect(errorsOf(document, { l: ["x", 1, "y", 2, "z"] })).toEqual([
      'n[0]: expected integer, got "x" [source l[0]]',
      'n[2]: expected integer, got "y" [source l[2]]',
      'n[4]: expected integer, got "z" [source l[4]]',
    ]);
  });

  it("report a number that is not finite instead of writing null", () => {
    const notFinite = "the result is not a finite number";
    expect(errorsOf(jsonRules({ to: "x", from: "n", type: "number" }), { n: "1e400" })).toEqual(['x: expected a number, got "1e400" [source n]']);
    for (const expr of ["n * n", "1e999", "0 - n * n", "sum([n, n]) * n"])
      expect([expr, errorsOf(jsonRules({ to: "x", expr }), { n: 1e300 })]).toEqual([expr, [`x: ${notFinite}`]]);
    expect(errorsOf(jsonRules({ to: "x", expr: "l[*].(n * n)" }), { l: [{ n: 1 }, { n: 1e300 }] })).toEqual([`x: ${notFinite}`]);
    expect(errorsOf(jsonRules({ to: "x[]", forEach: "l", expr: "n * n" }), { l: [{ n: 1 }, { n: 1e300 }] })).toEqual([`x[1]: ${notFinite}`]);
  });
});

describe("limits", () => {
  it("a long chain of operators or names is a problem, not a stack overflow", () => {
    const maxOperands = 500;
    expect(evaluate(Array(maxOperands).fill("1").join("+"))).toBe(maxOperands);
    for (const expr of [Array(4_900).fill("1").join("+"), `a${".b".repeat(4_900)}`, `a${"[0]".repeat(3_000)}`])
      expect(problemsOf(jsonRules({ to: "x", expr }))).toEqual([expect.stringMatching(/^x: more than 500 operators or names in a chain at column \d+ of /)]);
  });

  it("maxLength counts code points", () => {
    const document = jsonRules({ to: "x", from: "a", maxLength: 3 });
    expect(runMapping(document, { a: "😀😀😀" }).output).toEqual({ x: "😀😀😀" });
    expect(errorsOf(document, { a: "😀😀😀😀" })).toEqual(['x: "😀😀😀😀" is longer than 3 characters [source a]']);
  });

  it("the tests of a document share the work limit of one message", () => {
    const map = [{ to: "x", expr: "count(l[*].n)" }];
    const input = { l: Array<number>(100_000).fill(1) };
    const tests = Array.from({ length: 60 }, (_, index) => ({ name: `t${index}`, input, output: { x: 0 } }));
    expect(problemsOf({ ...jsonRules(...map), tests })).toEqual(["tests: all tests together take more than 5000000 steps"]);
    expect(problemsOf({ ...jsonRules(...map), tests: tests.slice(0, 20) })).toEqual([]);
  });
});

describe("a path that begins with a bracketed name", () => {
  it("starts at the current item", () => {
    const document = jsonRules(
      { to: "a", from: "['Order No']" },
      { to: "b", from: "['Order No'].x" },
      { to: "c[]", forEach: "['my lines']", from: "['unit price']" },
      { to: "list", expr: "['Order No']" },
    );
    const body = { "Order No": { x: 1 }, "my lines": [{ "unit price": 2 }, { "unit price": 3 }] };
    expect(runMapping(document, body).output).toEqual({ a: { x: 1 }, b: 1, c: [2, 3], list: ["Order No"] });
    expect(errorsOf(jsonRules({ to: "a", from: "['Order No']", type: "integer" }), { "Order No": "x" })).toEqual([
      "a: expected integer, got \"x\" [source ['Order No']]",
    ]);
  });
});
