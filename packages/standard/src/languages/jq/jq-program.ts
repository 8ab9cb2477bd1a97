import { FlowError, type Clock, type Exchange } from "@sluice/engine/spi";
import { JqCompiler } from "./jq-compiler.ts";
import type { Filter } from "./jq-filter.ts";
import { JqError, JqMachine } from "./jq-machine.ts";
import { parseJq } from "./jq-parser.ts";
import { Scope } from "./jq-scope.ts";

/** Throws a CompileError for a mistake in the program. */
export function compileJq(text: string, clock: Clock): JqProgram {
  return new JqProgram(text, clock);
}

/** A compiled program, ready for any number of messages. Evaluations do not overlap: each is synchronous. */
class JqProgram {
  readonly #machine: JqMachine;
  readonly #filter: Filter;

  constructor(text: string, clock: Clock) {
    this.#machine = new JqMachine(clock);
    this.#filter = new JqCompiler(this.#machine).compile(parseJq(text), new Scope());
  }

  /** Calls `emit` with each output; fails with a FlowError when the program does. */
  run(input: unknown, exchange: Exchange, emit: (value: unknown) => void): void {
    this.#machine.begin(input, exchange);
    try {
      this.#filter.run(undefined, input, (value) => {
        this.#machine.spend(1);
        emit(value ?? null);
      });
    } catch (error) {
      if (!(error instanceof JqError)) throw error;
      const message = typeof error.value === "string" ? error.value : `${JSON.stringify(error.value ?? null)} (not a string)`;
      throw new FlowError("org.apache.camel.ExpressionEvaluationException", `jq: ${message}`, { code: "jq-failed", cause: error });
    }
  }
}
