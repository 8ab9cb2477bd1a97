import { callGrowth, flow, languageUnderTest } from "@sluice/testkit";
import type { CompileError } from "@sluice/engine/spi";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { groovy } from "./groovy.ts";
import { parseGroovy } from "./groovy-parser.ts";

const quoted = (text: string): string => JSON.stringify(text);

async function evaluate(script: string, body: unknown = null, headers: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
  const run = await flow(`setBody: {groovy: {expression: ${quoted(script)}}}`);
  const outcome = await run({ body, headers });
  if (outcome.error !== undefined) throw new Error(outcome.error);
  return outcome.body;
}

describe("groovy", () => {
  it.each<[string, unknown]>([
    ["1 + 2 * 3", 7],
    ["(1 + 2) * 3", 9],
    ["7 / 2", 3.5],
    ["1 / 3", 0.3333333333],
    ["7.intdiv(2)", 3],
    ["0.1 + 0.2", 0.3],
    ["2 ** 10", 1024],
    ["10 % 4", 2],
    ["-5.abs()", -5],
    ["'a' + 1 + null", "a1null"],
    ["'ab' * 3", "ababab"],
    ["[1, 2] + 3", [1, 2, 3]],
    ["[1, 2, 3] - [2]", [1, 3]],
    ["'x' == 'x' && 1 == 1.0 && null == null", true],
    ["1 == '1'", false],
    ["[1, 2] == [1, 2]", true],
    ["3 <=> 5", -1],
    ["!'' && !0 && ![] && ![:] && !null", true],
    ["null ?: 'other'", "other"],
    ["true ? 'a' : 'b'", "a"],
    ["1 > 2 ? 'a' : 2 > 1 ? 'b' : 'c'", "b"],
    ["'b' in ['a', 'b']", true],
    ["'abc' ==~ /a.c/ && 'xabcx' =~ /abc/", true],
    ["(1..3).collect { it * 2 }", [2, 4, 6]],
    ["'5' as Integer", 5],
    ["5 instanceof Integer && !('5' instanceof Number)", true],
    ['"a ${1 + 1} $body.x.y b"', "a 2 z b"],
    ["'no ${insert}'", "no ${insert}"],
    ['"""two\nlines"""', "two\nlines"],
    ['"${[a: 1, b: [2, 3]]}"', "[a:1, b:[2, 3]]"],
    ["def x = 2; def y = x + 1; x * y", 6],
    ["def list = [3, 1]\nlist\n  .sort()\n  .join('-')", "1-3"],
    ["if (body.x) { 'yes' } else { 'no' }", "yes"],
    ["if (!body.x) return 'early'\n'late'", "late"],
    ["String s = 'typed'\nreturn s.toUpperCase()", "TYPED"],
    ["def List<String> x\nx = ['a']\nx", ["a"]],
    ["Map<String, List<Integer>> m = [a: [1]]\nfinal def n = m.a[0]\nn", 1],
    ["def var = 1; 5", 5],
    ["[(1 + 1): 'two', ('a' + 'b'): [(1)]]", { 2: "two", ab: [1] }],
    ["def total = 0; [1, 2, 3].each { total += it }; total", 6],
    ["import java.util.UUID\nUUID.randomUUID().toString().length()", 36],
    ["Math.max(3, 9)", 9],
    ["String.format('%05d|%.2f|%-4s|', 42, 1.5, 'x')", "00042|1.50|x   |"],
    ["new groovy.json.JsonSlurper().parseText('{\"a\": [1]}').a[0]", 1],
    ["groovy.json.JsonOutput.toJson([a: 1, b: 'x'])", '{"a":1,"b":"x"}'],
    ["'a,b,,'.split(',')", ["a", "b"]],
    ["'a1b2'.replaceAll(/[0-9]/, '#')", "a#b#"],
    ["'ab'.replaceAll(/(a)(b)/, '$2$1')", "ba"],
    ["'hello world'.split(' ').collect { it.capitalize() }.join(' ')", "Hello World"],
    ["'x'.bytes.encodeBase64().toString()", "eA=="],
    ["'abc'[0] + 'abc'[-1] + 'abcdef'[1..3]", "acbcd"],
    ["[[n: 1], [n: 2]]*.n", [1, 2]],
    ["[[n: 1], [n: 2]].n", [1, 2]],
    ["[a: 1, b: 2].collect { k, v -> k + v }", ["a1", "b2"]],
    ["[a: 1, b: 2].findAll { it.value > 1 }", { b: 2 }],
    ["[3, 1, 2].sort { a, b -> b <=> a }", [3, 2, 1]],
    ["[1, 2, 3, 4].groupBy { it % 2 == 0 ? 'even' : 'odd' }", { odd: [1, 3], even: [2, 4] }],
    ["[1, 2, 3].inject(0) { sum, n -> sum + n }", 6],
    ["['a', 'b'].collectEntries { [it, it * 2] }", { a: "aa", b: "bb" }],
    ["[1, [2, [3]]].flatten().sum()", 6],
    ["new HashMap([a: 1]) + new LinkedHashMap(body.x) + new HashMap(16)", { a: 1, y: "z" }],
    ["def copy = new HashMap(new HashMap(headers)); copy.b = 2; copy", { b: 2, tier: "gold" }],
    ["body.x?.nothing?.more", null],
    ["body.list.find { it.id == 2 }?.name ?: 'none'", "two"],
    ["body.list.max { it.id }.name", "two"],
    ["// a comment\nbody.x.y /* another */", "z"],
  ])("evaluates %s", async (script, expected) => {
    const body = {
      x: { y: "z" },
      list: [
        { id: 1, name: "one" },
        { id: 2, name: "two" },
      ],
    };
    const result = await evaluate(script, body, { tier: "gold" });
    expect(JSON.parse(JSON.stringify(result, (_key, value: unknown) => (value instanceof Map ? Object.fromEntries(value) : value)))).toEqual(expected);
  });

  it("reads headers case-insensitively, properties, variables and the exchange", async () => {
    expect(await evaluate("headers.TIER + request.headers['tier'] + exchange.message.getHeader('Tier', String.class)", "", { tier: "gold" })).toBe(
      "goldgoldgold",
    );
    expect(
      await evaluate("[headers.get('TIER'), headers.getOrDefault('Tier', 1), headers.containsKey('TIER'), headers.get('x', 2)]", "", { tier: "gold" }),
    ).toEqual(["gold", "gold", true, 2]);
    const run = await flow(
      "- setProperty: {name: p, constant: 1}\n- setVariable: {name: v, constant: 2}\n- setBody: {groovy: \"exchangeProperties.p + exchange.getProperty('p') + variables.v\"}",
    );
    expect((await run({ body: "" })).body).toBe("112");
  });

  it("changes the exchange from a script step", async () => {
    const run = await flow("script: {groovy: \"headers['x'] = 'set'; exchange.message.setBody(body + '!')\"}");
    const result = await run({ body: "a" });
    expect([result.body, result.headers["x"]]).toEqual(["a!", "set"]);
  });

  it.each([
    ["for (x in body) { x }", "use each, collect, find or inject with a closure"],
    ["while (true) {}", "use each, collect"],
    ["new java.io.File('/etc/passwd').text", "SERVICE_FUNCTIONS"],
    ["'ls'.execute()", "methods in the reference"],
    ["System.exit(1)", "SERVICE_FUNCTIONS"],
    ["camelContext.stop()", "use {{name}}"],
    ["log.info('x')", "use the step log"],
    ["println it", "groovy-unsupported the function 'println' is not part of the supported groovy subset use the step log, such as {log:"],
    ["[1].each { println it }", "the function 'println' is not part of the supported groovy subset use the step log"],
    ["println(body)", "the function 'println' is not part of the supported groovy subset use the step log"],
    ["def list = []\nlist.add 5", "groovy-syntax 'add' is called without parentheses, which is not supported write add(…)"],
    ["body 5", "groovy-syntax 'body' is called without parentheses, which is not supported write body(…)"],
    ["Runtime.getRuntime()", "SERVICE_FUNCTIONS"],
    ["unknown + 1", "body, headers, exchange"],
    ["String.class.forName('x')", "methods in the reference"],
    ["1 +", "unexpected end of the script"],
    ["'open", "is not closed"],
    ["[a: 1, 2]", "cannot be mixed"],
    ["def a < b", "unexpected '<'"],
    ["def a <", "unexpected '<'"],
    ["def a > b = 1", "unexpected '>'"],
    ["def", "unexpected end of the script"],
  ])("rejects %s at deploy time", (script, reason) => {
    const compile = (): string => {
      try {
        languageUnderTest(groovy).evaluate(script, { body: [] });
        return "accepted";
      } catch (error) {
        const { code, message, hint } = error as CompileError;
        return `${code} ${message} ${hint ?? ""}`;
      }
    };
    expect(compile()).toContain(reason);
    expect(compile()).toMatch(/^groovy-(?:syntax|unsupported) /);
  });

  it.each([
    ["signs", "!".repeat(20_000), "nested deeper than 100 levels"],
    ["lists", `${"[".repeat(20_000)}1`, "nested deeper than 100 levels"],
    ["conditions", `${"if (1) ".repeat(20_000)}1`, "nested deeper than 100 levels"],
    ["blocks", `${"if (1) { ".repeat(20_000)}1`, "nested deeper than 100 levels"],
    ["operators", `1${" + 1".repeat(20_000)}`, "more than 500 operators are nested or chained"],
    ["members", `body${".a".repeat(20_000)}`, "more than 500 operators are nested or chained"],
  ])("limits the number of nested or chained %s", (_what, script, reason) => {
    expect(() => languageUnderTest(groovy).evaluate(script, { body: [] })).toThrow(
      expect.objectContaining({ code: "groovy-syntax", message: expect.stringContaining(reason) }),
    );
  });

  it.each([
    ["body.constructor", null],
    ["body.__proto__", null],
    ["body['constructor']", null],
    ["1.class", undefined],
    ["''.constructor", undefined],
  ])("cannot access anything outside the message with %s", async (script, expected) => {
    if (expected === undefined) await expect(evaluate(script, {})).rejects.toThrow(/has no property|is not part/);
    else expect(await evaluate(script, {})).toBe(expected);
  });

  it("stops scripts with excessive work", async () => {
    await expect(evaluate("(1..1000).collect { a -> (1..1000).collect { b -> a * b } }")).rejects.toThrow("called closures more than");
    await expect(evaluate("'x' * 100000000")).rejects.toThrow("longer than");
    await expect(evaluate("1..100000000")).rejects.toThrow("at most");
    expect(await evaluate("[] * 10000000000")).toEqual([]);
  });

  it.each([
    ["body - body", Array.from({ length: 5_000 }, (_, index) => `k${index}`)],
    ["body.intersect(body)", Array.from({ length: 5_000 }, (_, index) => index)],
    ["body.unique()", Array.from({ length: 5_000 }, (_, index) => ({ index }))],
    ["body.findAll { body.contains(it + 1) }", Array.from({ length: 5_000 }, (_, index) => index * 2)],
    ['body.collect { "${body}" }', Array.from({ length: 5_000 }, (_, index) => index)],
    ["body.inject([]) { all, item -> all + item }", Array.from({ length: 5_000 }, (_, index) => index)],
    ["body.split(/[,;]/)", ",".repeat(2_000_000)],
    ["body.tokenize(',')", "a,".repeat(3_000_000)],
    ["body ==~ /(a+)+b/", "a".repeat(2_000_000)],
  ])("%s is bounded for messages of any size", async (script, body) => {
    await expect(evaluate(script, body)).rejects.toThrow("processes more than 2000000 items or characters");
  });

  it.each([
    ["body.split(',')", "a,,b,,", ["a", "", "b"]],
    ["body.split(',')", ",a", ["", "a"]],
    ["body.split(', ')", "a, b,c", ["a", "b,c"]],
    ["body.split('[.]')", "a.b..", ["a", "b"]],
    ["body.split('.')", "ab", [""]],
    ["body.unique()", [1, "1", 1, null, null, { a: 1 }, { a: 1 }], [1, "1", null, { a: 1 }]],
    ["body.transpose()", [], []],
    ["new ArrayList(body)", 10, []],
  ])("evaluates %s for the body %j", async (script, body, expected) => {
    expect(await evaluate(script, body)).toEqual(expected);
  });

  it.each([
    ["[].inject { a, b -> a + b }", "inject needs an initial value for an empty list"],
    ["[a: 1].subMap(5)", "has no method 'subMap(Integer)'"],
    ["new Date().before('x')", "has no method 'before(String)'"],
  ])("%s fails with an error that names the problem", async (script, message) => {
    await expect(evaluate(script)).rejects.toThrow(message);
  });

  it.each([
    ["parentheses", (depth: number) => `${"[(".repeat(depth)}1${")]".repeat(depth)}`],
    ["strings", (depth: number) => Array.from({ length: depth }).reduce<string>((inner) => `["\${${inner}}"]`, "1")],
  ])("parses nested lists of %s without backtracking", async (_of, scriptOf) => {
    // Backtracking doubles the work for each level. The text inside nested strings is read once per level.
    expect(await callGrowth((depth) => parseGroovy(scriptOf(depth)), 3)).toBeLessThan(64);
  });

  it("parses any sequence of tokens, or rejects it with an error of this language", () => {
    const words =
      'body . ?. *. [ ] ( ) { } -> : ? ?: + - ! * / < > = += == \'a\' "${x}" "${ 1 List String it , ; def var final if else return import new in as instanceof';
    fc.assert(
      fc.property(fc.array(fc.constantFrom("\n", ...words.split(" ")), { maxLength: 20 }), (words) => {
        try {
          parseGroovy(words.join(" "));
        } catch (error) {
          expect((error as { code?: string }).code).toMatch(/^groovy-/);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
