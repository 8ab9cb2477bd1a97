// forEach: one target item per source item or per group, in order, filtered, sorted and limited.
import { isPlainObject } from "@sluice/engine/values";
import { memberNames } from "@sluice/model";
import { unknownProperties } from "../../problem.ts";
import { sortSchema, sourceKinds } from "../document-schema.ts";
import { Frame, type Evaluate } from "../frame.ts";
import { MappingFault } from "../mapping-fault.ts";
import type { Origin } from "../source-path.ts";
import { compareMissingLast, finite, isNothing, isTruthy, scalarOf, toList, toText } from "../values.ts";
import { failRule } from "./fail-rule.ts";
import { compileValueConversion, type RuleMembers } from "./value-conversion.ts";
import type { Level } from "./rule-compiler.ts";
import { validName, itemScope, reservedNames } from "./scope.ts";
import { elementShape } from "./shape.ts";
import { compileSource, textOrReport } from "./source-compiler.ts";

export interface ForEach {
  /** The items, or undefined when there is nothing to write. `base` is the position of the first one in the target. */
  evaluate(frame: Frame, base: number): readonly unknown[] | undefined;
  readonly origin: Origin | undefined;
  readonly isStructure: boolean;
}

interface Entry {
  readonly item: unknown;
  readonly index: number;
  readonly key: unknown;
  readonly group: readonly unknown[] | undefined;
}

type Arrange = (entries: readonly Entry[], level: Frame) => readonly Entry[];

export function compileForEach(rule: RuleMembers, level: Level): ForEach {
  const { context } = level;
  const list = textOrReport(rule["forEach"], "forEach", level, "path");
  const as = readName(rule["as"], level);
  const shape = list === undefined ? undefined : list.isMany ? list.shape : elementShape(list.shape);
  const isGrouped = rule["groupBy"] !== undefined;
  const scope = itemScope(level.scope, shape, { as, isGrouped, element: list?.element });
  const inner: Level = { ...level, scope, prefix: "" };
  const source = sourceKinds.some((kind) => Object.hasOwn(rule, kind)) ? compileSource(rule, inner) : reportMissingSource(level);
  const convert = compileValueConversion(rule, context, true);
  const arrange = compileArrange(rule, inner);
  const limit = readLimit(rule["limit"], level);
  const { omitEmpty, required } = rule;
  if (omitEmpty !== undefined && typeof omitEmpty !== "boolean") context.report("'omitEmpty' must be true or false");
  const targetSegment = { path: level.prefix, isList: true };
  const items: Evaluate = list?.evaluate ?? (() => []);
  const { evaluate } = source;
  const originText = list?.origin?.text;
  const rulePath = level.rulePath.replace(/\.map$/, "");
  const run = (frame: Frame, base: number): readonly unknown[] | undefined => {
    const item = new Frame(frame.run, frame, undefined, targetSegment);
    item.origin = originText;
    let entries: readonly Entry[] | undefined;
    const sourceItems = toList(items(frame));
    frame.run.spend(sourceItems.length);
    if (arrange !== undefined)
      entries = arrange(
        sourceItems.map((item, index) => ({ item, index, key: undefined, group: undefined })),
        item,
      );
    const length = Math.min(entries?.length ?? sourceItems.length, limit);
    const results: unknown[] = [];
    for (let at = 0; at < length; at++) {
      const entry = entries?.[at];
      item.item = entry === undefined ? sourceItems[at] : entry.item;
      item.key = entry?.key;
      item.group = entry?.group;
      item.index = at;
      item.sourceIndex = entry === undefined ? at : entry.index;
      item.targetIndex = base + results.length;
      try {
        const value = finite(convert === undefined ? evaluate(item) : convert(evaluate(item), item.run));
        if (value === undefined) continue;
        frame.run.write(value);
        results.push(value);
      } catch (error) {
        failRule(error, item, { field: "", rule: rulePath, origin: source.origin });
        // When errors are collected, a failed item keeps its position, so that the next item reports the correct one.
        results.push(undefined);
      }
    }
    if (results.length > 0) return results;
    if (required === true) throw new MappingFault("required", "at least one item is required, but the source has none");
    return omitEmpty === true ? undefined : results;
  };
  return { evaluate: run, origin: list?.origin, isStructure: source.isStructure };
}

function reportMissingSource({ context }: Level): ReturnType<typeof compileSource> {
  context.report("forEach needs map or another source for its items");
  return { evaluate: () => undefined, origin: undefined, isStructure: false };
}

function readName(value: unknown, { context }: Level): string | undefined {
  if (value === undefined) return undefined;
  const name = validName(value);
  if (name === undefined) context.report("'as' must be a name of letters, digits and _");
  else if (reservedNames.includes(name)) context.report(`'as' must not be '${name}': that name is reserved`);
  return name;
}

function readLimit(value: unknown, { context }: Level): number {
  if (value === undefined) return Number.POSITIVE_INFINITY;
  if (Number.isInteger(value) && (value as number) >= 0) return value as number;
  context.report("'limit' must be an integer of 0 or more");
  return 0;
}

/** where, groupBy and sort, in that order; undefined when the rule has none of them. */
function compileArrange(rule: RuleMembers, level: Level): Arrange | undefined {
  const steps: Arrange[] = [];
  const { scope } = level;
  // Items are not grouped yet when `where` and `groupBy` read them.
  const single: Level = { ...level, scope: { ...scope, isGrouped: false } };
  if (rule["where"] !== undefined) {
    const test = textOrReport(rule["where"], "where", single, "expression")?.evaluate;
    if (test !== undefined) steps.push((entries, frame) => entries.filter((entry) => isTruthy(test(moveTo(frame, entry)))));
  }
  if (rule["groupBy"] !== undefined) {
    const key = textOrReport(rule["groupBy"], "groupBy", single, "path")?.evaluate;
    if (key !== undefined) steps.push((entries, frame) => groupEntries(entries, frame, key));
  }
  if (rule["sort"] !== undefined) steps.push(compileSort(rule["sort"], level));
  if (steps.length === 0) return undefined;
  return (entries, frame) => steps.reduce((result, step) => step(result, frame), entries);
}

function moveTo(frame: Frame, entry: Entry): Frame {
  frame.item = entry.item;
  frame.index = entry.index;
  frame.key = entry.key;
  frame.group = entry.group;
  return frame;
}

function groupEntries(entries: readonly Entry[], frame: Frame, keyOf: Evaluate): readonly Entry[] {
  const groups = new Map<string, { readonly key: unknown; readonly first: Entry; readonly items: unknown[] }>();
  for (const entry of entries) {
    const key = scalarOf(keyOf(moveTo(frame, entry)));
    const name = isNothing(key) ? "\0" : toText(key);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, { key: key ?? null, first: entry, items: [entry.item] });
    else group.items.push(entry.item);
  }
  return [...groups.values()].map(({ key, first, items }) => ({ item: first.item, index: first.index, key, group: items }));
}

function compileSort(sort: unknown, level: Level): Arrange {
  const orders = (Array.isArray(sort) ? sort : [sort]).map((order: unknown) => {
    const { by, desc } = typeof order === "string" ? { by: order, desc: false } : isPlainObject(order) ? order : ({} as RuleMembers);
    if (isPlainObject(order)) for (const fault of unknownProperties(order, memberNames(sortSchema))) level.context.report(`sort: ${fault}`);
    if (desc !== undefined && typeof desc !== "boolean") level.context.report("'desc' of sort must be true or false");
    return { key: textOrReport(by, "sort.by", level, "path")?.evaluate ?? (() => null), sign: desc === true ? (-1 as const) : (1 as const) };
  });
  return (entries, frame) => {
    const keyed = entries.map((entry) => {
      moveTo(frame, entry);
      return { entry, keys: orders.map(({ key }) => scalarOf(key(frame))) };
    });
    keyed.sort((one, other) => {
      for (const [index, { sign }] of orders.entries()) {
        const difference = compareMissingLast(one.keys[index], other.keys[index], sign);
        if (difference !== 0) return difference;
      }
      return 0;
    });
    return keyed.map(({ entry }) => entry);
  };
}
