// The source of a rule's value: exactly one of from, value, expr, lookup, switch, use, map.
import { isPlainObject } from "@sluice/engine/values";
import { memberNames } from "@sluice/model";
import { missingRules, type OnMissing } from "../../value-mapping/value-table.ts";
import { caseSchema, lookupSchema, sourceKinds } from "../document-schema.ts";
import { Frame, type Evaluate } from "../frame.ts";
import { deepCopy, isEmptyElement, isNothing, isTruthy, scalarOf } from "../values.ts";
import type { Compiled } from "./compiled.ts";
import type { DocumentContext } from "./document-context.ts";
import { compileText } from "./expression-compiler.ts";
import type { RuleOrigin } from "./fail-rule.ts";
import type { Origin } from "../source-path.ts";
import { compileLookup } from "./lookup-compiler.ts";
import type { Level } from "./rule-compiler.ts";
import type { RuleMembers } from "./value-conversion.ts";
import { rootScope } from "./scope.ts";
import type { Target } from "./target-path.ts";

export interface ValueSource {
  readonly evaluate: Evaluate;
  /** The source that an error names, when the value comes from a single path. */
  readonly origin: RuleOrigin;
  /** The rule's value is built field by field. */
  readonly isStructure: boolean;
}

const noSource: ValueSource = { evaluate: () => undefined, origin: undefined, isStructure: false };

export function compileSource(rule: RuleMembers, level: Level): ValueSource {
  const kinds = sourceKinds.filter((kind) => Object.hasOwn(rule, kind));
  if (kinds.length !== 1) {
    level.context.report(kinds.length === 0 ? `exactly one of ${sourceKinds.join(", ")} or forEach is required` : `only one of ${kinds.join(", ")} is allowed`);
    return noSource;
  }
  switch (kinds[0]) {
    case "from":
      return pathSource(rule["from"], level);
    case "value": {
      const { value } = rule;
      return {
        evaluate: typeof value === "object" && value !== null ? (frame) => deepCopy(value, frame.run) : () => value,
        origin: undefined,
        isStructure: false,
      };
    }
    case "expr":
      return expressionSource(rule["expr"], level);
    case "lookup":
      return lookupSource(rule["lookup"], level);
    case "switch":
      return switchSource(rule["switch"], level);
    case "use":
      return partSource(rule, level);
    default: {
      const write = level.compileRules(rule["map"], level);
      return { evaluate: (frame) => buildTarget(write, frame), origin: undefined, isStructure: true };
    }
  }
}

function buildTarget(write: (frame: Frame, target: Target) => void, frame: Frame): Target {
  const target: Target = {};
  write(frame, target);
  return target;
}

/** Compiles a string, or reports the problem and returns undefined. */
export function textOrReport(text: unknown, member: string, level: Pick<Level, "scope" | "context">, as: "expression" | "path"): Compiled | undefined {
  if (typeof text !== "string" || text.trim() === "") {
    level.context.report(`'${member}' must be a string`);
    return undefined;
  }
  try {
    return compileText(text, level.scope, level.context, as);
  } catch (error) {
    level.context.report((error as Error).message);
    return undefined;
  }
}

function pathSource(text: unknown, level: Level): ValueSource {
  const compiled = textOrReport(text, "from", level, "path");
  return compiled === undefined ? noSource : { evaluate: copySource(compiled.evaluate), origin: compiled.origin, isStructure: false };
}

/** Copies values from the source. An element with only attributes and text becomes its text; without text it keeps the attributes. */
function copySource(evaluate: Evaluate): Evaluate {
  return (frame) => {
    const value = evaluate(frame);
    if (typeof value !== "object" || value === null) return value;
    const plain = Array.isArray(value) ? value.map(textElement) : textElement(value);
    return deepCopy(plain, frame.run);
  };
}

function textElement(value: unknown): unknown {
  const text = scalarOf(value);
  if (text === value || isEmptyElement(value as object)) return value;
  return Object.keys(value as object).every((name) => name === "#text" || name.startsWith("@")) ? text : value;
}

function expressionSource(value: unknown, level: Level): ValueSource {
  if (typeof value === "string") {
    const compiled = textOrReport(value, "expr", level, "expression");
    return compiled === undefined ? noSource : { evaluate: copySource(compiled.evaluate), origin: compiled.origin, isStructure: false };
  }
  const entries = isPlainObject(value) ? Object.entries(value) : [];
  const [language, text] = entries[0] ?? [];
  if (entries.length !== 1 || language === undefined || typeof text !== "string") {
    level.context.report(`'expr' must be a string, or one language and its expression such as {"jsonpath": "$.a"}`);
    return noSource;
  }
  const compile = level.context.environment.compileLanguage;
  try {
    if (compile === undefined) throw new Error(`the language '${language}' is not available here`);
    const evaluate = compile(language, text, level.context.xml);
    const { element } = level.scope;
    return { evaluate: (frame) => deepCopy(evaluate(frame.item, frame.run.headers, element), frame.run), origin: undefined, isStructure: false };
  } catch (error) {
    level.context.report((error as Error).message);
    return noSource;
  }
}

const lookupMembers = memberNames(lookupSchema);
const caseMembers = memberNames(caseSchema);

function reportUnknown(members: RuleMembers, allowed: readonly string[], owner: string, context: DocumentContext): void {
  for (const name of Object.keys(members)) {
    if (allowed.includes(name)) continue;
    const suggestion = context.closest(name, allowed);
    context.report(`unknown property '${name.slice(0, 60)}' in ${owner}${suggestion === undefined ? "" : ` (did you mean '${suggestion}'?)`}`);
  }
}

function lookupSource(value: unknown, level: Level): ValueSource {
  const { context } = level;
  const plan = isPlainObject(value) ? value : {};
  const { table, key, from, to, onMissing } = plan;
  reportUnknown(plan, lookupMembers, "lookup", context);
  const isComposite = isPlainObject(key);
  if (typeof table !== "string" || key === undefined || (isComposite && Object.keys(key).length === 0)) {
    context.report("'lookup' requires 'table' and 'key'");
    return noSource;
  }
  if (onMissing !== undefined && !(missingRules as readonly unknown[]).includes(onMissing))
    context.report(`'onMissing' must be one of ${missingRules.join(", ")}`);
  const pairs: readonly (readonly [unknown, unknown])[] = isComposite ? Object.entries(key) : [[from ?? "from", key]];
  const keys = pairs.map(([column, text]) => ({ column: String(column), value: textOrReport(text, "key", level, "path") }));
  const complete = keys.flatMap(({ column, value }) => (value === undefined ? [] : [{ column, value }]));
  if (complete.length < keys.length) return noSource;
  const evaluate = compileLookup({ table, keys: complete, to: to === undefined ? "to" : String(to), onMissing: onMissing as OnMissing | undefined }, context);
  return { evaluate, origin: complete[0]?.value.origin, isStructure: false };
}

function switchSource(value: unknown, level: Level): ValueSource {
  if (!Array.isArray(value) || value.length === 0) {
    level.context.report("'switch' must be a list of cases");
    return noSource;
  }
  const cases = value.map((candidate: unknown, index) => {
    const { when, ...rest } = isPlainObject(candidate) ? candidate : ({} as RuleMembers);
    reportUnknown(rest, caseMembers, "a switch case", level.context);
    if (when === undefined && index < value.length - 1) level.context.report("only the last case of switch can omit 'when'");
    return {
      when: when === undefined ? undefined : textOrReport(when, "when", level, "expression")?.evaluate,
      source: compileSource(rest, { ...level, rulePath: `${level.rulePath}.switch[${index}]` }),
    };
  });
  const chooseCase = (frame: Frame): ValueSource | undefined => cases.find(({ when }) => when === undefined || isTruthy(when(frame)))?.source;
  return {
    evaluate: (frame) => chooseCase(frame)?.evaluate(frame),
    origin: (frame) => originOf(chooseCase, frame),
    isStructure: cases.some(({ source }) => source.isStructure),
  };
}

/** Called after a value was rejected, so the conditions are evaluated again. If one throws, its error already names the source. */
function originOf(chooseCase: (frame: Frame) => ValueSource | undefined, frame: Frame): Origin | undefined {
  try {
    const origin = chooseCase(frame)?.origin;
    return typeof origin === "function" ? origin(frame) : origin;
  } catch {
    return undefined;
  }
}

function partSource(rule: RuleMembers, level: Level): ValueSource {
  const { context, parts } = level;
  const name = rule["use"];
  const declared = typeof name === "string" ? parts.get(name) : undefined;
  if (declared === undefined) {
    const suggestion = context.closest(String(name), parts.keys());
    context.report(`unknown part '${String(name)}'${suggestion === undefined ? "" : ` (did you mean '${suggestion}'?)`}`);
    return noSource;
  }
  const argument = rule["with"] === undefined ? undefined : textOrReport(rule["with"], "with", level, "path");
  const item: Evaluate = argument?.evaluate ?? ((frame) => frame.item);
  const { shape, element } = rule["with"] === undefined ? level.scope : { shape: argument?.shape, element: argument?.element };
  const inProgress = level.partStack.get(declared);
  const program: { write?: (frame: Frame, target: Target) => void } = inProgress ?? {};
  if (inProgress === undefined) {
    const partStack = new Map(level.partStack).set(declared, program);
    program.write = context.insidePart(() =>
      level.compileRules(declared.map, {
        ...level,
        scope: rootScope(shape, element),
        prefix: "",
        rulePath: `parts.${name as string}.map`,
        partStack,
        parts: declared.parts(),
      }),
    );
  }
  const targetSegment = { path: level.prefix, isList: false };
  const evaluate: Evaluate = (frame) => {
    const value = item(frame);
    if (isNothing(value)) return undefined;
    const { run } = frame;
    run.enter();
    try {
      const inner = new Frame(run, frame, value, level.prefix === "" ? undefined : targetSegment);
      return buildTarget(program.write as (frame: Frame, target: Target) => void, inner);
    } finally {
      run.leave();
    }
  };
  return { evaluate, origin: undefined, isStructure: true };
}
