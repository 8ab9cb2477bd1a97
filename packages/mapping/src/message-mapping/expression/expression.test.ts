import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { environmentOf, evaluate, jsonRules, problemsOf, runMapping } from "../mapping-under-test.test-support.ts";

const calculate = (left: number, sign: string, right: number): number => (sign === "+" ? left + right : sign === "-" ? left - right : left * right);
const withFunctions = (functions: unknown, expr: string) => ({ ...jsonRules({ to: "x", expr }), functions });

const order = {
  id: "A-1",
  odd: { "odd name": 7, "a.b": 8 },
  lines: [
    { sku: "k", qty: 2, price: 1.5, tags: ["x", "y"] },
    { sku: "m", qty: 0, price: 4 },
    { sku: "n", qty: "3", price: 2, tags: [] },
  ],
};

describe("paths", () => {
  it.each([
    ["id", "A-1"],
    ["$.id", "A-1"],
    ["$item.id", "A-1"],
    ["lines[0].sku", "k"],
    ["lines[-1].sku", "n"],
    ["lines[9].sku", undefined],
    ["nothing.at.all[3].here", undefined],
    ["odd['odd name']", 7],
    ['odd["a.b"]', 8],
    ["lines[*].sku", ["k", "m", "n"]],
    ["lines[*].tags[*]", ["x", "y"]],
    ["lines[? qty > 0].sku", ["k", "n"]],
    ["lines[? qty > 0][1].sku", "n"],
    ["lines[? sku == 'm' || $index == 0].qty", [2, 0]],
    ["lines[*].(qty * price)", [3, 0, 6]],
    ["lines[*].missing", []],
    ["lines.sku", undefined],
    ["id.length", undefined],
    ["lines[? $.id == 'A-1' && qty == 2].sku", ["k"]],
    ["odd.(a ?? 5)", 5],
  ])("evaluates %s", (expr, expected) => {
    expect(evaluate(expr, order)).toEqual(expected);
  });

  it("cannot reach prototypes", () => {
    for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty"]) expect(evaluate(`coalesce(${name}, 'none')`, {})).toBe("none");
    expect(evaluate("lines.constructor", order)).toBeUndefined();
    expect(evaluate("$params['constructor']", {})).toBeUndefined();
  });

  it("may contain hyphens, which subtract in expressions", () => {
    expect(
      runMapping(jsonRules({ to: "x", from: "Order-No" }, { to: "y", expr: "Order-No" }, { to: "z", from: "a[? b-c > 0].n" }), {
        "Order-No": "7",
        Order: 5,
        No: 2,
        a: [{ b: 2, c: 1, n: 1 }],
      }).output,
    ).toEqual({ x: "7", y: 3, z: [1] });
  });
});

describe("operators", () => {
  it.each([
    ["1 + 2 * 3", 7],
    ["(1 + 2) * 3", 9],
    ["10 - 4 - 3", 3],
    ["7 % 4", 3],
    ["-lines[0].qty + 5", 3],
    ["'2' + 3", "23"],
    ["'2' * '3'", 6],
    ["null + 1", null],
    ["null + 'a'", "a"],
    ["1 < 2 && 2 < 3", true],
    ["not false and true", true],
    ["1 == '1'", true],
    ["'a' != 'b'", true],
    ["null == nothing", true],
    ["nothing > 1", false],
    ["nothing ?? 'x'", "x"],
    ["0 ?? 'x'", 0],
    ["true ? 'a' : false ? 'b' : 'c'", "a"],
    ["false ? 'a' : false ? 'b' : 'c'", "c"],
    ["'b' in ['a', 'b']", true],
    ["2 in lines[*].qty", true],
    ["'it\\'s' + \" \\u0041\"", "it's A"],
    ["1 > 2 || 'x' == 'x'", true],
    ["!(1 > 2)", true],
    ["0 ? 'yes' : 'no'", "no"],
    ["1.5e3", 1500],
  ])("evaluates %s", (expr, expected) => {
    expect(evaluate(expr, order)).toEqual(expected);
  });

  it.each([
    ["id * 2", 'x: expected a number, got "A-1" [source id]'],
    ["2 - lines[1].sku", 'x: expected a number, got "m" [source lines[1].sku]'],
    ["number(lines[0].sku)", 'x: expected a number, got "k" [source lines[0].sku]'],
    ["1 / 0", "x: division by zero"],
    ["repeat('abc', 1000000000)", "x: size limit: text must not be longer than 67108864 characters"],
    ["range(1, 100000000)", "x: size limit: the list must not have more than 1000000 elements"],
  ])("%s fails", (expr, message) => {
    expect(() => evaluate(expr, order)).toThrow(message);
  });

  it("calculate with numbers like JavaScript", () => {
    const operator = fc.constantFrom("+", "-", "*");
    fc.assert(
      fc.property(
        fc.integer({ min: -1000, max: 1000 }),
        fc.integer({ min: -1000, max: 1000 }),
        operator,
        operator,
        fc.integer({ min: 0, max: 9 }),
        (a, b, first, second, c) => {
          const text = `a ${first} b ${second} ${c}`;
          const expected = second === "*" && first !== "*" ? calculate(a, first, b * c) : calculate(calculate(a, first, b), second, c);
          expect(evaluate(text, { a, b })).toBe(expected);
        },
      ),
    );
  });
});

describe("invalid expressions", () => {
  it.each([
    ["1 +", "x: unexpected end of the expression at column 4 of '1 +'"],
    ["a b", "x: unexpected 'b' at column 3 of 'a b'"],
    ["a = 1", "x: unexpected '=': use == to compare at column 3 of 'a = 1'"],
    ["'abc", "x: the string is not closed at column 1 of ''abc'"],
    ["a ~ b", "x: unexpected '~' at column 3 of 'a ~ b'"],
    ["f(1", "x: unexpected end of the expression: expected ',' or ')' at column 4 of 'f(1'"],
    ["uper(a)", "x: unknown function 'uper' (did you mean 'upper'?)"],
    ["upper()", "x: function 'upper' takes 1 argument, got 0"],
    ["substring('a')", "x: function 'substring' takes 2 to 3 arguments, got 1"],
    ["$nosuch", "x: unknown name '$nosuch'"],
    ["$index", "x: unknown name '$index' (it is available inside forEach only)"],
    ["$group[*].a", "x: unknown name '$group' (it is available inside a forEach with groupBy only)"],
    ["lookup(a, 'f', 't', 'k')", "x: lookup(table, from, to, key, onMissing): table, columns and onMissing must be string literals"],
    [`${"(".repeat(200)}1${")".repeat(200)}`, expect.stringContaining("x: the expression is nested deeper than 100 levels")],
    ["1".repeat(10_001), expect.stringContaining("x: the expression is longer than 10000 characters")],
  ])("%s is rejected", (expr, problem) => {
    expect(problemsOf(jsonRules({ to: "x", expr }))).toEqual([problem]);
  });

  it("are reported as problems of their rule, whatever the text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "$", "(", ")", "[", "]", "?", ":", ".", "*", "'", "1", "-", " ", "&", "|", "=", ",", "@", "#text") }),
        (expr) => {
          for (const problem of problemsOf(jsonRules({ to: "x", expr }))) expect(problem).toMatch(/^x: /);
        },
      ),
    );
  });
});

describe("values from outside the current item", () => {
  it("include headers (case-insensitive), params and variables", () => {
    const document = {
      ...jsonRules({ to: "h", expr: "$headers['X-Site']" }, { to: "p", from: "$params.plant" }, { to: "v", expr: "$vars.twice + $twice" }),
      vars: [
        { name: "n", expr: "a" },
        { name: "$twice", expr: "$n * 2" },
      ],
    };
    expect(runMapping(document, { a: 2 }, { headers: { "x-site": "B" }, params: { plant: 1000 } }).output).toEqual({ h: "B", p: 1000, v: 8 });
  });

  it("include the time of the host", () => {
    expect([evaluate("now()"), evaluate("today()")]).toEqual(["2026-11-14T16:02:33.120Z", "2026-11-14"]);
  });

  it("include the entries of a value-mapping table", () => {
    const environment = environmentOf({ uom: { entries: { piece: "ST" } } });
    expect(evaluate("lookup('uom', 'from', 'to', unit)", { unit: "piece" }, { environment })).toBe("ST");
    expect(evaluate("lookup('uom', 'from', 'to', unit, 'key')", { unit: "crate" }, { environment })).toBe("crate");
    expect(() => evaluate("lookup('uom', 'from', 'to', unit)", { unit: "crate" }, { environment })).toThrow(
      "no entry for \"crate\" in value-mapping table 'uom' (from -> to) [source unit]",
    );
  });
});

describe("functions", () => {
  it("of the document cannot read fields of the current item, and may call each other", () => {
    const functions = { net: { args: ["q", "$p"], expr: "round($q * p, 2)" }, gross: { args: ["q", "p"], expr: "net(q, p) * 1.2" } };
    expect(runMapping(withFunctions(functions, "gross(qty, price)"), { qty: 2, price: 5 }).output).toEqual({ x: 12 });
    expect(problemsOf(withFunctions({ f: { args: ["a"], expr: "a + b" } }, "f(1)"))).toEqual([
      "f(): unknown name 'b': a function can use its arguments, $, $params, $headers and variables",
    ]);
  });

  it("of the host are called with their arguments, and must be synchronous", () => {
    const functions = new Map<string, (...args: readonly unknown[]) => unknown>([
      ["vat", (net, rate) => Number(net) * Number(rate)],
      ["later", async () => 1],
      ["upper", () => "never"],
    ]);
    const environment = { ...environmentOf(), functions };
    expect([evaluate("vat(qty, 0.2)", { qty: 10 }, { environment }), evaluate("upper('a')", {}, { environment })]).toEqual([2, "A"]);
    expect(() => evaluate("later()", {}, { environment })).toThrow("x: function 'later' returned a promise: functions of a mapping must be synchronous");
  });

  it("fail on endless recursion", () => {
    expect(runMapping(withFunctions({ f: { args: ["n"], expr: "f(n + 1)" } }, "f(0)"), {}).errors[0]?.message).toBe(
      "x: parts and functions call each other more than 100 levels deep",
    );
    expect(runMapping(withFunctions({ f: { args: ["n"], expr: "n < 2 ? n : f(n - 1) + f(n - 2)" } }, "f(90)"), {}).errors[0]).toMatchObject({
      code: "limit",
      message: "x: the mapping takes more than 5000000 steps for one message",
    });
  });
});
