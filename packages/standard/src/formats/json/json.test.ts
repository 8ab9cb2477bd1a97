import { exchangeOf, optionsOf, SteppingClock } from "@sluice/testkit";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { json } from "./json.ts";

const format = (options: Record<string, string> = {}) => json.create(optionsOf(json, options));
const read = (body: unknown, options?: Record<string, string>): unknown => format(options).unmarshal(body, exchangeOf(body));
const write = (body: unknown, options?: Record<string, string>): unknown => format(options).marshal(body, exchangeOf(body));
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("reading", () => {
  test.each([
    ['{"a":1,"b":["x",true,null],"c":{"d":1.5}}', { a: 1, b: ["x", true, null], c: { d: 1.5 } }],
    ["7", 7],
    [bytes("\ufeff[1]"), [1]],
    [
      '{"id":12345678901234567890,"s":"12345678901234567890","d":1.1234567890123456789,"e":1.5e300}',
      { id: 12345678901234567890n, s: "12345678901234567890", d: 1.1234567890123457, e: 1.5e300 },
    ],
    ["[9007199254740991, -9007199254740993]", [9007199254740991, -9007199254740993n]],
    [
      String.raw`{"a\\":12345678901234567890,"b\"1234567890123456789":"\\\"[12345678901234567890"}`,
      { "a\\": 12345678901234567890n, 'b"1234567890123456789': '\\"[12345678901234567890' },
    ],
  ])("parses %s", (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  test("a long string next to a long number is read, and a long unterminated string is rejected", () => {
    const long = "x".repeat(12_000_000);
    expect(read(`{"text":"${long}","id":12345678901234567890}`)).toEqual({ text: long, id: 12345678901234567890n });
    expect(() => read(`[12345678901234567890,"${long}`)).toThrowError(expect.objectContaining({ code: "invalid-json" }));
  });

  test("a number that is too long to parse quickly is rejected", () => {
    expect(() => read(`[${"1".repeat(9_000_000)}]`)).toThrowError(expect.objectContaining({ code: "invalid-json", details: { clientFault: true } }));
    expect(read("1".repeat(1000))).toBe(BigInt("1".repeat(1000)));
  });

  test("a stream is collected", async () => {
    const stream = (async function* () {
      yield bytes('{"a"');
      yield ":1}";
    })();
    expect(await read(stream)).toEqual({ a: 1 });
  });

  test("an object stays unchanged", () => {
    const body = { a: 1 };
    expect(read(body)).toBe(body);
  });

  test("useList always returns a list", () => {
    expect(read('{"i":1}', { useList: "true" })).toEqual([{ i: 1 }]);
  });

  test("a member named __proto__ is data", () => {
    const value = read('{"__proto__":{"polluted":1}}') as object;
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test.each([
    ['{"a":', "unexpected end of input at line 1, column 6"],
    ['{\n  "a": x}', 'unexpected "x" at line 2, column 8'],
    ["", "it is empty"],
    ["{12345678901234567890: 1}", "line 1, column 2"],
    ["[1,]", 'unexpected "]" at line 1, column 4'],
    ["[1 2]", 'unexpected "2" at line 1, column 4'],
    ['{"a" 1}', 'unexpected "1" at line 1, column 6'],
    ["{} x", 'unexpected "x" at line 1, column 4'],
    ["[}", 'unexpected "}" at line 1, column 2'],
    ['"a\nb"', "line 1, column 1"],
  ])("%j is rejected", (text, message) => {
    expect(() => read(text)).toThrowError(
      expect.objectContaining({ code: "invalid-json", message: expect.stringContaining(message), details: { clientFault: true } }),
    );
  });
});

describe("writing", () => {
  test.each([
    [{ a: 1, b: [1, 2] }, '{"a":1,"b":[1,2]}'],
    ["text", '"text"'],
    [null, "null"],
    [new Map<string, unknown>([["k", new Set([1])]]), '{"k":[1]}'],
    [{ n: 12345678901234567890n }, '{"n":12345678901234567890}'],
    [bytes('{"a": 1}'), '{"a":1}'],
    [bytes("plain"), '"plain"'],
  ])("writes %s", (body, expected) => {
    expect(write(body)).toBe(expected);
  });

  test("prettyPrint and include control indentation and null members", () => {
    expect(write({ a: [1] }, { prettyPrint: "true" })).toBe('{\n  "a" : [ 1 ]\n}');
    const long = "x\n".repeat(6_000_000);
    expect(write({ a: long }, { prettyPrint: "true" })).toBe(`{\n  "a" : ${JSON.stringify(long)}\n}`);
    expect(write({ "k{": [{ b: {} }, [], 'say "[x]", \\'], n: null }, { prettyPrint: "true" })).toBe(
      '{\n  "k{" : [ {\n    "b" : { }\n  }, [ ], "say \\"[x]\\", \\\\" ],\n  "n" : null\n}',
    );
    expect(write("text", { prettyPrint: "true" })).toBe('"text"');
    expect(write({ a: null, b: { c: null, d: 1 } }, { include: "NON_NULL" })).toBe('{"b":{"d":1}}');
  });

  test("the content type is set unless it is disabled", () => {
    const withHeader = exchangeOf({});
    format().marshal({}, withHeader);
    expect(withHeader.message.headers.get("content-type")).toBe("application/json");
    const withoutHeader = exchangeOf({});
    format({ contentTypeHeader: "false" }).marshal({}, withoutHeader);
    expect(withoutHeader.message.headers.has("content-type")).toBe(false);
  });

  test("a circular value is rejected", () => {
    const body: Record<string, unknown> = {};
    body["self"] = body;
    expect(() => write(body)).toThrowError(expect.objectContaining({ code: "json-unwritable" }));
  });
});

test("written JSON is read back unchanged", () => {
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.string(),
      fc.integer(),
      fc.bigInt().filter((big) => !Number.isSafeInteger(Number(big))),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("any"), { maxLength: 3 }),
      fc.dictionary(fc.string(), tie("any"), { maxKeys: 3, noNullPrototype: true }),
    ),
  })).any;
  fc.assert(
    fc.property(value, (body) => {
      expect(read(write(body) as string)).toEqual(body);
    }),
    { numRuns: 200 },
  );
});

test("indentation cannot make a body arbitrarily long", async () => {
  const deep = `[${Array.from({ length: 200 }, () => `${'{"a":'.repeat(900)}1${"}".repeat(900)}`).join()}]`;
  const pretty = json.create(optionsOf(json, { prettyPrint: "true" }), new SteppingClock(20));
  await expect(Promise.resolve(pretty.marshal(new TextEncoder().encode(deep), exchangeOf()))).rejects.toThrowError(
    expect.objectContaining({ code: "limit-payload" }),
  );
});
