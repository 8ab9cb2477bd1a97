// The interpreter with any V8 stack size: endless recursion of any kind fails only its own script.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import variant from "@jitl/quickjs-wasmfile-release-sync";
import * as core from "quickjs-emscripten-core";
import { describe, expect, it } from "vitest";
import { loadInterpreter, type ScriptInterpreter } from "./load-interpreter.ts";
import { runScript, type ScriptLimits } from "./run-script.ts";

const wasm = await WebAssembly.compile(readFileSync(createRequire(import.meta.url).resolve("@jitl/quickjs-wasmfile-release-sync/wasm")));
const load = (run = runScript): Promise<ScriptInterpreter> => loadInterpreter({ core, variant: variant as unknown as core.QuickJSSyncVariant, wasm }, run);
const limits: ScriptLimits = { timeLimitMs: 5_000, memoryLimitBytes: 32 * 1024 * 1024, stackLimitBytes: 256 * 1024 };
const runWith = (interpreter: ScriptInterpreter, code: string): unknown => interpreter.run(code, '{"n":1}', limits, () => 0);
const success = { json: "3" };

/** Recursions that use V8's stack: calls, the parser, regular expressions, conversions. */
const recursions = [
  "const f = () => f() + 1; f()",
  "const o = { get x() { return this.x + 1; } }; o.x",
  "const f = () => [1].map(f); f()",
  "const o = { toString() { return `${o}`; } }; `${o}`",
  "class A { constructor() { new A(); } } new A()",
  "let a = []; for (let i = 0; i < 100000; i++) a = [a]; JSON.stringify(a)",
  "(0, eval)('('.repeat(100000))",
  "(0, eval)('['.repeat(100000))",
  "(0, eval)('`${'.repeat(100000))",
  "(0, eval)('new '.repeat(100000) + 'A')",
  "new RegExp('(?:'.repeat(20000) + ')'.repeat(20000))",
];

describe("the interpreter", () => {
  it.each(recursions)("stops %s and runs the next script", async (code) => {
    const interpreter = await load();
    expect(runWith(interpreter, code)).toEqual(expect.objectContaining({ fault: expect.stringMatching(/^(depth|failed)$/) }));
    expect(runWith(interpreter, "n + 2")).toEqual(success);
  });

  it("uses constant memory and runs valid scripts correctly after 120 endless recursions", async () => {
    const interpreter = await load();
    const quick = recursions.filter((code) => !code.includes("JSON.stringify"));
    const round = (index: number): void => {
      expect(runWith(interpreter, quick[index % quick.length]!)).toHaveProperty("fault");
      expect(runWith(interpreter, "n + 2")).toEqual(success);
    };
    for (let index = 0; index < quick.length; index++) round(index);
    const [bytes, usageBefore] = [interpreter.memoryBytes, process.memoryUsage()];
    for (let index = 0; index < 120; index++) round(index);
    expect(interpreter.memoryBytes).toBe(bytes);
    const usageAfter = process.memoryUsage();
    expect(usageAfter.external + usageAfter.arrayBuffers - usageBefore.external - usageBefore.arrayBuffers).toBeLessThan(8 * 1024 * 1024);
    expect(usageAfter.rss - usageBefore.rss).toBeLessThan(96 * 1024 * 1024);
  });

  it("replaces an aborted instance and never uses it again", async () => {
    const entered: object[] = [];
    let abortNext = false;
    const interpreter = await load((quickjs, ...rest) => {
      entered.push(quickjs);
      if (abortNext) {
        abortNext = false;
        // QuickJS asserts that no context is live when a runtime is freed: the module aborts.
        const runtime = quickjs.newRuntime();
        runtime.newContext().newObject();
        runtime.dispose();
      }
      return runScript(quickjs, ...rest);
    });
    expect(runWith(interpreter, "n + 2")).toEqual(success);
    abortNext = true;
    expect(runWith(interpreter, "n + 2")).toEqual({ fault: "failed", detail: expect.stringContaining("the interpreter stopped and was replaced: Aborted(") });
    const aborted = entered.at(-1);
    expect(runWith(interpreter, "n + 2")).toEqual(success);
    expect([interpreter.replaced, entered.at(-1) === aborted]).toEqual([1, false]);
  });
});

describe("with a smaller V8 stack", () => {
  it.each([250, 400])("every script is stopped and the next one runs with --stack-size=%i", async (size) => {
    // Like the threads of the server, the process runs the functions from their source text.
    const script = `
      import { readFileSync } from "node:fs";
      import { createRequire } from "node:module";
      import variant from "@jitl/quickjs-wasmfile-release-sync";
      import * as core from "quickjs-emscripten-core";
      const wasm = await WebAssembly.compile(readFileSync(createRequire(import.meta.url).resolve("@jitl/quickjs-wasmfile-release-sync/wasm")));
      const interpreter = await (${loadInterpreter.toString()})({ core, variant, wasm }, ${runScript.toString()});
      const run = (code) => interpreter.run(code, '{"n":1}', ${JSON.stringify(limits)}, () => 0);
      const { fault } = run("const f = () => f() + 1; f()");
      const measured = [fault, interpreter.replaced, interpreter.stackBytes < 256 * 1024];
      console.log(JSON.stringify([measured, ...${JSON.stringify(recursions)}.map((code) => [code, run(code).fault, run("n + 2")])]));`;
    const args = [`--stack-size=${size}`, "--input-type=module", "-e", script];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: fileURLToPath(new URL(".", import.meta.url)) });
    const [measured, ...results] = JSON.parse(stdout) as unknown[];
    // The measured stack fits, so that common recursions do not cost a new instance.
    expect(measured).toEqual(["depth", 0, true]);
    expect(results).toEqual(recursions.map((code) => [code, expect.stringMatching(/^(depth|failed)$/), success]));
  });
});
