// Compiles rules to closures. A rule evaluates its source, converts the value and writes it to its target; anything it throws becomes an error
// that names the target field and the source.
import { isPlainObject } from "@sluice/engine/values";
import { memberNames } from "@sluice/model";
import { runToEnd, type Incremental } from "../../text/incremental.ts";
import { forEachMembers, ruleSchema } from "../document-schema.ts";
import type { Evaluate, Frame } from "../frame.ts";
import { finite, isTruthy } from "../values.ts";
import type { DocumentContext } from "./document-context.ts";
import { compileValueConversion, type RuleMembers } from "./value-conversion.ts";
import { failRule, type RuleOrigin } from "./fail-rule.ts";
import { compileForEach } from "./for-each-compiler.ts";
import type { Scope } from "./scope.ts";
import { elementShape, type Shape } from "./shape.ts";
import { compileSource, textOrReport } from "./source-compiler.ts";
import { listLength, parseTargetPath, targetSetter, type Target, type TargetPath } from "./target-path.ts";

export interface Part {
  readonly map: unknown;
  /** The parts its own rules may use: those of the document that defines it. */
  parts(): ReadonlyMap<string, Part>;
}

export type WriteFields = (frame: Frame, target: Target) => void;

/** The context of rules: their source and their target. */
export interface Level {
  readonly scope: Scope;
  readonly context: DocumentContext;
  readonly parts: ReadonlyMap<string, Part>;
  /** The parts being compiled: a recursive use calls the part instead of compiling it again. */
  readonly partStack: ReadonlyMap<Part, { write?: WriteFields }>;
  /** The target path from the document root, positions as `[]`. */
  readonly fields: readonly string[];
  /** The target path from the level's own frame. */
  readonly prefix: string;
  readonly rulePath: string;
  readonly targetShape: Shape | undefined;
  readonly mapped: MappedField[];
  /** Passed down to avoid a circular import between sources and rules. */
  readonly compileRules: typeof compileRules;
}

export interface MappedField {
  readonly path: string;
  readonly isStructure: boolean;
}

const allMembers = memberNames(ruleSchema);
const membersWithoutForEach = allMembers.filter((name) => !forEachMembers.includes(name));
const maxDepth = 50;

const rulesPerStep = 50;

export const compileRules = (rules: unknown, level: Level): WriteFields => runToEnd(compileRulesIncrementally(rules, level));

/** Like {@link compileRules}, incrementally; nested rules belong to the step of the rule that contains them. */
export function* compileRulesIncrementally(rules: unknown, level: Level): Incremental<WriteFields> {
  const { context } = level;
  if (!Array.isArray(rules)) {
    context.report("'map' must be a list of rules");
    return () => undefined;
  }
  if (level.fields.length > maxDepth) {
    context.report(`rules are nested deeper than ${maxDepth} levels`);
    return () => undefined;
  }
  const seen = new Set<string>();
  const writers: WriteFields[] = [];
  for (const [index, rule] of (rules as readonly unknown[]).entries()) {
    const writer = context.countRule() ? compileRule(rule, { ...level, rulePath: `${level.rulePath}[${index}]` }, seen) : undefined;
    if (writer !== undefined) writers.push(writer);
    if (index % rulesPerStep === rulesPerStep - 1) yield undefined;
  }
  return (frame, target) => {
    for (let index = 0; index < writers.length; index++) (writers[index] as WriteFields)(frame, target);
  };
}

function compileRule(members: unknown, level: Level, seen: Set<string>): WriteFields | undefined {
  const { context } = level;
  const rule: RuleMembers = isPlainObject(members) ? members : {};
  const { to } = rule;
  const path = typeof to === "string" ? parseTargetPath(to) : undefined;
  if (path === undefined) {
    context.report(`${level.rulePath}: 'to' must name a target field${typeof to === "string" ? `, not '${to.slice(0, 80)}'` : ""}`);
    return undefined;
  }
  const fields = [...level.fields, to as string];
  return context.at(fields, () => {
    checkMembers(rule, context);
    if (rule["when"] === undefined && !path.isList && seen.has(path.text))
      context.warn(`target field '${fields.join(".")}' is mapped twice: the last rule wins`);
    seen.add(path.text);
    const inner: Level = {
      ...level,
      fields,
      prefix: level.prefix === "" ? path.text : `${level.prefix}.${path.text}`,
      targetShape: shapeAt(level.targetShape, path, context),
      rulePath: level.rulePath,
    };
    return ruleWriter(rule, path, inner);
  });
}

function ruleWriter(rule: RuleMembers, path: TargetPath, level: Level): WriteFields {
  const { context } = level;
  const when = rule["when"] === undefined ? undefined : textOrReport(rule["when"], "when", level, "expression")?.evaluate;
  const set = targetSetter(path);
  const isForEach = Object.hasOwn(rule, "forEach");
  const nestedLevel = { ...level, rulePath: `${level.rulePath}.map` };
  if (isForEach) {
    const iterate = compileForEach(rule, { ...nestedLevel, targetShape: elementShape(level.targetShape) });
    level.mapped.push({ path: level.fields.join("."), isStructure: iterate.isStructure });
    return writer({ when, origin: iterate.origin, level }, (frame, target) => {
      const items = iterate.evaluate(frame, path.isList ? listLength(path, target) : 0);
      if (items !== undefined) set(target, items);
    });
  }
  const source = compileSource(rule, nestedLevel);
  const convert = compileValueConversion(rule, context, false);
  level.mapped.push({ path: level.fields.join("."), isStructure: source.isStructure });
  const evaluate: Evaluate = convert === undefined ? source.evaluate : (frame) => convert(source.evaluate(frame), frame.run);
  return writer({ when, origin: source.origin, level }, (frame, target) => {
    const value = finite(evaluate(frame));
    if (value === undefined) return;
    frame.run.write(value);
    set(target, value);
  });
}

interface RuleContext {
  readonly when: Evaluate | undefined;
  readonly origin: RuleOrigin;
  readonly level: Level;
}

function writer({ when, origin, level }: RuleContext, write: WriteFields): WriteFields {
  const fail = (error: unknown, frame: Frame): void => failRule(error, frame, { field: level.prefix, rule: level.rulePath, origin });
  if (when === undefined) {
    return (frame, target) => {
      try {
        write(frame, target);
      } catch (error) {
        fail(error, frame);
      }
    };
  }
  return (frame, target) => {
    try {
      if (isTruthy(when(frame))) write(frame, target);
    } catch (error) {
      fail(error, frame);
    }
  };
}

function checkMembers(rule: RuleMembers, context: DocumentContext): void {
  const isForEach = Object.hasOwn(rule, "forEach");
  const allowed = isForEach ? allMembers : membersWithoutForEach;
  for (const name of Object.keys(rule)) {
    if (allowed.includes(name)) continue;
    const suggestion = context.closest(name, allowed);
    const why = forEachMembers.includes(name) ? " without forEach" : suggestion === undefined ? "" : ` (did you mean '${suggestion}'?)`;
    context.report(`unknown property '${name.slice(0, 60)}' in a rule${why}`);
  }
  if (Object.hasOwn(rule, "with") && !Object.hasOwn(rule, "use")) context.report("'with' requires 'use'");
}

function shapeAt(shape: Shape | undefined, { segments, isList }: TargetPath, context: DocumentContext): Shape | undefined {
  let at = shape;
  for (const name of segments) {
    if (at === undefined || at.kind === "any") return undefined;
    if (typeof name === "number") at = at.kind === "list" ? at.of : undefined;
    else if (at.kind === "object" && at.members.has(name)) at = at.members.get(name);
    else {
      const suggestion = at.kind === "object" ? context.closest(name, at.members.keys()) : undefined;
      context.report(`the target has no field '${name}'${suggestion === undefined ? "" : ` (did you mean '${suggestion}'?)`}`);
      return undefined;
    }
  }
  return isList && at?.kind === "list" ? at.of : at;
}
