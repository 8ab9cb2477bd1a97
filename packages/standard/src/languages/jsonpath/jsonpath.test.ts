import { defineLanguage } from "@sluice/engine/spi";
import { callGrowth, languageUnderTest } from "@sluice/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonpath } from "./jsonpath.ts";

const header = defineLanguage({
  name: "simple",
  title: "",
  summary: "",
  group: "",
  since: "",
  options: {},
  examples: [],
  compile: (text) => (exchange) => exchange.message.headers.get(text.slice("${header.".length, -1)),
});
const { evaluate, matches, scope } = languageUnderTest(jsonpath, { languages: [header] });

const store = {
  store: {
    book: [
      { category: "reference", author: "Nigel Rees", title: "Sayings", price: 8.95, tags: ["a", "b"] },
      { category: "fiction", author: "Evelyn Waugh", title: "Sword", price: 12.99, isbn: null, tags: [] },
      { category: "fiction", author: "Herman Melville", title: "Moby Dick", isbn: "0-553", price: 8.99, tags: ["b", "c"] },
    ],
    bicycle: { color: "red", price: 19.95, "my key": 1 },
  },
  limit: 10,
  keys: ["x", "y"],
};
const titles = (path: string): unknown => evaluate(`$.store.book[?(${path})].title`, { body: store });

describe("jsonpath paths", () => {
  it.each([
    ["$.store.bicycle.color", "red"],
    ["$['store']['bicycle']['color']", "red"],
    ["store.bicycle.color", "red"],
    ["$.store.bicycle['my key']", 1],
    ["$.store.book[0].author", "Nigel Rees"],
    ["$.store.book[-1].title", "Moby Dick"],
    ["$.store.book[(@.length-1)].title", "Moby Dick"],
    ["$.store.book[*].price", [8.95, 12.99, 8.99]],
    ["$.store.book[0,2].price", [8.95, 8.99]],
    ["$.store.book[1:].price", [12.99, 8.99]],
    ["$.store.book[:2].price", [8.95, 12.99]],
    ["$.store.book[-2:].price", [12.99, 8.99]],
    ["$.store.book[0:-1].price", [8.95, 12.99]],
    ["$..price", [8.95, 12.99, 8.99, 19.95]],
    ["$..book[0].title", ["Sayings"]],
    ["$.store.bicycle.*", ["red", 19.95, 1]],
    ["$.store.bicycle['color','price']", { color: "red", price: 19.95 }],
    ["$.store['book','bicycle'].price", [19.95]],
    ["$..['color']", ["red"]],
    ["$.store.book[*].none", []],
    ["$.store.book[0].isbn", new Error("No results for path: $['store']['book'][0]['isbn']")],
    ["$.store.book[1].isbn", null],
    ["$.none.x", new Error("Missing property in path $['none']")],
    ["$.store.book.title", new Error("Expected to find an object with property ['title'] in path $['store']['book'] but found an array")],
    ["$.store.book[9]", new Error("No results for path: $['store']['book'][9]")],
    ["$.limit[0]", new Error("An index can only be applied to arrays, but $['limit'] is a number")],
  ])("evaluates %s", (path, expected) => {
    if (expected instanceof Error) expect(() => evaluate(path, { body: store })).toThrow(expected.message);
    else expect(evaluate(path, { body: store })).toEqual(expected);
  });

  it("reads text, bytes, objects and maps", () => {
    for (const body of ['{"a":{"b":2}}', new TextEncoder().encode('{"a":{"b":2}}'), { a: { b: 2 } }, new Map([["a", new Map([["b", 2]])]])])
      expect(evaluate("$.a.b", { body })).toBe(2);
  });

  it("reports a missing path with Jayway's exception as the cause", () => {
    try {
      evaluate("$.x", { body: {} });
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ type: "org.apache.camel.ExpressionEvaluationException", cause: { type: "com.jayway.jsonpath.PathNotFoundException" } });
    }
  });

  it("reports that a body is not JSON", () => {
    expect(() => evaluate("$.x", { body: "plain" })).toThrow("jsonpath needs JSON, but the text is not valid JSON: plain");
    expect(() => evaluate("$.x", { body: null })).toThrow("there is no value to read");
  });

  it("reads own members only", () => {
    for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty"])
      expect(evaluate(`$.${name}`, { body: {}, options: { suppressExceptions: "true" } })).toBeNull();
    expect(evaluate("$['__proto__'].a", { body: '{"__proto__":{"a":1}}' })).toBe(1);
  });

  it("returns copies of parsed values", () => {
    const body = new TextEncoder().encode('{"a":{"n":1}}');
    const first = evaluate("$.a", { body }) as { n: number };
    first.n = 2;
    expect(evaluate("$.a", { body })).toEqual({ n: 1 });
  });
});

describe("jsonpath filters", () => {
  it.each([
    ["@.price < 10", ["Sayings", "Moby Dick"]],
    ["@.price >= 12.99", ["Sword"]],
    ["@.price < 10 && @.category == 'fiction'", ["Moby Dick"]],
    ['@.price > 12 || @.author == "Nigel Rees"', ["Sayings", "Sword"]],
    ["!(@.price < 10)", ["Sword"]],
    ["@.isbn", ["Sword", "Moby Dick"]],
    ["!@.isbn", ["Sayings"]],
    ["@.isbn == null", ["Sword"]],
    ["@.isbn != '0-553'", ["Sayings", "Sword"]],
    ["@.author =~ /.*REES/i", ["Sayings"]],
    ["@.author =~ /rees/i", []],
    ["@.category in ['fiction','poem']", ["Sword", "Moby Dick"]],
    ["@.category nin ['fiction']", ["Sayings"]],
    ["@.tags subsetof ['a','b','z']", ["Sayings", "Sword"]],
    ["@.tags anyof ['c','z']", ["Moby Dick"]],
    ["@.tags noneof ['c','z']", ["Sayings", "Sword"]],
    ["@.tags size 2", ["Sayings", "Moby Dick"]],
    ["@.tags empty true", ["Sword"]],
    ["@.tags contains 'a'", ["Sayings"]],
    ["@.title contains 'Dick'", ["Moby Dick"]],
    ["@.price < $.limit", ["Sayings", "Moby Dick"]],
    ["@.tags.length() == 2", ["Sayings", "Moby Dick"]],
    ["'b' in @.tags", ["Sayings", "Moby Dick"]],
    ["@['price']==8.95", ["Sayings"]],
    ["@.price == '8.95'", ["Sayings"]],
    ["@.price === '8.95'", []],
    ["@.price !== '8.95'", ["Sayings", "Sword", "Moby Dick"]],
    ["@.price !== 8.95", ["Sword", "Moby Dick"]],
    ["@.author < 'F'", ["Sword"]],
  ])("evaluates %s", (condition, expected) => {
    expect(titles(condition)).toEqual(expected);
  });

  it("treats ${…} as data only", () => {
    const read = (max: unknown): unknown => evaluate("$.store.book[?(@.price < ${header.max})].title", { body: store, headers: { max } });
    expect(read("9")).toEqual(["Sayings", "Moby Dick"]);
    expect(read("9 || 1 == 1")).toEqual([]);
    expect(evaluate("$.store.book[?(@.category == '${header.c}')].title", { body: store, headers: { c: "' || '1' == '1" } })).toEqual([]);
    expect(evaluate("$.store['${header.c}'].color", { body: store, headers: { c: "bicycle" } })).toBe("red");
    expect(evaluate("$.store.book[${header.i}].title", { body: store, headers: { i: 1 } })).toBe("Sword");
    expect(() => evaluate("${header.path}", { body: store })).toThrow("cannot start with ${…}");
  });

  it("accepts ${…} as a name directly after the root", () => {
    expect(evaluate("$.${header.field}", { body: { a: 1, b: 2 }, headers: { field: "b" } })).toBe(2);
    expect(evaluate("$.${header.field}.color", { body: store.store, headers: { field: "bicycle" } })).toBe("red");
    expect(evaluate("$.x_${header.field}", { body: { x_b: 2 }, headers: { field: "b" } })).toBe(2);
    expect(evaluate("$.${header.field}", { body: store, headers: { field: "store.bicycle.color" } })).toBe("red");
    expect(evaluate("$.${header.field}", { body: { "a.b": 1, a: { b: 2 } }, headers: { field: "a.b" } })).toBe(1);
    expect(() => evaluate("$.${header.field}", { body: { a: 1 }, headers: { field: "b" } })).toThrow("No results for path");
    expect(() => evaluate("$.${header.field}", { body: store, headers: { field: "store.book[*]" } })).toThrow("No results for path");
  });

  it("rejects ${…} when allowSimple is false", () => {
    expect(() => evaluate("$.a.${header.x}", { body: store, options: { allowSimple: "false" } })).toThrow("is not allowed");
  });

  it("matches a malicious pattern in linear time", () => {
    expect(evaluate("$[?(@ =~ /^(a+)+$/)]", { body: [`${"a".repeat(50)}b`] })).toEqual([]);
  });

  it("stops a path with exponential results", () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 60; depth++) deep = { a: deep, b: 1 };
    expect(() => evaluate("$..*..*..*..*..*", { body: deep })).toThrow("time limit");
  });
});

describe("jsonpath functions", () => {
  it.each([
    ["$.keys.length()", 2],
    ["$.store.book.size()", 3],
    ["$.store.bicycle.color.length()", 3],
    ["$..price.sum()", 8.95 + 12.99 + 8.99 + 19.95],
    ["$.store.book[*].price.max()", 12.99],
    ["$.store.book[*].price.min()", 8.95],
    ["$.sum($.limit, 5)", 15],
    ["$.keys.first()", "x"],
    ["$.keys.last()", "y"],
    ["$.keys.index(-1)", "y"],
    ["$.keys.append('z')", ["x", "y", "z"]],
    ["$.store.bicycle.keys()", ["color", "price", "my key"]],
    ["$.keys.concat('-', $.store.bicycle.color)", "xy-red"],
  ])("evaluates %s", (path, expected) => {
    expect(evaluate(path, { body: store })).toEqual(expected);
  });

  it("computes averages and deviations", () => {
    expect(evaluate("$.avg()", { body: [1, 2, 3, 4] })).toBe(2.5);
    expect(evaluate("$.stddev()", { body: [2, 4, 4, 4, 5, 5, 7, 9] })).toBe(2);
    expect(() => evaluate("$.avg()", { body: [] })).toThrow("found no number");
  });
});

describe("jsonpath options and predicates", () => {
  it("returns null or an empty list for a missing path with suppressExceptions", () => {
    const options = { suppressExceptions: "true" };
    expect(evaluate("$.none.x", { body: { a: 1 }, options })).toBeNull();
    expect(evaluate("$.none[*].x", { body: { a: 1 }, options })).toEqual([]);
    expect(evaluate("$.a", { body: { a: 1 }, options })).toBe(1);
  });

  it("converts, unwraps and writes text", () => {
    expect(evaluate("$.n", { body: '{"n":"12"}', options: { resultType: "java.lang.Integer" } })).toBe(12);
    expect(evaluate("$..n", { body: '{"n":"12"}', options: { resultType: "Integer" } })).toBe(12);
    expect(evaluate("$..n", { body: '{"n":"12"}', options: { unpackArray: "true" } })).toBe("12");
    expect(evaluate("$.items", { body: '{"items":[{"id":1},{"id":2}]}', options: { writeAsString: "true" } })).toEqual(['{"id":1}', '{"id":2}']);
    expect(evaluate("$.n", { body: "{}", headers: { h: '{"n":3}' }, options: { source: "header:h" } })).toBe(3);
    expect(evaluate("$.n", { body: "{}", variables: { v: { n: 4 } }, options: { source: "variable:v" } })).toBe(4);
  });

  it("evaluates predicates", () => {
    expect(matches("$.[?(@.price > 100)]", { body: '{"price":150}' })).toBe(true);
    expect(matches("$.[?(@.price > 100)]", { body: '{"price":5}' })).toBe(false);
    expect(matches("store.price < 10", { body: '{"store":{"price":5}}' })).toBe(true);
    expect(matches("store.book.price > 100", { body: store })).toBe(false);
    expect(matches("total >= 5", { body: { total: 5 } })).toBe(true);
    expect(matches("name contains 'da'", { body: { name: "Ada" } })).toBe(true);
    expect(matches("$.ok", { body: { ok: false } })).toBe(false);
    expect(matches("$.ok", { body: { ok: true } })).toBe(true);
  });

  it.each(["", "$.", "$.a[", "$.a[?(@.b >)]", "$.a[?(@.b > 1]", "$['a", "$.a.nope()", "$.a b", "$[?(@ =~ /(/)]", "$.a[x]"])(
    "rejects %j at deploy time",
    (text) => {
      expect(() => evaluate(text, { body: {} })).toThrow(expect.objectContaining({ name: "CompileError" }) as Error);
    },
  );

  it.each([
    [`$[?(${"(".repeat(50_000)}@.a${")".repeat(50_000)})]`, "nested deeper than 100 levels"],
    [`$[?(${"!".repeat(50_000)}@.a)]`, "nested deeper than 100 levels"],
    [`$${"[?(@".repeat(50_000)}`, "nested deeper than 100 levels"],
    [`$[?(@.a in ${"[".repeat(50_000)}`, "nested deeper than 100 levels"],
    [`$${".append($".repeat(50_000)}`, "nested deeper than 100 levels"],
    [`$[?(@.a${" || @.a".repeat(50_000)})]`, "more than 2000 segments and operators"],
    [`$${".a".repeat(50_000)}`, "more than 2000 segments and operators"],
  ])("rejects %.20s… with a limit on its depth or length", (text, message) => {
    expect(() => jsonpath.compile(text, {}, scope)).toThrow(
      expect.objectContaining({ name: "CompileError", message: expect.stringContaining(message) as string }) as Error,
    );
  });

  it("evaluates paths up to the limits", () => {
    expect(evaluate(`$[?(@.a == 1${" || @.a == 2".repeat(900)})]`, { body: [{ a: 2 }, { a: 3 }] })).toEqual([{ a: 2 }]);
    expect(evaluate(`$${".a".repeat(1900)}`, { body: {}, options: { suppressExceptions: "true" } })).toBeNull();
    expect(evaluate(`$${"[?(@".repeat(90)}.a${")]".repeat(90)}`, { body: [] })).toEqual([]);
  });

  it.each([
    ["members", (size: number) => `$${".a".repeat(size)}`],
    ["filters", (size: number) => `$${"[?(@.a)]".repeat(size)}`],
    ["operators", (size: number) => `$[?(@.a == 1${" || @.a == 2".repeat(size)})]`],
  ])("compiles a chain of %s in linear time", async (_of, pathOf) => {
    expect(await callGrowth((size) => jsonpath.compile(pathOf(size), {}, scope), 50)).toBeLessThan(10);
  });

  it("compiles any text or rejects it with a CompileError", () => {
    const words = "$ @ . .. * [ ] [? ( ) , : -1 a length() 'x' ' \" / /a/ \\ == !== =~ in && || ! { } {} true null ${ ${header.a} é".split(" ");
    fc.assert(
      fc.property(fc.array(fc.constantFrom(" ", ...words), { maxLength: 25 }), (parts) => {
        for (const compile of [jsonpath.compile, jsonpath.compilePredicate]) {
          try {
            compile?.(parts.join(""), {}, scope);
          } catch (error) {
            expect(error, parts.join("")).toMatchObject({ name: "CompileError" });
          }
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it("reads every member of any JSON object by its quoted name", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (body) => {
        for (const key of Object.keys(body)) {
          if (key.includes("${")) continue;
          const path = `$['${key.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}']`;
          expect(evaluate(path, { body })).toEqual(body[key]);
        }
      }),
      { numRuns: 100 },
    );
  });
});
