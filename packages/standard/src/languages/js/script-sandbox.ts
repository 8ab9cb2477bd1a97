// One script of a flow: checked at deploy time, and run for each message in this thread or another thread.
import { CompileError, FlowError, type Clock } from "@sluice/engine/spi";
import type { ScriptInterpreter } from "./load-interpreter.ts";
import type { ScriptFault, ScriptLimits, ScriptOutcome } from "./run-script.ts";

export class ScriptSandbox {
  /** The executed code: statements whose last value is the result, or a function body when the script uses `return` outside a function. */
  readonly code: string;
  readonly #interpreter: ScriptInterpreter;
  readonly #limits: ScriptLimits;
  readonly #clock: Clock;

  constructor(text: string, interpreter: ScriptInterpreter, limits: ScriptLimits, clock: Clock) {
    this.#interpreter = interpreter;
    this.#limits = limits;
    this.#clock = clock;
    // A `return` outside a function is a syntax error; a `return` in a nested function is not.
    const isFunctionBody = "fault" in this.#compile(text) && /\breturn\b/.test(text);
    this.code = isFunctionBody ? `(function () {\n${text}\n})()` : text;
    const checked = this.#compile(this.code);
    if ("fault" in checked) throw new CompileError("js-syntax", `js: ${failureOf(checked).message.replace(/^js: /, "")}`);
  }

  /** Runs the script synchronously. */
  run(globalsJson: string): ScriptOutcome {
    return this.#interpreter.run(this.code, globalsJson, this.#limits, () => this.#clock.monotonic());
  }

  #compile(code: string): ScriptOutcome {
    return this.#interpreter.run(code, undefined, this.#limits, () => this.#clock.monotonic());
  }
}

/** The result of a run; throws its failure. */
export function valueOf(outcome: ScriptOutcome): unknown {
  if ("fault" in outcome) throw failureOf(outcome);
  return outcome.json === undefined ? null : (JSON.parse(outcome.json) as unknown);
}

function failureOf({ fault, detail }: ScriptFault): FlowError {
  if (fault === "time") return new FlowError("java.lang.IllegalStateException", `time limit: the script exceeded ${detail} ms`, { code: "limit-time" });
  if (fault === "memory")
    return new FlowError("java.lang.IllegalStateException", `memory limit: the script needs more than ${detail} bytes`, { code: "limit-memory" });
  if (fault === "depth") return new FlowError("java.lang.IllegalStateException", "call depth: the script recurses too deeply", { code: "limit-call-depth" });
  return new FlowError("org.apache.camel.ExpressionEvaluationException", `js: ${detail}`, { code: "js-failed" });
}
