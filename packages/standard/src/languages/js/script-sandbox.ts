// One JavaScript expression in QuickJS, an interpreter of its own inside WebAssembly: nothing of the process is
// reachable from it. Every evaluation gets a fresh interpreter, so no message can leave anything behind for the next.
import { CompileError, FlowError, type Clock } from "@sluice/engine/spi";
import type { QuickJSContext, QuickJSHandle, QuickJSRuntime, QuickJSWASMModule } from "quickjs-emscripten-core";

export interface SandboxLimits {
  /**
   * How long one evaluation may take. It holds the event loop that long, so keep it short. A single call of a builtin,
   * such as sorting a long list, is not interrupted: what it may cost is bounded by the memory limit alone.
   */
  readonly timeLimitMs: number;
  readonly memoryLimitBytes: number;
  readonly stackLimitBytes: number;
}

/** Interpreter checks per millisecond, far more than any machine makes: a clock that stands still cannot undo the limit. */
const checksPerMs = 50;

const enter = `(json) => { const input = JSON.parse(json); for (const name of Object.keys(input)) globalThis[name] = input[name]; }`;
const leave = `((stringify) => (value) => {
  if (value instanceof Promise) throw new TypeError("the script gives a promise; only values can be used");
  return stringify(value);
})(JSON.stringify)`;

export class ScriptSandbox {
  readonly #quickjs: QuickJSWASMModule;
  readonly #code: string;
  readonly #limits: SandboxLimits;
  readonly #clock: Clock;

  constructor(text: string, quickjs: QuickJSWASMModule, limits: SandboxLimits, clock: Clock) {
    this.#quickjs = quickjs;
    this.#limits = limits;
    this.#clock = clock;
    this.#code = this.#prepare(text);
  }

  /** The script's value for these globals, both as JSON. */
  evaluate(globalsJson: string): unknown {
    const json = this.#within((context) => {
      const finish = context.unwrapResult(context.evalCode(leave));
      const begin = context.unwrapResult(context.evalCode(enter));
      const input = context.newString(globalsJson);
      const held = [finish, begin, input];
      try {
        context.unwrapResult(context.callFunction(begin, context.undefined, input)).dispose();
        const value = context.unwrapResult(context.evalCode(this.#code, "script.js"));
        held.push(value);
        const text: QuickJSHandle = context.unwrapResult(context.callFunction(finish, context.undefined, value));
        held.push(text);
        return context.typeof(text) === "string" ? context.getString(text) : undefined;
      } finally {
        for (const handle of held.reverse()) if (handle.alive) handle.dispose();
      }
    });
    return json === undefined ? null : (JSON.parse(json) as unknown);
  }

  /** A script is a list of statements whose last value counts, or a function's body when it says `return`. */
  #prepare(text: string): string {
    const asBody = `(function () {\n${text}\n})()`;
    const code = /\breturn\b/.test(text) ? asBody : text;
    try {
      this.#within((context) => context.unwrapResult(context.evalCode(code, "script.js", { compileOnly: true })).dispose());
    } catch (thrown) {
      throw new CompileError("js-syntax", `js: ${thrown instanceof Error ? thrown.message.replace(/^js: /, "") : String(thrown)}`);
    }
    return code;
  }

  #within<T>(act: (context: QuickJSContext) => T): T {
    const runtime = this.#quickjs.newRuntime();
    const stopped = this.#limit(runtime);
    const context = runtime.newContext();
    try {
      return act(context);
    } catch (thrown) {
      throw this.#failure(thrown, stopped());
    } finally {
      context.dispose();
      runtime.dispose();
    }
  }

  #limit(runtime: QuickJSRuntime): () => boolean {
    const { timeLimitMs, memoryLimitBytes, stackLimitBytes } = this.#limits;
    runtime.setMemoryLimit(memoryLimitBytes);
    runtime.setMaxStackSize(stackLimitBytes);
    let deadline: number | undefined;
    let checks = 0;
    let stopped = false;
    // The interpreter checks when it starts and then once in ten thousand operations: time runs from the first check,
    // so that a busy machine does not stop a script that does next to nothing.
    runtime.setInterruptHandler(() => {
      const now = this.#clock.monotonic();
      deadline ??= now + timeLimitMs;
      stopped = ++checks > timeLimitMs * checksPerMs || now > deadline;
      return stopped;
    });
    return () => stopped;
  }

  #failure(thrown: unknown, stopped: boolean): FlowError {
    if (stopped)
      return new FlowError("java.lang.IllegalStateException", `time limit: the script took longer than ${this.#limits.timeLimitMs} ms`, { code: "limit-time" });
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    if (/out of memory/.test(message))
      return new FlowError("java.lang.IllegalStateException", `memory limit: the script needs more than ${this.#limits.memoryLimitBytes} bytes`, {
        code: "limit-memory",
      });
    if (/stack overflow/.test(message))
      return new FlowError("java.lang.IllegalStateException", "call depth: the script called itself too deeply", { code: "limit-call-depth" });
    return new FlowError("org.apache.camel.ExpressionEvaluationException", `js: ${message}`, { code: "js-failed", cause: thrown });
  }
}
