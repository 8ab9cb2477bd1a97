// Compiles calls to language functions, to functions that a document defines, and to built-in functions that need a compiler of their own.
import { missingRules, type OnMissing } from "../../value-mapping/value-table.ts";
import type { ExpressionTree } from "../expression/expression-tree.ts";
import { Frame } from "../frame.ts";
import { languageFunctions } from "../functions/index.ts";
import { define, type LanguageFunction } from "../functions/language-function.ts";
import { limitedList, countWork } from "../list-sizes.ts";
import { MappingFault } from "../mapping-fault.ts";
import { isNothing, isTruthy, toText } from "../values.ts";
import type { DocumentContext, DocumentFunction } from "./document-context.ts";
import { computed, located, type Compiled } from "./compiled.ts";
import { compileLookup } from "./lookup-compiler.ts";
import type { Scope } from "./scope.ts";

export interface CallContext {
  readonly scope: Scope;
  readonly context: DocumentContext;
  compile(tree: ExpressionTree): Compiled;
}

type Special = (args: readonly ExpressionTree[], call: CallContext) => Compiled;

const specialFunctions: Readonly<Record<string, { readonly min: number; readonly max: number; readonly compile: Special }>> = {
  if: { min: 2, max: 3, compile: choose },
  coalesce: { min: 1, max: 100, compile: coalesce },
  lookup: { min: 4, max: 5, compile: lookup },
  now: { min: 0, max: 0, compile: () => computed((frame) => new Date(frame.run.now).toISOString()) },
  today: { min: 0, max: 0, compile: () => computed((frame) => new Date(frame.run.now).toISOString().slice(0, 10)) },
};

/** Every function name except those of the document. */
export const functionNames: readonly string[] = [...Object.keys(specialFunctions), ...Object.keys(languageFunctions)].sort();

export function compileCall(name: string, args: readonly ExpressionTree[], call: CallContext): Compiled {
  const { context } = call;
  const declared = context.functions.get(name);
  if (declared !== undefined)
    return hasValidCount(name, args, { min: declared.args.length, max: declared.args.length }, context)
      ? callDeclared(
          declared,
          args.map((arg) => call.compile(arg)),
        )
      : nothing;
  if (Object.hasOwn(specialFunctions, name)) {
    const special = specialFunctions[name] as (typeof specialFunctions)[string];
    return hasValidCount(name, args, special, context) ? special.compile(args, call) : nothing;
  }
  const languageFunction = Object.hasOwn(languageFunctions, name) ? languageFunctions[name] : hostFunction(name, context);
  if (languageFunction === undefined) {
    const suggestion = context.closest(name, [...functionNames, ...context.functions.keys()]);
    context.report(`unknown function '${name}'${suggestion === undefined ? "" : ` (did you mean '${suggestion}'?)`}`);
    return nothing;
  }
  if (!hasValidCount(name, args, languageFunction, context)) return nothing;
  checkPattern(languageFunction, args, context);
  const values = args.map((arg) => call.compile(arg));
  return computed(callOf(languageFunction.apply, values));
}

function hostFunction(name: string, { environment }: DocumentContext): LanguageFunction | undefined {
  const call = environment.functions?.get(name);
  if (call === undefined) return undefined;
  return define(0, 100, (...args: readonly unknown[]) => {
    const result = call(...args);
    if (result instanceof Promise) throw new MappingFault("expression", `function '${name}' returned a promise: functions of a mapping must be synchronous`);
    return result;
  });
}

function checkPattern({ pattern }: LanguageFunction, args: readonly ExpressionTree[], context: DocumentContext): void {
  const argument = pattern === undefined ? undefined : args[pattern.at];
  if (argument?.kind !== "literal" || typeof argument.value !== "string") return;
  try {
    pattern?.check(argument.value);
  } catch (error) {
    context.report((error as Error).message);
  }
}

const nothing = computed(() => undefined);

function callOf(apply: (...args: any[]) => unknown, values: readonly Compiled[]): Compiled["evaluate"] {
  const [first, second] = values.map((value) => value.evaluate);
  const locate =
    (call: Compiled["evaluate"]): Compiled["evaluate"] =>
    (frame) => {
      try {
        const result = call(frame);
        countWork(result, frame.run);
        return Array.isArray(result) ? limitedList(result) : result;
      } catch (error) {
        throw located(error, values, frame);
      }
    };
  const argument = (evaluate: Compiled["evaluate"], frame: Frame): unknown => {
    const value = evaluate(frame);
    countWork(value, frame.run);
    return value;
  };
  if (values.length === 1 && first !== undefined) return locate((frame) => apply(argument(first, frame)));
  if (values.length === 2 && first !== undefined && second !== undefined) return locate((frame) => apply(argument(first, frame), argument(second, frame)));
  return locate((frame) => apply(...values.map((value) => argument(value.evaluate, frame))));
}

function hasValidCount(name: string, args: readonly unknown[], count: { readonly min: number; readonly max: number }, context: DocumentContext): boolean {
  if (args.length >= count.min && args.length <= count.max) return true;
  const expected = count.min === count.max ? String(count.min) : `${count.min} to ${count.max}`;
  context.report(`function '${name}' takes ${expected} argument${expected === "1" ? "" : "s"}, got ${args.length}`);
  return false;
}

function callDeclared(declared: DocumentFunction, args: readonly Compiled[]): Compiled {
  return computed((frame) => {
    const { run } = frame;
    const level = new Frame(run, undefined, undefined);
    level.args = args.map((arg) => arg.evaluate(frame));
    run.enter();
    try {
      return declared.evaluate(level);
    } finally {
      run.leave();
    }
  });
}

function choose([test, then, otherwise]: readonly ExpressionTree[], { compile }: CallContext): Compiled {
  const condition = compile(test as ExpressionTree).evaluate;
  const yes = compile(then as ExpressionTree).evaluate;
  const no = otherwise === undefined ? () => null : compile(otherwise).evaluate;
  return computed((frame) => (isTruthy(condition(frame)) ? yes(frame) : no(frame)));
}

function coalesce(args: readonly ExpressionTree[], { compile }: CallContext): Compiled {
  const candidates = args.map((arg) => compile(arg).evaluate);
  return computed((frame) => {
    for (const candidate of candidates) {
      const value = candidate(frame);
      if (!isNothing(value) && value !== "") return value;
    }
    return null;
  });
}

function lookup(args: readonly ExpressionTree[], { compile, context }: CallContext): Compiled {
  const [table, from, to, , onMissing] = args.map((arg) => (arg.kind === "literal" ? toText(arg.value) : undefined));
  if (table === undefined || from === undefined || to === undefined || (args.length === 5 && onMissing === undefined)) {
    context.report("lookup(table, from, to, key, onMissing): table, columns and onMissing must be string literals");
    return nothing;
  }
  if (onMissing !== undefined && !(missingRules as readonly string[]).includes(onMissing))
    context.report(`lookup: onMissing must be one of ${missingRules.join(", ")}`);
  const key = compile(args[3] as ExpressionTree);
  const evaluate = compileLookup({ table, keys: [{ column: from, value: key }], to, onMissing: onMissing as OnMissing | undefined }, context);
  return computed((frame) => {
    try {
      return evaluate(frame);
    } catch (error) {
      throw located(error, [key], frame);
    }
  });
}
