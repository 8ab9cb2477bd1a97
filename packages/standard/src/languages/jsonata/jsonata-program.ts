// One compiled JSONata expression and what it may spend. JSONata calls a hook before and after every part it evaluates;
// the hooks count work, nesting and the size of what is made.
import { CompileError, FlowError, asText, checkTextLength, type Clock } from "@sluice/engine/spi";
import jsonata from "jsonata";
import { TimeSpent } from "../language-values/time-spent.ts";
import { LinearRegExp } from "./linear-regexp.ts";

// The published types leave the options out.
const parse = jsonata as unknown as (text: string, options: { readonly RegexEngine: unknown }) => jsonata.Expression;
const workLimit = 50_000;
const timeLimitMs = 150;
const deepest = 500;

/** Compiles an expression. A function, and not the class, is what the command sets up when it is first called (scripts/bundle.mjs). */
export function compileJsonata(text: string, clock: Clock): JsonataProgram {
  return new JsonataProgram(text, clock);
}

class JsonataProgram {
  readonly #expression: jsonata.Expression;
  readonly #time: TimeSpent;
  #work = 0;
  #depth = 0;

  constructor(text: string, clock: Clock) {
    this.#time = new TimeSpent(clock);
    // The hooks are variables to JSONata, so an expression that names them could take them away.
    if (text.includes("__evaluate_")) throw new CompileError("jsonata-refused", "jsonata: names with __evaluate_ are reserved");
    this.#expression = compile(text);
    this.#expression.assign("__evaluate_entry", () => this.#enter());
    this.#expression.assign("__evaluate_exit", (_part: unknown, _input: unknown, _scope: unknown, result: unknown) => this.#leave(result));
    this.#expression.registerFunction("eval", () => fail("$eval is refused: what a message carries is never run"));
    this.#expression.registerFunction("millis", () => clock.now(), "<:n>");
    this.#expression.registerFunction("pad", pad, "<s-ns?:s>");
  }

  evaluate(input: unknown, bindings: Readonly<Record<string, unknown>>): unknown {
    this.#work = 0;
    this.#depth = 0;
    this.#time.begin();
    try {
      return this.#expression.evaluate(input, { ...bindings }) as unknown;
    } catch (thrown) {
      if (thrown instanceof FlowError || (thrown instanceof RangeError && /call stack/i.test(thrown.message))) throw thrown;
      const problem = thrown as { readonly message?: string; readonly code?: string };
      throw new FlowError("org.apache.camel.ExpressionEvaluationException", `jsonata: ${problem.message ?? asText(problem.code)}`, {
        code: "jsonata-failed",
        cause: thrown,
      });
    }
  }

  #enter(): void {
    if (++this.#depth > deepest)
      throw new FlowError("java.lang.IllegalStateException", `call depth: the jsonata expression is nested deeper than ${deepest}`, {
        code: "limit-call-depth",
      });
    this.#spend(1);
  }

  #leave(result: unknown): void {
    this.#depth--;
    if (Array.isArray(result)) this.#spend(result.length / 20);
    else if (typeof result === "string") {
      checkTextLength(result.length);
      this.#spend(result.length / 10_000);
    }
  }

  #spend(work: number): void {
    this.#work += work;
    if (this.#work > workLimit || this.#time.isOver(timeLimitMs))
      throw new FlowError(
        "java.lang.IllegalStateException",
        "time limit: the jsonata expression did more work than one evaluation may; it may not end at all",
        { code: "limit-time" },
      );
  }
}

function compile(text: string): jsonata.Expression {
  try {
    return parse(text, { RegexEngine: LinearRegExp });
  } catch (thrown) {
    const problem = thrown as { readonly message?: string; readonly position?: number };
    throw new CompileError(
      "jsonata-syntax",
      `jsonata: ${problem.message ?? "the expression is wrong"}`,
      problem.position === undefined ? {} : { offset: problem.position },
    );
  }
}

function pad(text: string, width: number, fill = " "): string {
  checkTextLength(Math.abs(width));
  const missing = Math.abs(width) - [...text].length;
  const padding = missing <= 0 ? "" : [...(fill === "" ? " " : fill).repeat(missing)].slice(0, missing).join("");
  return width < 0 ? padding + text : text + padding;
}

function fail(message: string): never {
  throw new FlowError("org.apache.camel.ExpressionEvaluationException", `jsonata: ${message}`, { code: "jsonata-failed" });
}
