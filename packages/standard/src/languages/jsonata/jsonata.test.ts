import { FakeHost, languageUnderTest } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { jsonata } from "./jsonata.ts";

const { evaluate, matches } = languageUnderTest(jsonata, { host: new FakeHost() });
const body = {
  lines: [
    { sku: "A", qty: 2, price: 5 },
    { sku: "B", qty: 1, price: 3 },
  ],
  name: "Ada",
};

describe("jsonata", () => {
  it.each([
    ["$sum(lines.(qty * price))", 13],
    ["lines[qty > 1].sku", "A"],
    ["lines.sku", ["A", "B"]],
    ['{"n": name, "skus": [lines.sku]}', { n: "Ada", skus: ["A", "B"] }],
    ["lines{sku: qty}", { A: 2, B: 1 }],
    ["none.at.all", null],
    ['$replace("x12y3", /[0-9]+/, "#")', "x#y#"],
    ['$match("ab12", /([a-z])([0-9])/).groups', ["b", "1"]],
    ["$contains(name, /^A.A$/i)", true],
    ['$split("a, b,c", /,\\s*/)', ["a", "b", "c"]],
    ['$pad("x", -3, "#") & $pad("é", 2)', "##xé "],
    ["$millis()", Date.UTC(2026, 0, 5, 10, 0, 0)],
    ["function($x){$x}", null],
    ["$sort([3, 1, 2])", [1, 2, 3]],
    ['$sort(["b", "a"])', ["a", "b"]],
    ["$sort(lines, function($l, $r) { $l.price > $r.price }).sku", ["B", "A"]],
    ['$sort([{"k": 1, "n": "a"}, {"k": 0, "n": "b"}, {"k": 1, "n": "c"}, {"k": 0, "n": "d"}], function($l, $r) { $l.k > $r.k }).n', ["b", "d", "a", "c"]],
    ['$keys([{"b": 1}, {"a": 2, "b": 3}, [{"c": 1}]])', ["b", "a", "c"]],
    ['$keys({"a": 1})', "a"],
    ["$keys({})", null],
    ["$keys(5)", null],
    ['$spread([{"a": 1, "b": 2}, [{"c": 3}], 4])', [{ a: 1 }, { b: 2 }, { c: 3 }, 4]],
    ['$spread({"a": 1})', { a: 1 }],
    ['$spread("x")', "x"],
    ['$clone({"a": [1]})', { a: [1] }],
    [
      'lines ~> |$|{"qty": 0}, "price"|',
      [
        { sku: "A", qty: 0 },
        { sku: "B", qty: 0 },
      ],
    ],
    ['$distinct([1, "1", 1, "x", "x", null, null, true, true])', [1, "1", "x", null, true]],
    ['$distinct([{"a": 1, "b": [2]}, {"b": [2], "a": 1}, {"a": 1}, [1, 2], [1, 2], [2, 1], "{}"])', [{ a: 1, b: [2] }, { a: 1 }, [1, 2], [2, 1], "{}"]],
    ['$distinct([{"a": 5}, {"a": 5}].a)', 5],
    ["$distinct([7, 7])", [7]],
    ["$distinct(name)", "Ada"],
    ["$distinct(none)", null],
  ])("evaluates %s", (text, expected) => {
    expect(evaluate(text, { body })).toEqual(expected);
  });

  it("finds the distinct objects of a long list within the time limit", () => {
    const records = Array.from({ length: 20_000 }, (_, index) => ({ id: index % 15_000, name: "n" }));
    expect(evaluate("$count($distinct($))", { body: records })).toBe(15_000);
  });

  it("sorts long lists, up to a limit", () => {
    const numbers = Array.from({ length: 100_000 }, (_, index) => (index * 7919) % 100_003);
    expect(evaluate("$sort($)", { body: numbers })).toEqual([...numbers].sort((left, right) => left - right));
    expect(() => evaluate("$sort($)[0]", { body: Array.from({ length: 200_001 }, () => 1) })).toThrow(/size limit: .*200000/);
    expect(() => evaluate('$sort([1, "a"])', { body })).toThrow(/sort/);
  });

  it("reads text, bytes, maps, headers and properties", () => {
    expect(evaluate("a", { body: '{"a":1}' })).toBe(1);
    expect(evaluate("a", { body: new TextEncoder().encode('{"a":1}') })).toBe(1);
    expect(evaluate("a.b", { body: new Map([["a", new Map([["b", 1]])]]) })).toBe(1);
    expect(evaluate("$headers.h & $properties.p & $variables.v", { body: {}, headers: { h: "H" }, properties: { p: "P" }, variables: { v: "V" } })).toBe("HPV");
    expect(evaluate("a", { body: "x", headers: { h: '{"a":"5"}' }, options: { source: "header:h", resultType: "Integer" } })).toBe(5);
  });

  it("evaluates predicates", () => {
    expect(matches("$count(lines) = 2", { body })).toBe(true);
    expect(matches("name = 'Bob'", { body })).toBe(false);
    expect(matches("none", { body })).toBe(false);
  });

  it.each([
    ["($f := function($n){$f($n + 1)}; $f(0))", /time limit|call depth/],
    ["($f := function($n){$n + $f($n + 1)}; $f(0))", /time limit|call depth/],
    ["$map([1..1000], function($i){$count([1..1000000])})", /time limit/],
    ['$reduce([1..100], function($a, $i){$a & $a}, "xxxxxxxx")', /size limit/],
    ['$pad("x", 1000000000)', /size limit/],
  ])("stops %s", (text, expected) => {
    expect(() => evaluate(text, { body })).toThrow(expected);
  });

  it("matches a malicious pattern in linear time", () => {
    expect(evaluate("$contains(t, /^(a+)+$/)", { body: { t: `${"a".repeat(50)}b` } })).toBe(false);
  });

  it.each(["constructor", "constructor.constructor", "$sum.implementation", "$sum.__proto__", "$lookup($, 'constructor')", "$lookup({}, '__proto__')"])(
    "%s has no result",
    (text) => {
      expect(evaluate(text, { body: {} })).toBeNull();
    },
  );

  it("never evaluates message content, and its limits cannot be changed", () => {
    expect(() => evaluate("$eval(t)", { body: { t: "1 + 1" } })).toThrow("is not allowed");
    expect(() => evaluate("($__evaluate_entry := null; 1)", { body })).toThrow("reserved");
    expect(() => evaluate("a +", { body })).toThrow(expect.objectContaining({ name: "CompileError" }) as Error);
    expect(() => evaluate("(".repeat(100_000), { body })).toThrow("jsonata: the expression is nested too deeply");
    expect(() => evaluate("name + 1", { body })).toThrow(expect.objectContaining({ type: "org.apache.camel.ExpressionEvaluationException" }) as Error);
  });

  it("returns copies instead of the message's own values", () => {
    const source = { a: { n: 1 } };
    (evaluate("a", { body: source }) as { n: number }).n = 2;
    expect(source.a.n).toBe(1);
  });
});
