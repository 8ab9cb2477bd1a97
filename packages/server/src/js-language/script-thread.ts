// The body of a script thread. The thread is started from this function's source text, so it must not reference anything outside of it.
import type { loadInterpreter, runScript, ScriptLimits, ScriptOutcome } from "@sluice/standard";

export interface ThreadSettings {
  /** Paths of the interpreter and its WebAssembly variant. */
  readonly core: string;
  readonly variant: string;
  /** The compiled WebAssembly module. */
  readonly wasm: object;
  readonly limits: ScriptLimits;
}

export interface ScriptJob {
  readonly code: string;
  readonly globals: string;
}

interface Port {
  postMessage(value: ScriptOutcome | "ready"): void;
  on(event: "message", listener: (job: ScriptJob) => void): void;
}

export function scriptThread(require: (name: string) => any, load: typeof loadInterpreter, run: typeof runScript): void {
  const { parentPort: port, workerData } = require("node:worker_threads") as { parentPort: Port; workerData: ThreadSettings };
  const variant = require(workerData.variant);
  void load({ core: require(workerData.core), variant: variant.default ?? variant, wasm: workerData.wasm }, run).then((interpreter) => {
    port.on("message", ({ code, globals }) => port.postMessage(interpreter.run(code, globals, workerData.limits, () => performance.now())));
    port.postMessage("ready");
  });
}
