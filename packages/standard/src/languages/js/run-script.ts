// One run of a script in QuickJS, an interpreter of its own inside WebAssembly: nothing of the process is reachable from it.
// Every run gets a fresh interpreter, so no message can leave anything behind for the next.
import type { QuickJSHandle, QuickJSRuntime, QuickJSWASMModule } from "quickjs-emscripten-core";

export interface ScriptLimits {
  /** How long one run may take. A single call of a builtin, such as sorting a long list, is not interrupted. */
  readonly timeLimitMs: number;
  readonly memoryLimitBytes: number;
  readonly stackLimitBytes: number;
}

export type ScriptOutcome = { readonly json: string | undefined } | ScriptFault;
export interface ScriptFault {
  readonly fault: "time" | "memory" | "depth" | "failed";
  /** The limit it met, or what the script says of its failure. */
  readonly detail: string;
}

/**
 * Runs the code with these globals, given and returned as JSON; without globals it is only compiled. The function uses nothing but
 * its parameters, because threads are started from its source text.
 */
export function runScript(quickjs: QuickJSWASMModule, code: string, globals: string | undefined, limits: ScriptLimits, now: () => number): ScriptOutcome {
  const enter = `(json) => { const input = JSON.parse(json); for (const name of Object.keys(input)) globalThis[name] = input[name]; }`;
  const leave = `((stringify) => (value) => {
    if (value instanceof Promise) throw new TypeError("the script gives a promise; only values can be used");
    return stringify(value);
  })(JSON.stringify)`;
  const runtime: QuickJSRuntime = quickjs.newRuntime();
  runtime.setMemoryLimit(limits.memoryLimitBytes);
  runtime.setMaxStackSize(limits.stackLimitBytes);
  let checkedAt: number | undefined;
  let spentMs = 0;
  let checks = 0;
  let stopped = false;
  // The interpreter checks when it starts and then once in ten thousand operations: time runs from the first check, and what passes
  // between two counts up to a bound, so that a machine that stands still does not stop a script that does next to nothing. Fifty checks a millisecond are far more than any machine
  // makes: a clock that stands still cannot undo the limit.
  runtime.setInterruptHandler(() => {
    const checkedNow = now();
    spentMs += Math.min(checkedNow - (checkedAt ?? checkedNow), 50);
    checkedAt = checkedNow;
    stopped = ++checks > limits.timeLimitMs * 50 || spentMs > limits.timeLimitMs;
    return stopped;
  });
  const context = runtime.newContext();
  const held: QuickJSHandle[] = [];
  const hold = (handle: QuickJSHandle): QuickJSHandle => {
    held.push(handle);
    return handle;
  };
  try {
    if (globals === undefined) {
      hold(context.unwrapResult(context.evalCode(code, "script.js", { compileOnly: true })));
      return { json: undefined };
    }
    const finish = hold(context.unwrapResult(context.evalCode(leave)));
    const begin = hold(context.unwrapResult(context.evalCode(enter)));
    hold(context.unwrapResult(context.callFunction(begin, context.undefined, hold(context.newString(globals)))));
    const value = hold(context.unwrapResult(context.evalCode(code, "script.js")));
    const text = hold(context.unwrapResult(context.callFunction(finish, context.undefined, value)));
    return { json: context.typeof(text) === "string" ? context.getString(text) : undefined };
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    if (stopped) return { fault: "time", detail: `${limits.timeLimitMs}` };
    if (/out of memory/.test(message)) return { fault: "memory", detail: `${limits.memoryLimitBytes}` };
    if (/stack overflow/.test(message)) return { fault: "depth", detail: `${limits.stackLimitBytes}` };
    return { fault: "failed", detail: message };
  } finally {
    for (const handle of held.reverse()) if (handle.alive) handle.dispose();
    context.dispose();
    runtime.dispose();
  }
}
