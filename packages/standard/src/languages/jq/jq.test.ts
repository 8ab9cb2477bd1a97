import { FakeHost, languageUnderTest } from "@sluice/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import cases from "./jq-cases.json" with { type: "json" };
import { compileJq } from "./jq-program.ts";
import { jq } from "./jq.ts";

const { evaluate, matches, scope } = languageUnderTest(jq, { host: new FakeHost() });

function outputs(program: string, input: unknown): unknown[] {
  const found: unknown[] = [];
  const exchange = { message: { headers: new Map() } } as never;
  compileJq(program, scope.host.clock).run(input, exchange, (value) => found.push(value));
  return found;
}

const throwsFlowError = (type: string, text: string): Error => expect.objectContaining({ type, message: expect.stringContaining(text) as string }) as Error;
const failed = (text: string): Error => throwsFlowError("org.apache.camel.ExpressionEvaluationException", text);

describe("jq programs", () => {
  // Each row was verified with the jq command, version 1.6.
  it("returns the same results as the jq command", () => {
    for (const [program, input, expected] of cases as [string, unknown, unknown[]][])
      expect(JSON.parse(JSON.stringify(outputs(program, input))), program).toEqual(expected);
    expect(cases.length).toBeGreaterThan(400);
  });

  it.each([
    ["[limit(0; 1, 2)]", null, [[]]],
    ["map_values(empty)", [1, 2, 3], [[]]],
    ["(.[] | select(. >= 2)) |= empty", [1, 5, 3, 0], [[1, 0]]],
    ["if . then 1 end", null, [null]],
    ['.a // constant(sweden), constant("a b")', {}, ["sweden", "a b"]],
    ["pick(.a.b)", { a: { b: 1, c: 2 } }, [{ a: { b: 1 } }]],
    ["trim", "  a b ", ["a b"]],
    ["[.[] | abs]", [1, -2], [[1, 2]]],
    [".a.[0]", { a: [7] }, [7]],
    [".a?//9", 5, [9]],
    ["try error(null) catch .", 1, [null]],
    ["ascii", 65, ["A"]],
    ['strptime("%I:%M %p") | .[3:5]', "01:30 PM", [[13, 30]]],
    ['strptime("%I%p, %Y") | .[3]', "12am, 2020", [0]],
    ['strptime("%I%p") | .[3]', "12PM", [12]],
    ["@base32", "hi", ["NBUQ===="]],
    ["@base32d", "NBUQ====", ["hi"]],
    [
      "from_entries",
      [
        { k: "a", v: 1 },
        { name: 1, value: 2 },
      ],
      [{ a: 1, 1: 2 }],
    ],
    ['splits("a+"; null)', "xaayaz", ["x", "y", "z"]],
    ["[.[] as [$a] ?// $a | $a]", [[1], 2], [[1, 2]]],
    ['(try (1, error("in")) catch .)', null, [1, "in"]],
    ["now", null, [Date.UTC(2026, 0, 5, 10, 0, 0) / 1000]],
  ])("evaluates %s like jq 1.7", (program, input, expected) => {
    expect(outputs(program, input)).toEqual(expected);
  });

  it("catches only errors of the tried expression itself", () => {
    expect(() => outputs('try (1, 2) catch 3 | error("later")', null)).toThrow(failed("later"));
    expect(() => outputs('(.a)? | error("later")', { a: 1 })).toThrow(failed("later"));
  });

  it.each([
    ["env", "environment"],
    ["$ENV.PATH", "environment"],
    ["input", "the message is the only input"],
    ["inputs", "the message is the only input"],
    ["halt", "the step stop"],
    ["input_filename", "no input file"],
    ["nosuch(1)", "nosuch/1 is not defined"],
    ["$nosuch", "$nosuch is not defined"],
    ["@base32x", "unknown format '@base32x': use @text, @json"],
    ['{@nosuch "a": 1}', "unknown format '@nosuch'"],
    [".a |", "unexpected end of the program"],
    ["{a:", "unexpected end of the program"],
    ['"abc', "the string is not closed"],
    ["if 1 then 2", "'end'"],
    [`${"[".repeat(5000)}1${"]".repeat(5000)}`, "nested deeper than 200 levels"],
    [`${"try ".repeat(50_000)}1`, "nested deeper than 200 levels"],
    [`. as ${"[".repeat(50_000)}$a${"]".repeat(50_000)} | $a`, "nested deeper than 200 levels"],
    [`if . then 1 ${"elif . then 1 ".repeat(50_000)}else 2 end`, "nested deeper than 200 levels"],
    [`${"reduce ".repeat(50_000)}1`, "nested deeper than 200 levels"],
    [`1${"+1".repeat(50_000)}`, "more than 500 operators are nested or chained"],
    [`.${"a.".repeat(50_000)}a`, "more than 500 operators are nested or chained"],
  ])("rejects %.20s at deploy time", (program, text) => {
    expect(() => jq.compile(program, {}, scope)).toThrow(
      expect.objectContaining({ name: "CompileError", message: expect.stringContaining(text) as string }) as Error,
    );
  });
});

describe("jq limits", () => {
  it.each([
    "[repeat(1)]",
    "0 | until(false; . + 1)",
    "[range(1e12)]",
    "reduce range(1e12) as $i (0; . + $i)",
    "[limit(1e12; repeat(1))]",
    "reduce range(1e6) as $i ({}; .[$i | tostring] = 1)",
    "[range(3000)] | [combinations(3)]",
  ])("stops %s at the time limit", (program) => {
    expect(() => outputs(program, null)).toThrow(throwsFlowError("java.lang.IllegalStateException", "time limit"));
  });

  it("evaluates programs up to the depth limit", () => {
    expect(outputs(`1${"+1".repeat(490)}`, null)).toEqual([491]);
    expect(outputs(`${"[".repeat(190)}1${"]".repeat(190)} | flatten`, null)).toEqual([[1]]);
    expect(outputs(`[1${",1".repeat(490)}] | length`, null)).toEqual([491]);
    expect(outputs(`try .${"a.".repeat(490)}a`, null)).toEqual([null]);
  });

  it("limits the length of strings, and matches patterns in linear time", () => {
    expect(() => outputs('reduce range(100) as $i ("x"; . + .)', null)).toThrow("size limit");
    expect(() => outputs('"abc" * 1e12', null)).toThrow("size limit");
    expect(outputs('"" * infinite', null)).toEqual([""]);
    expect(outputs('test("^(a+)+$")', `${"a".repeat(50)}b`)).toEqual([false]);
  });

  it("builds large results in place inside a reduce and nowhere else", () => {
    expect((outputs("reduce range(20000) as $i ([]; . + [$i])", null)[0] as unknown[]).length).toBe(20000);
    const input = { a: [1], b: { c: 1 } };
    expect(outputs("reduce (1, 2) as $i (.; .a += [$i] | .b.c = $i) | [., $__loc__.line]", input)).toEqual([[{ a: [1, 1, 2], b: { c: 2 } }, 1]]);
    expect(input).toEqual({ a: [1], b: { c: 1 } });
    expect(outputs("reduce range(3) as $i ({}; .x.n = $i | .x |= {l: ., r: .} | .x.l.n = 9) | .x.r.n", null)).toEqual([2]);
  });
});

describe("jq and messages", () => {
  it("returns one output directly, several as a list, none as null", () => {
    expect(evaluate(".a", { body: '{"a":1}' })).toBe(1);
    expect(evaluate(".[]", { body: "[1,2]" })).toEqual([1, 2]);
    expect(evaluate("empty", { body: "[1,2]" })).toBeNull();
  });

  it("reads headers, properties, variables and other sources", () => {
    expect(
      evaluate('[header("K"), property("p"), variable("v"), header("none"), header("none"; 7), (body() | .n)]', {
        body: '{"n":1}',
        headers: { k: "K" },
        properties: { p: new Map([["x", 1]]) },
        variables: { v: [1] },
      }),
    ).toEqual(["K", { x: 1 }, [1], null, 7, 1]);
    expect(evaluate(".n", { body: "x", headers: { h: '{"n":3}' }, options: { source: "header:h", resultType: "java.lang.String" } })).toBe("3");
  });

  it("reads bytes, maps and dates", () => {
    expect(evaluate(".a", { body: new TextEncoder().encode('{"a":2}') })).toBe(2);
    expect(
      evaluate("{a: .a.b, d}", {
        body: new Map<string, unknown>([
          ["a", new Map([["b", 1]])],
          ["d", new Date(0)],
        ]),
      }),
    ).toEqual({ a: 1, d: "1970-01-01T00:00:00.000Z" });
  });

  it("evaluates predicates", () => {
    expect(matches('.state == "open"', { body: '{"state":"open"}' })).toBe(true);
    expect(matches(".n < 10", { body: '{"n":50}' })).toBe(false);
    expect(matches("empty", { body: "{}" })).toBe(false);
  });

  it("reports errors", () => {
    expect(() => evaluate(".a + 1", { body: '{"a":"x"}' })).toThrow(failed('string ("x") and number (1) cannot be added'));
    expect(() => evaluate(".a", { body: "plain" })).toThrow("jq needs JSON");
  });

  it("treats the names of prototype members as ordinary keys", () => {
    expect(outputs("[.constructor, .__proto__, .toString]", {})).toEqual([[null, null, null]]);
    const [object] = outputs('{"__proto__": {"polluted": 1}} | .["__proto__"].x = 2 | . + {"__proto__": 3} | . * {"constructor": {"prototype": 1}}', null) as [
      object,
    ];
    expect(Object.keys(object)).toEqual(["__proto__", "constructor"]);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(evaluate(".a", { body: '{"a":{"n":1}}' })).toEqual({ n: 1 });
  });

  it("returns copies of parsed values", () => {
    const body = new TextEncoder().encode('{"a":{"n":1}}');
    (evaluate(".a", { body }) as { n: number }).n = 2;
    expect(evaluate(".a", { body })).toEqual({ n: 1 });
  });

  it("compiles any text or rejects it with a CompileError", () => {
    const words =
      '. .. .a [ ] ( ) { } | , : ; ? // ?// = |= == + - * " "a" \\ \\( $x @base64 1 1e if then elif else end try catch reduce foreach as def f label break and or not map # é';
    fc.assert(
      fc.property(fc.array(fc.constantFrom("\n", ...words.split(" ")), { maxLength: 25 }), fc.constantFrom("", " "), (parts, between) => {
        const program = parts.join(between);
        try {
          compileJq(program, scope.host.clock);
        } catch (error) {
          expect(error, program).toMatchObject({ name: "CompileError" });
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it("round-trips any JSON through text, streams and paths", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.parse(JSON.stringify(value)) as unknown;
        expect(outputs("tojson | fromjson", json)).toEqual([json]);
        expect(outputs("[tostream] | fromstream(.[])", json)).toEqual([json]);
        expect(outputs("[paths] as $p | reduce $p[] as $x (.; setpath($x; getpath($x)))", json)).toEqual([json]);
      }),
      { numRuns: 100 },
    );
  });
});

it("text that is almost a number or almost base64 is rejected", () => {
  expect(() => evaluate("tonumber", { body: JSON.stringify(`${"0".repeat(1_000)}!`) })).toThrow("Invalid numeric literal");
  expect(() => evaluate("@base64d", { body: JSON.stringify(`${"=".repeat(1_000)}!`) })).toThrow("not valid base64");
});
