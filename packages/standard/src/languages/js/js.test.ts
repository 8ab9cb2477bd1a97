import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import variant from "@jitl/quickjs-wasmfile-release-sync";
import { FakeHost, languageUnderTest, SteppingClock } from "@sluice/testkit";
import * as core from "quickjs-emscripten-core";
import { describe, expect, it } from "vitest";
import { jsLanguage } from "./js.ts";
import { loadInterpreter } from "./load-interpreter.ts";
import { runScript } from "./run-script.ts";

const wasm = await WebAssembly.compile(readFileSync(createRequire(import.meta.url).resolve("@jitl/quickjs-wasmfile-release-sync/wasm")));
const interpreter = await loadInterpreter({ core, variant: variant as unknown as core.QuickJSSyncVariant, wasm }, runScript);
// The clock does not advance, so that no limit depends on the speed of the machine.
const { evaluate, matches } = languageUnderTest(jsLanguage(interpreter), { host: new FakeHost() });

describe("js", () => {
  it("gets the message as JSON values and returns JSON values", () => {
    expect(evaluate("body.a + headers.k + properties.p + variables.v", { body: { a: 1 }, headers: { k: 2 }, properties: { p: 3 }, variables: { v: 4 } })).toBe(
      10,
    );
    expect(evaluate("({n: body.length, d: new Date(0), u: undefined})", { body: "abc" })).toEqual({ n: 3, d: "1970-01-01T00:00:00.000Z" });
    expect(evaluate("body.get", { body: new Map([["get", 7]]) })).toBe(7);
    expect(evaluate("JSON.parse(body).x", { body: new TextEncoder().encode('{"x":1}') })).toBe(1);
    expect(evaluate("undefined", { body: 1 })).toBeNull();
    expect(evaluate("exchangeId.length > 0", { body: 1 })).toBe(true);
    expect(evaluate("body", { body: "5", options: { resultType: "Integer" } })).toBe(5);
  });

  it("returns the last value, or the value of return", () => {
    expect(evaluate("const x = body * 2; x + 1", { body: 4 })).toBe(9);
    expect(evaluate("if (body > 3) return 'big'; return 'small'", { body: 4 })).toBe("big");
    expect(evaluate("body.map((x) => { return x.a })", { body: [{ a: 1 }, { a: 2 }] })).toEqual([1, 2]);
    expect(evaluate("'no return'", { body: 4 })).toBe("no return");
    expect(evaluate("const f = (x) => { return x * 2 }; return f(body)", { body: 4 })).toBe(8);
    expect(matches("body > 3", { body: 4 })).toBe(true);
    expect(matches("body > 3", { body: 2 })).toBe(false);
  });

  it("starts with a fresh state for every message", () => {
    const code = "globalThis.count = (globalThis.count ?? 0) + 1; Array.prototype.x = 1; count";
    expect([evaluate(code, { body: 1 }), evaluate(code, { body: 1 })]).toEqual([1, 1]);
    expect(([] as { x?: number }).x).toBeUndefined();
  });

  it.each([
    "constructor.constructor('return process')()",
    "globalThis.process.env",
    "require('fs')",
    "this.process.exit(1)",
    "(async () => { await import('fs') })()",
    "body.constructor.constructor('return process')()",
    "fetch('http://127.0.0.1')",
    "setTimeout(() => 1, 1)",
  ])("cannot access anything outside the sandbox: %s", (code) => {
    expect(() => evaluate(code, { body: { a: 1 } })).toThrow(expect.objectContaining({ type: "org.apache.camel.ExpressionEvaluationException" }) as Error);
  });

  it.each([
    "while (true) {}",
    "const f = () => { try { for (;;) {} } finally { f() } }; f()",
    "/^(a+)+$/.test('a'.repeat(40) + 'b')",
    "({toJSON() { for (;;); }})",
  ])("stops %s at the time limit, even when the clock does not advance", (code) => {
    const hurried = languageUnderTest(jsLanguage(interpreter, { timeLimitMs: 5 }), { host: new FakeHost() });
    expect(() => hurried.evaluate(code, { body: 1 })).toThrow("time limit: the script exceeded 5 ms");
  });

  it("stops a script when its time is over", () => {
    const clock = new SteppingClock(20);
    const { evaluate } = languageUnderTest(jsLanguage(interpreter), { host: Object.assign(new FakeHost(), { clock }) });
    expect(() => evaluate("for (;;) {}", { body: 1 })).toThrow("time limit: the script exceeded 200 ms");
    // The first check starts the measurement; the eleventh one after it exceeds 200 ms.
    expect(clock.monotonic()).toBe(20 * 13);
  });

  it("stops scripts that need too much memory or recursion", () => {
    const small = languageUnderTest(jsLanguage(interpreter, { memoryLimitBytes: 4 * 1024 * 1024 }), { host: new FakeHost() });
    for (const code of ["const a = []; for (;;) a.push({ n: a.length })", "new Array(1e9).fill(0)"])
      expect(() => small.evaluate(code, { body: 1 })).toThrow("memory limit");
    expect(() => evaluate("const f = () => f() + 1; f()", { body: 1 })).toThrow("call depth");
  });

  it("reports errors", () => {
    expect(() => evaluate("body.", { body: 1 })).toThrow(expect.objectContaining({ name: "CompileError", code: "js-syntax" }) as Error);
    expect(() => evaluate("throw new Error('no ' + body)", { body: "luck" })).toThrow("no luck");
    expect(() => evaluate("Promise.resolve(1)", { body: 1 })).toThrow("the script returned a promise");
  });

  it("releases its memory", () => {
    evaluate("body", { body: 1 });
    const bytesBefore = interpreter.memoryBytes;
    for (let round = 0; round < 40; round++) evaluate("'x'.repeat(1000000).length", { body: 1 });
    expect(interpreter.memoryBytes).toBe(bytesBefore);
  });
});
