// A parsed path as closures. A definite path without a match returns `absent`, or throws in strict mode, so that
// filters can test for existence without exceptions.
import { FlowError } from "@sluice/engine/spi";
import { comparisonsOf, compileCondition, compileOperand } from "./filter-compiler.ts";
import { absent, isObject, member, memberValues } from "./json-access.ts";
import { pathFunctions } from "./path-functions.ts";
import { readText, type CompiledPath, type Walk } from "./path-walk.ts";
import { isDefinite, isDefiniteSegment, type Path, type Segment, type Text } from "./path-tree.ts";

type Emit = (value: unknown) => void;
type Visitor = (node: unknown, walk: Walk, emit: Emit) => void;
type Missing = (what: string) => void;

/** Maximum nodes one evaluation may visit, for paths such as `$..*..*..*` on a large document. */
const visitLimit = 400_000;
/** Cost of one comparison in a filter, relative to visiting a node. */
const comparisonCost = 0.4;

export function compilePath(path: Path): CompiledPath {
  const lenient = compileLenient(path);
  const strict = compileStages(path, (what) => {
    throw pathNotFound(what);
  });
  return { definite: isDefinite(path.segments), read: lenient, readStrict: strict };
}

/** The paths inside filters are compiled only in this form: compiling both forms would double the work for each level of nesting. */
function compileLenient(path: Path): (node: unknown, walk: Walk) => unknown {
  return compileStages(path, () => undefined);
}

/** The failure of a path without a match, identified by its cause. */
function pathNotFound(message: string): FlowError {
  const cause = new FlowError("com.jayway.jsonpath.PathNotFoundException", message, { code: "jsonpath-not-found" });
  return new FlowError("org.apache.camel.ExpressionEvaluationException", message, { code: "jsonpath-not-found", cause });
}

/** A function takes the complete result of the path before it, so a path is a chain of walks separated by functions. */
function compileStages(path: Path, missing: Missing): (node: unknown, walk: Walk) => unknown {
  let read: (node: unknown, walk: Walk) => unknown = (node) => node;
  let stage: Segment[] = [];
  let parentPath: string = path.root;
  const finish = (): void => {
    if (stage.length === 0) return;
    const readPrevious = read;
    const walkStage = compileStage(stage, parentPath, missing);
    parentPath += stage.map(describeSegment).join("");
    stage = [];
    read = (node, walk) => {
      const value = readPrevious(node, walk);
      return value === absent ? absent : walkStage(value, walk);
    };
  };
  for (const segment of path.segments) {
    if (segment.kind !== "call") {
      stage.push(segment);
      continue;
    }
    finish();
    const readPrevious = read;
    const apply = compileCall(segment);
    parentPath += describeSegment(segment);
    read = (node, walk) => {
      const value = readPrevious(node, walk);
      return value === absent ? absent : apply(value, node, walk);
    };
  }
  finish();
  return read;
}

function compileCall(segment: Segment & { kind: "call" }): (value: unknown, node: unknown, walk: Walk) => unknown {
  const args = segment.arguments.map((argument) => compileOperand(argument, compileLenient));
  const apply = pathFunctions[segment.name] as (value: unknown, args: readonly unknown[]) => unknown;
  return (value, node, walk) =>
    apply(
      value,
      args.map((read) => read(node, walk)).filter((item) => item !== absent),
    );
}

function compileStage(segments: readonly Segment[], prefix: string, missing: Missing): (node: unknown, walk: Walk) => unknown {
  const definite = isDefinite(segments);
  const firstIndefinite = segments.findIndex((segment) => !isDefiniteSegment(segment, false));
  const parentPaths: string[] = [];
  let fullPath = prefix;
  for (const segment of segments) {
    parentPaths.push(fullPath);
    fullPath += describeSegment(segment);
  }
  let go: Visitor = (node, _walk, emit) => emit(node);
  for (let index = segments.length - 1; index >= 0; index--) {
    const isParentDefinite = firstIndefinite === -1 || index <= firstIndefinite;
    go = compileSegment(segments[index] as Segment, go, {
      last: index === segments.length - 1,
      parentPath: parentPaths[index] as string,
      missing: isParentDefinite ? missing : () => undefined,
    });
  }
  return (node, walk) => {
    if (!definite) {
      const found: unknown[] = [];
      go(node, walk, (value) => found.push(value));
      return found;
    }
    let result: unknown = absent;
    go(node, walk, (value) => {
      result = value;
    });
    if (result === absent) missing(`No results for path: ${fullPath}`);
    return result;
  };
}

interface SegmentContext {
  readonly last: boolean;
  readonly parentPath: string;
  readonly missing: Missing;
}

function compileSegment(segment: Segment, next: Visitor, context: SegmentContext): Visitor {
  switch (segment.kind) {
    case "names":
      return segment.names.length === 1 ? compileOneName(segment.names[0] as Text, next, context) : compileNames(segment.names.map(readText), next, context);
    case "placeholder":
      return compilePlaceholder(readText(segment.text), next, context);
    case "indexes":
      return onArray(context, (array, walk, emit) => {
        for (const index of segment.indexes) visitIndex(array, index, next, walk, emit);
      });
    case "from-end":
      return onArray(context, (array, walk, emit) => visitIndex(array, -segment.offset, next, walk, emit));
    case "slice":
      return onArray(context, (array, walk, emit) => {
        for (const item of array.slice(segment.from ?? 0, segment.to ?? array.length)) visit(item, next, walk, emit);
      });
    case "wildcard":
      return (node, walk, emit) => forEachChild(node, walk, (child) => visit(child, next, walk, emit));
    case "descend":
      return (node, walk, emit) => descend(node, next, walk, emit);
    case "filter":
      return compileFilter(compileCondition(segment.condition, compileLenient), comparisonsOf(segment.condition) * comparisonCost, next);
    default:
      throw new Error("functions are compiled by compileStages");
  }
}

function compileOneName(text: Text, next: Visitor, context: SegmentContext): Visitor {
  const name = readText(text);
  const byName = compileName(name, next, context);
  if (typeof text.parts[0] !== "number" || text.parts.length > 1) return byName;
  // `$.${…}` may contain a dotted name; it can only go from member to member, never filter or search.
  return (node, walk, emit) => {
    const key = name(walk);
    const names = key.split(".");
    if (names.length === 1 || names.includes("") || !isObject(node) || member(node, key) !== absent) {
      byName(node, walk, emit);
      return;
    }
    const go = names.reduceRight<Visitor>((then, part) => compileName(() => part, then, context), next);
    go(node, walk, emit);
  };
}

function compileName(name: (walk: Walk) => string, next: Visitor, context: SegmentContext): Visitor {
  return (node, walk, emit) => {
    const key = name(walk);
    if (!isObject(node)) {
      context.missing(`Expected to find an object with property ['${key}'] in path ${context.parentPath} but found ${kindOf(node)}`);
      return;
    }
    const value = member(node, key);
    if (value !== absent) visit(value, next, walk, emit);
    else if (!context.last) context.missing(`Missing property in path ${context.parentPath}['${key}']`);
  };
}

function compileNames(names: readonly ((walk: Walk) => string)[], next: Visitor, context: SegmentContext): Visitor {
  return (node, walk, emit) => {
    if (!isObject(node)) {
      context.missing(`Expected to find an object in path ${context.parentPath} but found ${kindOf(node)}`);
      return;
    }
    const selected = Object.create(null) as Record<string, unknown>;
    for (const name of names) {
      const key = name(walk);
      const value = member(node, key);
      if (value === absent) continue;
      if (context.last) selected[key] = value;
      else visit(value, next, walk, emit);
    }
    if (context.last) visit(selected, next, walk, emit);
  };
}

/** `[${…}]`: an integer is a list index, anything else a member name. */
function compilePlaceholder(text: (walk: Walk) => string, next: Visitor, context: SegmentContext): Visitor {
  const byName = compileName(text, next, context);
  return (node, walk, emit) => {
    const value = text(walk);
    if (Array.isArray(node) && /^-?\d+$/.test(value)) visitIndex(node, Number(value), next, walk, emit);
    else byName(node, walk, emit);
  };
}

function compileFilter(test: (node: unknown, walk: Walk) => boolean, work: number, next: Visitor): Visitor {
  return (node, walk, emit) => {
    if (Array.isArray(node)) {
      for (const item of node as unknown[]) {
        count(walk, work);
        if (test(item, walk)) visit(item, next, walk, emit);
      }
    } else if (isObject(node) && test(node, walk)) {
      visit(node, next, walk, emit);
    }
  };
}

function onArray(context: SegmentContext, act: (array: readonly unknown[], walk: Walk, emit: Emit) => void): Visitor {
  return (node, walk, emit) => {
    if (Array.isArray(node)) act(node as unknown[], walk, emit);
    else if (node === null) context.missing(`The path ${context.parentPath} is null`);
    else context.missing(`An index can only be applied to arrays, but ${context.parentPath} is ${kindOf(node)}`);
  };
}

function visitIndex(array: readonly unknown[], index: number, next: Visitor, walk: Walk, emit: Emit): void {
  const at = index < 0 ? array.length + index : index;
  if (at >= 0 && at < array.length) visit(array[at], next, walk, emit);
}

function visit(value: unknown, next: Visitor, walk: Walk, emit: Emit): void {
  count(walk, 1);
  next(value, walk, emit);
}

function count(walk: Walk, work: number): void {
  walk.visits += work;
  if (walk.visits > visitLimit)
    throw new FlowError("java.lang.IllegalStateException", `time limit: the jsonpath visited more than ${visitLimit} nodes; use a more specific path`, {
      code: "limit-time",
    });
}

function descend(node: unknown, next: Visitor, walk: Walk, emit: Emit): void {
  if (typeof node !== "object" || node === null) return;
  visit(node, next, walk, emit);
  forEachChild(node, walk, (child) => descend(child, next, walk, emit));
}

function forEachChild(node: unknown, walk: Walk, act: (child: unknown) => void): void {
  if (Array.isArray(node)) for (const item of node as unknown[]) act(item);
  else if (isObject(node)) for (const value of valuesOf(node, walk)) act(value);
}

/** The values of objects with more members are cached for the next visit. */
const minCachedMembers = 1_000;

/** The values of an object. `..*` reads them twice, and listing 100,000 members takes 50 ms. */
function valuesOf(node: object, walk: Walk): Iterable<unknown> {
  if (walk.large?.node === node) return walk.large.values;
  const values = memberValues(node);
  if (Array.isArray(values) && values.length > minCachedMembers) walk.large = { node, values };
  return values;
}

function describeSegment(segment: Segment): string {
  switch (segment.kind) {
    case "names":
      return `[${segment.names.map((name) => `'${name.parts.map((part) => (typeof part === "string" ? part : "${…}")).join("")}'`).join(",")}]`;
    case "indexes":
      return `[${segment.indexes.join(",")}]`;
    case "slice":
      return `[${segment.from ?? ""}:${segment.to ?? ""}]`;
    case "from-end":
      return `[-${segment.offset}]`;
    case "descend":
      return "..";
    case "call":
      return `.${segment.name}()`;
    default:
      return segment.kind === "filter" ? "[?]" : segment.kind === "placeholder" ? "[${…}]" : "[*]";
  }
}

/** The type of a value in an error message. */
function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "an array";
  if (isObject(value)) return "an object";
  return value instanceof Date ? "a date" : value instanceof Uint8Array ? "bytes" : `a ${typeof value}`;
}
