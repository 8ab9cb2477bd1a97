import { describe, expect, it } from "vitest";
import { compileMapping } from "../compile-mapping.ts";
import { environmentOf, jsonRules, mappingOf, problemsOf, runMapping } from "../mapping-under-test.test-support.ts";

const output = (rules: readonly unknown[], body: unknown): unknown => {
  const { output: mapped, errors } = runMapping(jsonRules(...rules), body);
  expect(errors).toEqual([]);
  return mapped;
};
const failure = (rules: readonly unknown[], body: unknown): string | undefined => runMapping(jsonRules(...rules), body).errors[0]?.message;

describe("targets", () => {
  it("nest, accept bracketed names and positions, and append to lists", () => {
    const rules = [
      { to: "a.b.c", value: 1 },
      { to: "a.b.d", value: 2 },
      { to: "odd['x.y']", value: 3 },
      { to: "pairs[1].v", value: 4 },
      { to: "tags[]", value: "one" },
      { to: "tags[]", from: "more" },
      { to: "items[]", forEach: "left", map: [{ to: "n", from: "$item" }] },
      { to: "items[]", forEach: "right", map: [{ to: "n", expr: "$item * 1" }] },
    ];
    expect(output(rules, { more: ["two", "three"], left: [1], right: ["2"] })).toEqual({
      a: { b: { c: 1, d: 2 } },
      odd: { "x.y": 3 },
      pairs: [undefined, { v: 4 }],
      tags: ["one", "two", "three"],
      items: [{ n: 1 }, { n: 2 }],
    });
    expect(failure(rules, { left: [1], right: ["x"] })).toBe('items[1].n: expected a number, got "x" [source right[0]]');
  });

  it("cannot reach prototypes", () => {
    const mapped = output(
      [
        { to: "__proto__.polluted", value: 1 },
        { to: "constructor.prototype.polluted", value: 1 },
        { to: "__proto__.polluted", value: 2 },
      ],
      {},
    );
    expect(JSON.stringify(mapped)).toBe('{"__proto__":{"polluted":2},"constructor":{"prototype":{"polluted":1}}}');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("share nothing with the source", () => {
    const body = { a: { list: [1, { b: 2 }] } };
    const mapped = output([{ to: "a", from: "a" }], body) as typeof body;
    expect(mapped).toEqual(body);
    expect([mapped.a === body.a, mapped.a.list === body.a.list]).toEqual([false, false]);
  });
});

describe("values", () => {
  it("omit missing fields and keep null", () => {
    expect(
      output(
        [
          { to: "a", from: "a" },
          { to: "b", from: "b" },
          { to: "c", from: "c", default: 0 },
          { to: "d", value: null },
          { to: "e", from: "b", default: "x" },
        ],
        { b: null },
      ),
    ).toEqual({ b: null, c: 0, d: null, e: "x" });
  });

  it("support conditions and cases", () => {
    const rules = [
      { to: "a", when: "x > 1", value: "big" },
      {
        to: "b",
        switch: [
          { when: "x == 1", value: "one" },
          { when: "x == 2", from: "name" },
          { when: "x == 3", map: [{ to: "deep", value: true }] },
          { expr: "x * 10" },
        ],
      },
    ];
    expect([1, 2, 3, 4].map((x) => output(rules, { x, name: "two" }))).toEqual([
      { b: "one" },
      { a: "big", b: "two" },
      { a: "big", b: { deep: true } },
      { a: "big", b: 40 },
    ]);
  });

  it.each([
    [{ type: "integer" }, "12", 12],
    [{ type: "integer" }, "12.0", 12],
    [{ type: "integer" }, "", undefined],
    [{ type: "integer", default: 5 }, "", 5],
    [{ scale: 2, default: 0 }, "", 0],
    [{ format: "0.00", default: "0.00" }, "", "0.00"],
    [{ default: "x" }, "", ""],
    [{ type: "string", default: "x" }, "", ""],
    [{ enum: ["01"] }, "01", "01"],
    [{ enum: [1.5] }, "1.50", "1.50"],
    [{ type: "number" }, "1.50", 1.5],
    [{ type: "string" }, 7, "7"],
    [{ type: "boolean" }, "X", true],
    [{ type: "boolean" }, "0", false],
    [{ type: "date" }, "2026-11-14T23:30:00-05:00", "2026-11-14"],
    [{ type: "date" }, "20261114", "2026-11-14"],
    [{ type: "date" }, 0, "1970-01-01"],
    [{ type: "date", format: "dd.MM.yyyy" }, "2026-11-14", "14.11.2026"],
    [{ type: "date", format: { in: "dd/MM/yy" } }, "14/11/26", "2026-11-14"],
    [{ type: "date", format: { in: "dd/MM/yy", out: "yyyyMMdd" } }, "14/11/26", "20261114"],
    [{ type: "dateTime" }, "2026-11-14T09:30:00+01:00", "2026-11-14T08:30:00.000Z"],
    [{ type: "time" }, "09:30:00", "09:30:00"],
    [{ type: "time" }, "2026-11-14T23:30:00-05:00", "23:30:00"],
    [{ type: "time", format: "HHmm" }, "09:30:00", "0930"],
    [{ type: "time", format: "HHmm" }, "2026-11-14T23:30:00-05:00", "2330"],
    [{ type: "time", format: { in: "HHmm" } }, "0930", "09:30:00"],
    [{ type: "date", format: "dd.MM.yyyy" }, "2026-11-14T23:30:00-05:00", "14.11.2026"],
    [{ type: "date", format: { in: "yyyy-MM-dd'T'HH:mmX" } }, "2026-11-14T23:30-05", "2026-11-14"],
    [{ type: "date" }, "2026-11-14+02:00", "2026-11-14"],
    [{ type: "dateTime", format: "dd. HH:mm" }, "2026-11-14T23:30:00-05:00", "15. 04:30"],
    [{ scale: 2 }, 1.005, 1.01],
    [{ scale: 0 }, -2.5, -3],
    [{ scale: 2, format: "0.00" }, 3, "3.00"],
    [{ type: "number", format: "#,##0.0" }, "1234.56", "1,234.6"],
    [{ pattern: "[A-Z]{2}" }, "GB", "GB"],
    [{ maxLength: 3 }, "abc", "abc"],
    [{ enum: ["a", 1] }, "1", "1"],
  ])("%j converts %j", (options, x, expected) => {
    expect(output([{ to: "y", from: "x", ...options }], { x })).toEqual(expected === undefined ? { y: null } : { y: expected });
  });

  it.each([
    [{ type: "integer" }, "1.5", 'y: expected integer, got "1.5" [source x]'],
    [{ type: "integer" }, 2 ** 53, "y: expected integer, got 9007199254740992 [source x]"],
    [{ type: "number" }, "12a", 'y: expected a number, got "12a" [source x]'],
    [{ type: "boolean" }, "maybe", 'y: expected true or false, got "maybe" [source x]'],
    [{ type: "date" }, "2026-02-30", 'y: expected a date, got "2026-02-30" [source x]'],
    [{ required: true }, null, "y: a value is required, but the source has none [source x]"],
    [{ required: true }, "", "y: a value is required, but the source has none [source x]"],
    [{ pattern: "[A-Z]{2}" }, "gb", 'y: "gb" does not match the pattern [A-Z]{2} [source x]'],
    [{ maxLength: 3 }, "abcd", 'y: "abcd" is longer than 3 characters [source x]'],
    [{ enum: ["a", "b"] }, "c", 'y: "c" is not one of "a", "b" [source x]'],
    [{ enum: ["01", "02"] }, "1", 'y: "1" is not one of "01", "02" [source x]'],
  ])("%j rejects %j", (options, x, message) => {
    expect(failure([{ to: "y", from: "x", ...options }], { x })).toBe(message);
  });
});

describe("forEach", () => {
  const lines = [
    { sku: "b", kind: "x", n: 2 },
    { sku: "a", kind: "y", n: 10 },
    { sku: "c", kind: "x", n: null },
  ];

  it("filters, sorts, limits and names its items", () => {
    const rule = {
      to: "r[]",
      forEach: "lines",
      as: "line",
      where: "kind == 'x' || n > 5",
      sort: { by: "n", desc: true },
      limit: 2,
      map: [
        { to: "sku", from: "$line.sku" },
        { to: "at", expr: "$index" },
        { to: "order", from: "$.id" },
      ],
    };
    expect(output([rule], { id: 7, lines })).toEqual({
      r: [
        { sku: "a", at: 0, order: 7 },
        { sku: "b", at: 1, order: 7 },
      ],
    });
    expect(output([{ to: "r[]", forEach: "lines", sort: [{ by: "kind" }, "sku"], from: "sku" }], { lines })).toEqual({ r: ["b", "c", "a"] });
  });

  it("groups in order of appearance", () => {
    const rule = {
      to: "groups[]",
      forEach: "lines",
      groupBy: "kind",
      sort: { by: "count($group)", desc: true },
      map: [
        { to: "kind", from: "$key" },
        { to: "skus[]", forEach: "$group", from: "sku" },
        { to: "n", expr: "sum($group[*].n)" },
      ],
    };
    expect(output([rule], { lines })).toEqual({
      groups: [
        { kind: "x", skus: ["b", "c"], n: 2 },
        { kind: "y", skus: ["a"], n: 10 },
      ],
    });
  });

  it("treats one value as a list of one, and writes an empty list by default", () => {
    const rules = [
      { to: "one[]", forEach: "x", expr: "$item + 1" },
      { to: "none[]", forEach: "nothing", from: "a" },
      { to: "left[]", forEach: "nothing", from: "a", omitEmpty: true },
    ];
    expect(output(rules, { x: 4 })).toEqual({ one: [5], none: [] });
    expect(failure([{ to: "none[]", forEach: "nothing", from: "a", required: true }], {})).toBe(
      "none: at least one item is required, but the source has none [source nothing]",
    );
  });

  it("can use outer names at every depth", () => {
    const rule = {
      to: "o[]",
      forEach: "orders",
      as: "order",
      map: [
        {
          to: "l[]",
          forEach: "lines",
          as: "line",
          map: [
            { to: "x", expr: "order.id + '/' + line.n + '/' + $.top + '/' + $order.id" },
            { to: "s", expr: "count(order.lines[? n < $line.n])" },
          ],
        },
      ],
    };
    expect(output([rule], { top: "T", orders: [{ id: "A", lines: [{ n: 1 }, { n: 2 }] }] })).toEqual({
      o: [
        {
          l: [
            { x: "A/1/T/A", s: 0 },
            { x: "A/2/T/A", s: 1 },
          ],
        },
      ],
    });
  });

  it("names the invalid item", () => {
    expect(failure([{ to: "n[]", forEach: "xs", from: "v", type: "integer" }], { xs: [{ v: 1 }, { v: "x" }] })).toBe(
      'n[1]: expected integer, got "x" [source xs[1].v]',
    );
    expect(failure([{ to: "n[]", forEach: "xs", expr: "number($item)" }], { xs: [1, "x"] })).toBe('n[1]: expected a number, got "x" [source xs[1]]');
    const arranged = { to: "n[]", forEach: "xs", where: "$item != 1", sort: "$item", expr: "number($item)" };
    expect(failure([arranged], { xs: [1, "x", 7] })).toBe('n[1]: expected a number, got "x" [source xs[1]]');
  });
});

describe("parts", () => {
  const parts = {
    address: {
      map: [
        { to: "city", from: "city", required: true },
        { to: "tree", use: "node", with: "tree" },
      ],
    },
    node: {
      map: [
        { to: "v", from: "v" },
        { to: "children[]", forEach: "children", use: "node", omitEmpty: true },
      ],
    },
  };

  it("can be used with another item, including recursively", () => {
    const document = { ...jsonRules({ to: "a", use: "address", with: "addr" }, { to: "none", use: "address", with: "nothing" }), parts };
    expect(runMapping(document, { addr: { city: "Rome", tree: { v: 1, children: [{ v: 2, children: [{ v: 3 }] }] } } })).toEqual({
      output: { a: { city: "Rome", tree: { v: 1, children: [{ v: 2, children: [{ v: 3 }] }] } } },
      errors: [],
    });
    expect(runMapping(document, { addr: { city: null } }).errors[0]).toMatchObject({
      message: "a.city: a value is required, but the source has none [source addr.city]",
      rule: "parts.address.map[0]",
    });
  });

  it("fail when the source is nested too deeply", () => {
    let tree: unknown = { v: 0 };
    for (let depth = 0; depth < 150; depth++) tree = { v: depth, children: [tree] };
    expect(runMapping({ ...jsonRules({ to: "t", use: "node", with: "$" }), parts }, tree).errors[0]).toMatchObject({ code: "limit" });
  });

  it("can be imported; the document's own names take precedence", () => {
    const environment = environmentOf(
      {},
      {
        lib: {
          parts: { p: { map: [{ to: "from", value: "lib" }] }, q: { map: [{ to: "from", value: "lib" }] } },
          functions: { twice: { args: ["n"], expr: "n * 2" } },
        },
        loop: { import: ["loop"] },
      },
    );
    const document = {
      ...jsonRules({ to: "p", use: "p" }, { to: "q", use: "q" }, { to: "n", expr: "twice(4)" }),
      import: ["lib", "loop"],
      parts: { p: { map: [{ to: "from", value: "own" }] } },
    };
    expect(runMapping(document, {}, { environment })).toEqual({ output: { p: { from: "own" }, q: { from: "lib" }, n: 8 }, errors: [] });
    expect(problemsOf({ ...jsonRules(), import: ["nosuch"] }, environment)).toEqual(["unknown message mapping 'nosuch'"]);
  });

  it("can come from a document that several imports share", () => {
    const environment = environmentOf(
      {},
      {
        base: { parts: { leaf: { map: [{ to: "v", value: 1 }] } } },
        one: { import: ["base"], parts: { one: { map: [{ to: "leaf", use: "leaf" }] } } },
        two: {
          import: ["base", "one"],
          parts: {
            two: {
              map: [
                { to: "leaf", use: "leaf" },
                { to: "one", use: "one" },
              ],
            },
          },
        },
      },
    );
    const document = { ...jsonRules({ to: "one", use: "one" }, { to: "two", use: "two" }), import: ["one", "two"] };
    expect(runMapping(document, {}, { environment }).output).toEqual({ one: { leaf: { v: 1 } }, two: { leaf: { v: 1 }, one: { leaf: { v: 1 } } } });
    expect(mappingOf(document, environment).imports).toEqual(["one", "base", "two"]);
  });
});

describe("lookups", () => {
  const environment = environmentOf({
    plants: { columns: ["co", "unit", "werk"], rows: [["1", "B", "W1"]] },
    uom: { entries: { piece: "ST" }, default: "XX" },
  });
  const rule = { to: "w", lookup: { table: "plants", key: { co: "company", unit: "bu" }, to: "werk" } };

  it("accept composite keys", () => {
    expect(runMapping(jsonRules(rule), { company: 1, bu: "B" }, { environment }).output).toEqual({ w: "W1" });
    expect(runMapping(jsonRules(rule), { company: 1, bu: "C" }, { environment }).errors[0]?.message).toBe(
      `w: no entry for "1", "C" in value-mapping table 'plants' (co, unit -> werk) [source company]`,
    );
  });

  it("use the rule's default for a missing key, and onMissing or the table's default for a missing entry", () => {
    const rules = [
      { to: "a", lookup: { table: "uom", key: "a" } },
      { to: "b", lookup: { table: "uom", key: "b", onMissing: "null" } },
      { ...rule, default: "none" },
    ];
    expect(runMapping(jsonRules(...rules), { a: "crate", b: "crate" }, { environment }).output).toEqual({ a: "XX", b: null, w: "none" });
  });

  it("use the new entries after a table is replaced", () => {
    const changing = environmentOf({ uom: { entries: { a: "1" } } });
    const { mapping } = compileMapping(jsonRules({ to: "x", lookup: { table: "uom", key: "k" } }), changing);
    const run = () => mapping?.run({ body: { k: "a" }, headers: { get: () => undefined, toObject: () => ({}) }, params: {}, now: 0 }).output;
    expect(run()).toEqual({ x: "1" });
    changing.tables.set("uom", environmentOf({ uom: { entries: { a: "2" } } }).tables.get("uom")!);
    expect(run()).toEqual({ x: "2" });
  });
});

describe("errors", () => {
  const document = {
    ...jsonRules(
      { to: "a", from: "a", type: "integer" },
      { to: "b", from: "b", required: true },
      { to: "l[]", forEach: "l", map: [{ to: "n", from: "n", type: "number" }] },
    ),
    onError: "all",
  };

  it("are all reported on request", () => {
    const { output: mapped, errors } = runMapping(document, { a: "x", l: [{ n: 1 }, { n: "y" }, { n: "z" }] });
    expect(mapped).toBeUndefined();
    expect(errors.map(({ message }) => message)).toEqual([
      'a: expected integer, got "x" [source a]',
      "b: a value is required, but the source has none [source b]",
      'l[1].n: expected a number, got "y" [source l[1].n]',
      'l[2].n: expected a number, got "z" [source l[2].n]',
    ]);
    expect(runMapping({ ...document, onError: "first" }, { a: "x", l: [] }).errors).toHaveLength(1);
  });

  it("stop after a hundred", () => {
    expect(runMapping(document, { a: 1, b: 1, l: Array.from({ length: 500 }, () => ({ n: "x" })) }).errors).toHaveLength(100);
  });

  it("report a mapping that exceeds the step limit", () => {
    const list = Array.from({ length: 3000 }, (_, index) => index);
    const rule = { to: "x[]", forEach: "l", map: [{ to: "y", expr: "count($.l[*].n)" }] };
    expect(runMapping(jsonRules(rule), { l: list }).errors[0]).toMatchObject({
      code: "limit",
      message: expect.stringContaining("the mapping takes more than 5000000 steps for one message"),
    });
  });

  it("report a body that is not JSON", () => {
    expect(runMapping(jsonRules(), "{").errors).toEqual([
      { field: "", rule: "", code: "input", message: expect.stringMatching(/^the source is not valid JSON/), source: null, value: null },
    ]);
  });
});

describe("checks of the document", () => {
  it.each([
    [
      { to: "x", form: "a" },
      ["x: unknown property 'form' in a rule (did you mean 'from'?)", "x: exactly one of from, value, expr, lookup, switch, use, map or forEach is required"],
    ],
    [{ to: "x", from: "a", as: "y" }, ["x: unknown property 'as' in a rule without forEach"]],
    [{ from: "a" }, ["map[0]: 'to' must name a target field"]],
    [{ to: "a..b", from: "a" }, ["map[0]: 'to' must name a target field, not 'a..b'"]],
    [{ to: "x", from: "a", type: "int" }, ["x: 'type' must be one of string, integer, number, boolean, date, dateTime, time, got \"int\""]],
    [{ to: "x", from: "a", pattern: "(" }, ["x: the regular expression '(' is invalid: missing closing ): `(`"]],
    [{ to: "x", from: "a", type: "date", format: "ppp" }, ["x: the date pattern 'ppp' is invalid: unknown letter p; quote literal text as 'text'"]],
    [{ to: "x", from: "a", type: "date", format: { in: 5, out: "yyyy" } }, ["x: 'format' of a date must be a pattern such as yyyy-MM-dd, or {in, out}"]],
    [{ to: "x", from: "a", type: "date", format: 5 }, ["x: 'format' of a date must be a pattern such as yyyy-MM-dd, or {in, out}"]],
    [{ to: "x", from: "a", type: "date", format: { input: "yyyy" } }, ["x: 'format': unknown property 'input'"]],
    [{ to: "x", from: "a", type: "date", format: { in: "EEE dd" } }, ["x: 'E' cannot be used to parse a date: use y, M, d, H, m, s, S, X or Z"]],
    [{ to: "x", expr: "parseDate(a, 'EEE')" }, ["x: 'E' cannot be used to parse a date: use y, M, d, H, m, s, S, X or Z"]],
    [{ to: "x", from: "a", scale: 50 }, ["x: 'scale' must be a number of decimals from 0 to 12"]],
    [{ to: "x[]", forEach: "a" }, ["x[]: forEach needs map or another source for its items"]],
    [{ to: "x", use: "nosuch" }, ["x: unknown part 'nosuch'"]],
    [{ to: "x", lookup: { table: "uomx", key: "k" } }, ["x: unknown value-mapping table 'uomx'"]],
    [{ to: "x", lookup: { table: "uom", key: "k", to: "nosuch" } }, ["x: value-mapping table 'uom' has no column 'nosuch': it has from, to"]],
    [{ to: "x", lookup: { key: "k" } }, ["x: 'lookup' requires 'table' and 'key'"]],
    [{ to: "x", lookup: { table: "uom", tabel: "uom", key: "k" } }, ["x: unknown property 'tabel' in lookup (did you mean 'table'?)"]],
    [
      { to: "x", lookup: { tabel: "uom", key: "k" } },
      ["x: unknown property 'tabel' in lookup (did you mean 'table'?)", "x: 'lookup' requires 'table' and 'key'"],
    ],
    [{ to: "x", lookup: { table: "uom", key: "k", quantity: 1 } }, ["x: unknown property 'quantity' in lookup"]],
    [{ to: "x", switch: [{ valeu: 1, value: 1 }] }, ["x: unknown property 'valeu' in a switch case (did you mean 'value'?)"]],
    [{ to: "x", switch: [{ value: 1 }, { when: "a", value: 2 }] }, ["x: only the last case of switch can omit 'when'"]],
    [{ to: "x", expr: { jsonpath: "$.a" } }, ["x: the language 'jsonpath' is not available here"]],
    [{ to: "x", map: "no" }, ["x: 'map' must be a list of rules"]],
    [7, ["map[0]: 'to' must name a target field"]],
  ])("%j is rejected", (rule, problems) => {
    expect(problemsOf(jsonRules(rule), environmentOf({ uom: { entries: {} } }))).toEqual(problems);
  });

  it("reports all problems at once", () => {
    expect(
      problemsOf({
        source: { format: "jsn" },
        target: { format: "csv", delimeter: ";" },
        map: [
          { to: "a", expr: "(" },
          { to: "b", from: "c", with: "d" },
        ],
        onErorr: "all",
      }),
    ).toEqual([
      'source.format: expected one of json, xml, csv, fixed, edi, got "jsn"',
      "target: format csv has no option 'delimeter' (did you mean 'delimiter'?)",
      "unknown property 'onErorr' (did you mean 'onError'?)",
      "a: unexpected end of the expression at column 2 of '('",
      "b: 'with' requires 'use'",
    ]);
  });

  it("checks paths against a schema and lists unmapped required fields", () => {
    const schema = {
      type: "object",
      properties: { id: { type: "string" }, lines: { type: "array", items: { $ref: "#/$defs/line" } }, open: { type: "object" } },
      $defs: { line: { type: "object", properties: { sku: { type: "string" }, qty: { type: "number" } } } },
    };
    const target = {
      type: "object",
      required: ["no", "currency", "items"],
      properties: { no: {}, currency: {}, items: { type: "array", items: { type: "object", required: ["sku", "unit"], properties: { sku: {}, unit: {} } } } },
    };
    const check = (...map: readonly unknown[]) =>
      compileMapping({ source: { format: "json", schema }, target: { format: "json", schema: target }, map }, environmentOf());
    const good = check(
      { to: "no", from: "id" },
      { to: "items[]", forEach: "lines", map: [{ to: "sku", from: "sku" }] },
      { to: "currency", expr: "open.whatever" },
    );
    expect([good.problems, good.warnings]).toEqual([[], ["target field 'items[].unit' is required by the schema but not mapped"]]);
    expect(check({ to: "no", from: "id" }, { to: "items[]", from: "lines" }).warnings).toEqual([
      "target field 'currency' is required by the schema but not mapped",
    ]);
    const bad = check(
      { to: "no", from: "idd" },
      {
        to: "items[]",
        forEach: "lines",
        map: [
          { to: "sku", from: "sk" },
          { to: "unti", value: 1 },
        ],
      },
      { to: "currency", expr: "lines.sku + sum(lines[*].(qty * prize))" },
    );
    expect(bad.problems.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      "no: the source has no field 'idd' (did you mean 'id'?)",
      "items[].sku: the source has no field 'sk' (did you mean 'sku'?)",
      "items[].unti: the target has no field 'unti' (did you mean 'unit'?)",
      "currency: the source has no field 'sku': its parent is a list; write [*].sku or [0].sku",
      "currency: the source has no field 'prize'",
    ]);
  });

  it("checks the fields of a list's items, with or without brackets after its name", () => {
    const sample = { items: [{ sku: "a" }], one: { sku: "a" } };
    const map = ["items", "items[]", "one"].map((to) => ({
      to,
      forEach: "l",
      map: [
        { to: "sku", from: "a" },
        { to: "skv", from: "a" },
      ],
    }));
    expect(problemsOf({ source: { format: "json" }, target: { format: "json", sample }, map })).toEqual(
      map.map(({ to }) => `${to}.skv: the target has no field 'skv' (did you mean 'sku'?)`),
    );
    const xml = { format: "xml", root: "r", sample: '<r><Line no="1"/><Line no="2"/></r>' };
    expect(problemsOf({ source: { format: "json" }, target: xml, map: [{ to: "Line", forEach: "l", map: [{ to: "@no", from: "n" }] }] })).toEqual([]);
  });

  it("checks paths against a sample, including paths in parts and variables", () => {
    const document = {
      source: { format: "csv", sample: "Amount;Country\n1;2", delimiter: ";" },
      target: { format: "json" },
      vars: [{ name: "live", expr: "rows[? Amount > 0]" }],
      parts: { p: { map: [{ to: "c", from: "Plant" }] } },
      map: [{ to: "x[]", forEach: "$live", use: "p" }],
    };
    expect(problemsOf(document)).toEqual(["x[].c: the source has no field 'Plant'"]);
  });

  it("warns about a field that is mapped twice", () => {
    expect(
      compileMapping(jsonRules({ to: "x", value: 1 }, { to: "x", value: 2 }, { to: "y", value: 1 }, { to: "y", when: "a", value: 2 }), environmentOf())
        .warnings,
    ).toEqual(["target field 'x' is mapped twice: the last rule wins"]);
  });

  it("runs the tests in the document", () => {
    const rules = jsonRules({ to: "x", expr: "$params.p + a", type: "integer" }, { to: "l[]", forEach: "l", from: "v" });
    const tests = [
      { name: "good", input: { a: 1, l: [{ v: 1 }] }, params: { p: 1 }, output: { x: 2, l: [1] } },
      { name: "value", input: { a: 1, l: [{ v: 1 }] }, params: { p: 1 }, output: { x: 2, l: [2] } },
      { name: "count", input: { a: 1 }, params: { p: 1 }, output: { x: 2, l: [1] } },
      { name: "error", input: { a: "b" }, error: "x: expected integer" },
      { name: "fails", input: { a: "b" }, output: {} },
      { input: {} },
    ];
    expect(problemsOf({ ...rules, tests })).toEqual([
      "test 'value' failed: l[0]: expected 2, got 1",
      "test 'count' failed: l: expected a list of length 1, got length 0",
      "test 'fails' failed: x: expected integer, got \"b\"",
      "tests[5]: a test needs 'input' and either 'output' or 'error'",
    ]);
  });
});
