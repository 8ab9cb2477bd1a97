// Message content must not be executed as code, and expressions must stay within their size and time limits.
import { FlowError } from "@sluice/engine/spi";
import { callGrowth, FakeHost, exchangeOf, languageUnderTest } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { simple } from "./simple.ts";

const host = new FakeHost();
host.variables.set("SECRET", "marker");
const { evaluate, matches, scope } = languageUnderTest(simple, { host });

describe("only data is accessible", () => {
  it.each(["constructor", "__proto__", "toString", "hasOwnProperty", "__defineGetter__", "valueOf"])("%s is an ordinary key", (name) => {
    expect(evaluate(`\${body.${name}}`, { body: {} })).toBeNull();
    expect(evaluate(`\${body[${name}]}`, { body: {} })).toBeNull();
    expect(evaluate(`\${header.${name}}`)).toBeNull();
    expect(evaluate(`\${variable.${name}}`)).toBeNull();
    expect(evaluate(`\${body.${name}}`, { body: JSON.parse(`{"${name}": "data"}`) as unknown })).toBe("data");
  });

  it.each(["${body.constructor.constructor('return process')()}", "${body.constructor('x')}", "${body.at(0)}", "${body.__proto__}", "${body.then()}"])(
    "%s fails",
    (text) => {
      for (const body of ["text", [1], 5]) expect(() => evaluate(text, { body })).toThrow();
    },
  );

  it.each(["process", "globalThis.process", "require('fs')", "this", "import('fs')"])("${%s} is not a function", (content) => {
    expect(() => evaluate(`\${${content}}`)).toThrow("unknown function");
  });

  it("adds __proto__ as an ordinary key", () => {
    const map = evaluate("${mapAdd(__proto__,x)}", { body: {} }) as object;
    expect(Object.keys(map)).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });
});

describe("values are never evaluated", () => {
  const attack = "${env:SECRET} {{x}} #{1+1} $init{\n$a := 1;\n}init$";
  it.each([
    "${body}",
    "[${body}]",
    "${header.x}",
    "${uppercase(${body})}",
    "${concat('a',${body})}",
    "${body} ~> ${trim()}",
    "${header.nothing} ?: ${body}",
    "${list(${body})}",
  ])("by %s", (text) => {
    const result = evaluate(text, { body: attack, headers: { x: attack } });
    expect(JSON.stringify(result).toLowerCase()).toContain("{env:secret}");
    expect(JSON.stringify(result)).not.toContain("marker");
  });

  it("treats a name from a message as a name or a path, never as a function", () => {
    expect(evaluate("${header.${body}}", { body: "${env:SECRET}" })).toBeNull();
    expect(evaluate("${body[${header.k}]}", { body: { "${env:SECRET}": 1 }, headers: { k: "${env:SECRET}" } })).toBe(1);
    expect(() => evaluate("${date:now:${body}}", { body: "${env:SECRET}" })).toThrow(FlowError);
  });

  it("compiles nothing at run time when the text is constant", () => {
    const expression = simple.compile("${body.a} ${uppercase(${header.h})}", {}, scope);
    const exchange = exchangeOf({ a: 1 }, { h: "x" });
    expect(expression(exchange)).toBe("1 X");
    exchange.message.body = { a: "${header.h}" };
    expect(expression(exchange)).toBe("${header.h} X");
  });
});

function nested(depth: number): string {
  return `${"${trim(".repeat(depth)}\${body}${")}".repeat(depth)}`;
}

describe("results are bounded", () => {
  it("replaces at most 500,000 matches", () => {
    const many = "a-".repeat(500_000);
    expect((evaluate("${replace('-','$&')}", { body: many }) as string).slice(0, 9)).toBe("a$&a$&a$&");
    for (const text of ["${replace('-','+')}", "${body.replace('-', '')}"])
      expect(() => evaluate(text, { body: `${many}-` })).toThrow("time limit: at most 500000 occurrences can be replaced at once");
    expect(evaluate("${body.replace('', '.')}", { body: "ab" })).toBe(".a.b.");
  });

  it.each(["${body.repeat(90000000)}", "${pad(a,90000000)}", "${range(0,2000000)}", "${body.replace('a', 'aaaaaaaaaaaaaaaa')} ~> ${body.repeat(5000000)}"])(
    "%s fails at the size limit",
    (text) => {
      expect(() => evaluate(text, { body: "abc" })).toThrow(expect.objectContaining({ code: "limit-size" }));
    },
  );

  it("rejects functions that are nested too deeply", () => {
    expect(evaluate(nested(60), { body: " x " })).toBe("x");
    expect(() => evaluate(nested(5000))).toThrow(expect.objectContaining({ code: "simple-nesting" }));
  });

  it("rejects predicates with too many operators instead of exhausting the stack", () => {
    expect(() => matches(Array.from({ length: 50_000 }, () => "${body} == 1").join(" && "))).toThrow("more than 1000 operators");
    expect(() => evaluate(`\${body}${" ~> ${trim()}".repeat(50_000)}`)).toThrow("more than 1000 operators");
  });
});

describe("time stays linear", () => {
  it.each([
    ["a regular expression in the flow that backtracks exponentially in other engines", "${body} regex '^(a+)+$'"],
    ["a regular expression in a header that backtracks exponentially in other engines", "${body} regex ${header.p}"],
  ])("%s", async (_what, text) => {
    const work = (size: number): void => expect(matches(text, { body: `${"a".repeat(size)}!`, headers: { p: "(a|a)*b" } })).toBe(false);
    expect(await callGrowth(work, 500)).toBeLessThan(10);
  });

  it.each([
    ["${htmlDecode()}", (size: number) => "<a '".repeat(size)],
    ["${htmlClean(${body})}", (size: number) => "<!".repeat(size)],
    ["${htmlClean(${body})}", (size: number) => "<b>".repeat(200) + "</i>".repeat(size)],
  ])("%s on malicious text", async (text, bodyOf) => {
    expect(await callGrowth((size) => evaluate(text, { body: bodyOf(size) }), 2_000)).toBeLessThan(10);
  });
});

describe("JSON in a body", () => {
  it("is returned as a copy, so that exchanges cannot change each other's data", () => {
    const bytes = new TextEncoder().encode('{"list":["a"]}');
    expect(evaluate("${listAdd(${body.list},b)}", { body: bytes })).toEqual(["a", "b"]);
    expect(evaluate("${body.list}", { body: bytes })).toEqual(["a"]);
    const text = '{"list":["a"]}';
    expect(evaluate("${listAdd(${body.list},b)}", { body: text })).toEqual(["a", "b"]);
    expect(evaluate("${body.list}", { body: text })).toEqual(["a"]);
  });
});
