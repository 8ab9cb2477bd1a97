// One run of a script in QuickJS, an interpreter in WebAssembly without access to the process. Every run gets a new context, so
// that no state is shared between messages.
import type { QuickJSHandle, QuickJSRuntime, QuickJSWASMModule } from "quickjs-emscripten-core";

export interface ScriptLimits {
  /** How long one run may take. A single call to a builtin, such as sorting a long list, is not interrupted. */
  readonly timeLimitMs: number;
  readonly memoryLimitBytes: number;
  readonly stackLimitBytes: number;
}

export type ScriptOutcome = { readonly json: string | undefined } | ScriptFault;
export interface ScriptFault {
  readonly fault: "time" | "memory" | "depth" | "failed";
  /** The limit that was exceeded, or the error of the script. */
  readonly detail: string;
}

/**
 * Runs the code with globals as JSON and returns the result as JSON; without globals, the code is only compiled. Throws only when the
 * interpreter itself failed; the instance must not be used again then. The function uses nothing but its parameters, because
 * threads are started from its source text.
 */
export function runScript(quickjs: QuickJSWASMModule, code: string, globals: string | undefined, limits: ScriptLimits, now: () => number): ScriptOutcome {
  const enter = `(json) => { const input = JSON.parse(json); for (const name of Object.keys(input)) globalThis[name] = input[name]; }`;
  const leave = `((stringify) => (value) => {
    if (value instanceof Promise) throw new TypeError("the script returned a promise; return a plain value");
    return stringify(value);
  })(JSON.stringify)`;
  const runtime: QuickJSRuntime = quickjs.newRuntime();
  runtime.setMemoryLimit(limits.memoryLimitBytes);
  runtime.setMaxStackSize(limits.stackLimitBytes);
  let checkedAt: number | undefined;
  let spentMs = 0;
  let checks = 0;
  let stopped = false;
  // The interpreter checks at the start and then once per ten thousand operations. Time counts from the first check, and the time between two checks
  // counts up to a limit, so that a suspended machine does not stop a short script. No machine makes fifty checks per millisecond, so counting checks
  // enforces the limit even if the clock does not advance.
  runtime.setInterruptHandler(() => {
    const checkedNow = now();
    spentMs += Math.min(checkedNow - (checkedAt ?? checkedNow), 50);
    checkedAt = checkedNow;
    stopped = ++checks > limits.timeLimitMs * 50 || spentMs > limits.timeLimitMs;
    return stopped;
  });
  const context = runtime.newContext();
  const handles: QuickJSHandle[] = [];
  let broken = false;
  const hold = (handle: QuickJSHandle): QuickJSHandle => {
    handles.push(handle);
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
  } catch (error) {
    // The library throws errors of the script as this class. The class is checked instead of `name`, which the script can choose. Any other error is
    // a trap, an abort or an overflow of V8's stack.
    if (!(error instanceof Error) || error.constructor.name !== "QuickJSUnwrapError") {
      broken = true;
      throw error;
    }
    const { message } = error;
    if (stopped) return { fault: "time", detail: `${limits.timeLimitMs}` };
    if (/out of memory/.test(message)) return { fault: "memory", detail: `${limits.memoryLimitBytes}` };
    if (/stack overflow/.test(message)) return { fault: "depth", detail: `${limits.stackLimitBytes}` };
    return { fault: "failed", detail: message };
  } finally {
    if (!broken) {
      for (const handle of handles.toReversed()) if (handle.alive) handle.dispose();
      context.dispose();
      runtime.dispose();
    }
  }
}
