// What a thread for scripts does. It is started from the source text of this function, so it uses nothing from outside of itself.
import type { ScriptLimits, ScriptOutcome } from "@sluice/standard";

export interface ThreadSettings {
  /** Where the interpreter and its WebAssembly variant are found. */
  readonly core: string;
  readonly variant: string;
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

type Run = (quickjs: unknown, code: string, globals: string, limits: ScriptLimits, now: () => number) => ScriptOutcome;

export function scriptThread(require: (name: string) => any, run: Run): void {
  const { parentPort: port, workerData } = require("node:worker_threads") as { parentPort: Port; workerData: ThreadSettings };
  const { newQuickJSWASMModuleFromVariant } = require(workerData.core);
  const loaded = require(workerData.variant);
  void newQuickJSWASMModuleFromVariant(loaded.default ?? loaded).then((quickjs: unknown) => {
    port.on("message", ({ code, globals }) => port.postMessage(run(quickjs, code, globals, workerData.limits, () => performance.now())));
    port.postMessage("ready");
  });
}
