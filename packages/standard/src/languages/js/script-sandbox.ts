// One script of a flow: checked when it is compiled, run for each message, here or in a thread.
import { CompileError, FlowError, type Clock } from "@sluice/engine/spi";
import type { QuickJSWASMModule } from "quickjs-emscripten-core";
import { runScript, type ScriptFault, type ScriptLimits, type ScriptOutcome } from "./run-script.ts";

export class ScriptSandbox {
  /** The script as it is run: a list of statements whose last value counts, or a function's body when it says `return`. */
  readonly code: string;
  readonly #quickjs: QuickJSWASMModule;
  readonly #limits: ScriptLimits;
  readonly #clock: Clock;

  constructor(text: string, quickjs: QuickJSWASMModule, limits: ScriptLimits, clock: Clock) {
    this.#quickjs = quickjs;
    this.#limits = limits;
    this.#clock = clock;
    this.code = /\breturn\b/.test(text) ? `(function () {\n${text}\n})()` : text;
    const checked = this.#run(undefined);
    if ("fault" in checked) throw new CompileError("js-syntax", `js: ${failureOf(checked).message.replace(/^js: /, "")}`);
  }

  /** Runs it now, with the event loop waiting. */
  run(globalsJson: string): ScriptOutcome {
    return this.#run(globalsJson);
  }

  #run(globalsJson: string | undefined): ScriptOutcome {
    return runScript(this.#quickjs, this.code, globalsJson, this.#limits, () => this.#clock.monotonic());
  }
}

/** The value a run came to; throws what it failed with. */
export function valueOf(outcome: ScriptOutcome): unknown {
  if ("fault" in outcome) throw failureOf(outcome);
  return outcome.json === undefined ? null : (JSON.parse(outcome.json) as unknown);
}

function failureOf({ fault, detail }: ScriptFault): FlowError {
  if (fault === "time") return new FlowError("java.lang.IllegalStateException", `time limit: the script took longer than ${detail} ms`, { code: "limit-time" });
  if (fault === "memory")
    return new FlowError("java.lang.IllegalStateException", `memory limit: the script needs more than ${detail} bytes`, { code: "limit-memory" });
  if (fault === "depth")
    return new FlowError("java.lang.IllegalStateException", "call depth: the script called itself too deeply", { code: "limit-call-depth" });
  return new FlowError("org.apache.camel.ExpressionEvaluationException", `js: ${detail}`, { code: "js-failed" });
}
