// A compiled JSONata expression with limits. JSONata calls a hook before and after every part it evaluates; the hooks count
// work, nesting and result size.
import { CompileError, FlowError, isFlowError, type Clock } from "@sluice/engine/spi";
import { asText, checkTextLength, copyJson } from "@sluice/engine/values";
import jsonata from "jsonata";
import { TimeSpent } from "../language-values/time-spent.ts";
import { distinct } from "./jsonata-distinct.ts";
import { sort } from "./jsonata-sort.ts";
import { spread } from "./jsonata-spread.ts";
import { keysOf } from "./jsonata-keys.ts";
import { LinearRegExp } from "./linear-regexp.ts";

// The published types lack the options.
const parse = jsonata as unknown as (text: string, options: { readonly RegexEngine: unknown }) => jsonata.Expression;
const workLimit = 50_000;
const timeLimitMs = 120;
const maxDepth = 500;

/** Compiles an expression. It is a function instead of a class because the bundle loads it lazily on the first call (scripts/bundle.mjs). */
export function compileJsonata(text: string, clock: Clock): JsonataProgram {
  return new JsonataProgram(text, clock);
}

const valuesPerCheck = 1_000;

/** A function of the language, or one defined in the expression. */
function isFunction(value: unknown): boolean {
  if (typeof value === "function") return true;
  const markers = value as { readonly _jsonata_function?: boolean; readonly _jsonata_lambda?: boolean } | null | undefined;
  return typeof value === "object" && (markers?._jsonata_function === true || markers?._jsonata_lambda === true);
}

/** A part of an expression, as JSONata parses it. */
interface Part {
  readonly type: string;
  readonly steps?: readonly { readonly tuple?: boolean }[];
}

/** True for `*`, `**`, and paths with `@` or `#`: JSONata processes each item of a list there without calling a hook. */
const visitsItems = ({ type, steps }: Part): boolean =>
  type === "wildcard" || type === "descendant" || (type === "path" && steps?.some(({ tuple }) => tuple === true) === true);

/** JSONata wraps an input that is a list in another list. */
const unwrapInput = (input: unknown): unknown =>
  Array.isArray(input) && (input as { outerWrapper?: boolean }).outerWrapper === true ? (input[0] as unknown) : input;

class JsonataProgram {
  readonly #expression: jsonata.Expression;
  readonly #time: TimeSpent;
  #work = 0;
  #depth = 0;

  constructor(text: string, clock: Clock) {
    this.#time = new TimeSpent(clock);
    // The hooks are JSONata variables, so an expression could overwrite them.
    if (text.includes("__evaluate_")) throw new CompileError("jsonata-refused", "jsonata: names with __evaluate_ are reserved; rename the variable");
    this.#expression = compile(text);
    this.#expression.assign("__evaluate_entry", (part: Part, input: unknown) => this.#enter(part, input));
    this.#expression.assign("__evaluate_exit", (_part: unknown, _input: unknown, _scope: unknown, result: unknown) => this.#leave(result));
    this.#expression.registerFunction("eval", () => fail("$eval is not allowed: content of a message is never evaluated"));
    this.#expression.registerFunction("millis", () => clock.now(), "<:n>");
    this.#expression.registerFunction("pad", pad, "<s-ns?:s>");
    this.#expression.registerFunction("distinct", (list: unknown) => distinct(list, this.#valueCounter()), "<x:x>");
    this.#expression.registerFunction("keys", (value: unknown) => keysOf(value, this.#valueCounter()), "<x-:a<s>>");
    this.#expression.registerFunction("spread", (value: unknown) => spread(value, this.#valueCounter()), "<x-:a<o>>");
    // Also called by the transform operator `|…|…|`.
    this.#expression.registerFunction("clone", (value: unknown) => this.#copyOf(value), "<(oa)-:o>");
    this.#expression.registerFunction("sort", sort, "<af?:a>");
    this.#expression.registerFunction("string", (value: unknown, isPretty?: boolean) => this.#stringOf(value, isPretty === true), "<x-b?:s>");
  }

  evaluate(input: unknown, bindings: Readonly<Record<string, unknown>>): unknown {
    this.#work = 0;
    this.#depth = 0;
    this.#time.begin();
    try {
      return this.#expression.evaluate(input, { ...bindings }) as unknown;
    } catch (error) {
      if (isFlowError(error) || (error instanceof RangeError && /call stack/i.test(error.message))) throw error;
      const problem = error as { readonly message?: string; readonly code?: string };
      throw new FlowError("org.apache.camel.ExpressionEvaluationException", `jsonata: ${problem.message ?? asText(problem.code)}`, {
        code: "jsonata-failed",
        cause: error,
      });
    }
  }

  /** `clone` without JSONata's conversion to text and back. */
  #copyOf(value: unknown): unknown {
    if (Array.isArray(value)) this.#spend(value.length);
    return copyJson(value);
  }

  /** Implements `$string` and counts its work: JSONata's `$string` serializes a large value without calling a hook. */
  #stringOf(value: unknown, isPretty: boolean): string | undefined {
    if (value === undefined || typeof value === "string") return value;
    if (isFunction(value)) return "";
    if (typeof value === "number" && !Number.isFinite(value)) fail("a number that is not finite cannot be converted to text");
    const countValue = this.#valueCounter();
    return JSON.stringify(
      unwrapInput(value),
      (_name, inner: unknown) => {
        countValue();
        if (typeof inner === "number" && !Number.isInteger(inner)) return Number(inner.toPrecision(15));
        return isFunction(inner) ? "" : inner;
      },
      isPretty ? 2 : 0,
    );
  }

  /** Counts values that are processed without a hook. */
  #valueCounter(): () => void {
    let count = 0;
    return () => {
      if (++count % valuesPerCheck === 0) this.#spend(1);
    };
  }

  #enter(part: Part, input: unknown): void {
    if (++this.#depth > maxDepth)
      throw new FlowError("java.lang.IllegalStateException", `call depth: the jsonata expression is nested deeper than ${maxDepth} levels`, {
        code: "limit-call-depth",
      });
    const items = visitsItems(part) ? unwrapInput(input) : undefined;
    this.#spend(Array.isArray(items) ? items.length : 1);
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
        "time limit: the jsonata expression exceeded the work limit of one evaluation; simplify it, or split the message first",
        { code: "limit-time" },
      );
  }
}

function compile(text: string): jsonata.Expression {
  try {
    return parse(text, { RegexEngine: LinearRegExp });
  } catch (error) {
    if (error instanceof RangeError) throw new CompileError("jsonata-syntax", "jsonata: the expression is nested too deeply");
    const problem = error as { readonly message?: string; readonly position?: number };
    throw new CompileError(
      "jsonata-syntax",
      `jsonata: ${problem.message ?? "the expression is invalid"}`,
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
