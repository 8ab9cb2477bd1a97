// Work limits of one message: reading the same data over and over ends in an error. Most tests count the steps of a short list, because reaching the
// limit takes seconds.
import { describe, expect, it } from "vitest";
import { environmentOf, jsonRules, runMapping, workOf } from "./mapping-under-test.test-support.ts";

const list = Array.from({ length: 20_000 }, (_, index) => index);
const short = list.slice(0, 200);
const members = Object.fromEntries(short.map((index) => [`k${index}`, index]));
const text = "x".repeat(1_000_000);
const steps = "the mapping takes more than 5000000 steps for one message";
const elements = "size limit: the list must not have more than 1000000 elements";
/** Nests a value n times: each level is a list with the previous level twice. */
const twice = { args: ["x", "n"], expr: "n == 0 ? x : twice([x, x], n - 1)" };

const failure = (document: unknown, body: unknown): string | undefined => runMapping(document, body).errors[0]?.message.replace(/^x(\[\d+\])?(\.all)?: /, "");

describe("reading a whole list for each of its items", () => {
  it.each([
    "sum($.l)",
    "sort($.l)[0]",
    "join($.l, ',')",
    "-1 in $.l",
    "$.l == $.m",
    "flatten($.l)[0]",
    "count(values($.o))",
    "length(json($.l))",
    "count($.l[*].n)",
    "count($.l[? $item > 0])",
  ])("%s counts a step for each item it reads", (expr) => {
    const body = { l: short, m: [...short], o: members };
    expect(workOf(jsonRules({ to: "x[]", forEach: "l", expr }), body)).toBeGreaterThanOrEqual(short.length ** 2);
  });

  it("ends at the limit", () => {
    expect(failure(jsonRules({ to: "x[]", forEach: "l", expr: "length(json($.l))" }), { l: list })).toBe(steps);
  });

  it("allows reading a list once, or parts of it", () => {
    const document = jsonRules({ to: "x", expr: "sum(l)" }, { to: "y[]", forEach: "l", expr: "$.l[$index] + $.l[-1]", limit: 3 });
    expect(runMapping(document, { l: list }).output).toEqual({ x: 199_990_000, y: [19_999, 20_000, 20_001] });
  });

  it("limits long strings the same way", () => {
    for (const expr of ["upper($.t)", "replace($.t, 'y', 'z')", "indexOf($.t, 'y')", "trim($.t)"])
      expect([expr, failure(jsonRules({ to: "x[]", forEach: "l", expr: `length(${expr})` }), { l: list, t: text })]).toEqual([expr, steps]);
  });
});

describe("writing", () => {
  it("rejects copying a whole list into each of its items", () => {
    const values = "the mapping writes more than 2000000 values for one message";
    const copies = jsonRules({ to: "x[]", forEach: "l", map: [{ to: "all", from: "$.l" }] });
    expect(failure(copies, { l: list })).toBe(`${values} [source l]`);
    const literal = { a: Array(500).fill("y") };
    expect(failure(jsonRules({ to: "x[]", forEach: "l", value: literal }), { l: list })).toBe(values);
    expect(failure(jsonRules({ to: "x[]", forEach: "l", from: "$item.none", default: literal }), { l: list })).toBe(`${values} [source l[3984].none]`);
  });

  it("rejects copying a long string into each item, but allows one such string", () => {
    expect(failure(jsonRules({ to: "x[]", forEach: "l", from: "$.t" }), { l: list, t: text })).toBe(
      "the mapping writes more than 67108864 characters for one message [source t]",
    );
    expect(runMapping(jsonRules({ to: "x", from: "t" }), { t: text }).output).toEqual({ x: text });
  });

  it("copies a large message as a whole", () => {
    const rows = list.map((index) => ({ id: index, name: `n${index}`, tags: ["a", "b"] }));
    expect(runMapping(jsonRules({ to: "x", from: "rows" }), { rows }).output).toEqual({ x: rows });
  });
});

describe("nested lists", () => {
  const withTwice = (expr: string, more: object = {}): unknown => ({ ...jsonRules({ to: "x", expr }), functions: { twice, ...more } });

  it.each(["twice([1], 60)", "twice([1], 32) == twice([1], 32)", "contains([twice([1], 32)], 2)", "sort([twice([1], 32)])", "text(twice([1], 32))"])(
    "%s creates too large a list",
    (expr) => {
      expect(failure(withTwice(expr), {})).toBe(elements);
    },
  );

  it.each([
    ["a filter", "n == 0 ? x : again([x, x][? true], n - 1)"],
    ["each", "n == 0 ? x : again($.one[*].([x, x]), n - 1)"],
    ["append", "n == 0 ? x : again(append([x], [x]), n - 1)"],
    ["reverse", "n == 0 ? x : again(reverse([x, x]), n - 1)"],
    ["slice", "n == 0 ? x : again(slice([0, x, x], 1), n - 1)"],
  ])("are limited when they are built with %s", (_way, expr) => {
    expect(failure(withTwice("again([1], 60)", { again: { args: ["x", "n"], expr } }), { one: [1] })).toBe(elements);
  });

  it("a list for each element is limited by steps", () => {
    expect(workOf(jsonRules({ to: "x", expr: "count(l[*].($.l))" }), { l: short })).toBeGreaterThanOrEqual(short.length ** 2);
  });

  it("that are small work like other lists", () => {
    expect(runMapping(withTwice("twice([1], 3)") as Record<string, unknown>, {}).output).toEqual({
      x: [
        [
          [[1], [1]],
          [[1], [1]],
        ],
        [
          [[1], [1]],
          [[1], [1]],
        ],
      ],
    });
  });
});

describe("lookups", () => {
  it("in a table of many patterns count the rows they try", () => {
    const rows = Array.from({ length: 1_000 }, (_, index) => [`*x${index}*`, "v"]);
    const environment = environmentOf({ w: { columns: ["a", "b"], match: "wildcard", rows } });
    const document = jsonRules({ to: "x[]", forEach: "l", lookup: { table: "w", key: "$item", from: "a", to: "b", onMissing: "null" } });
    // Trying four patterns costs about as much as reading one item.
    expect(workOf(document, { l: short }, { environment })).toBeGreaterThanOrEqual((short.length * rows.length) / 4);
    expect(runMapping(document, { l: short.slice(0, 20) }, { environment }).output).toEqual({ x: Array(20).fill(null) });
  });
});
