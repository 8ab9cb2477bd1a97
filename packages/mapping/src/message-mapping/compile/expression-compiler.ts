// Compiles expression trees to closures. As much as possible is done here: names are resolved to levels, functions to code, and paths are checked
// against the shape of the source.
import type { ExpressionTree } from "../expression/expression-tree.ts";
import { memberReader } from "../expression/member-reader.ts";
import { binaryOperations } from "../expression/operators.ts";
import { parseExpression } from "../expression/parser.ts";
import { Frame, type Evaluate } from "../frame.ts";
import { limitedList, countWork } from "../list-sizes.ts";
import { joinPath } from "../source-path.ts";
import { isNothing, isTruthy, toList, toNumber } from "../values.ts";
import { compileCall } from "./call-compiler.ts";
import { computed, located, memberShape, type Compiled } from "./compiled.ts";
import { elementName } from "./element-name.ts";
import { compileName } from "./name-compiler.ts";
import type { DocumentContext } from "./document-context.ts";
import { itemScope, type Scope } from "./scope.ts";
import { elementShape } from "./shape.ts";

/** Compiles a string as an expression, or as a path, where hyphens are part of names. Throws an ExpressionError. */
export function compileText(text: string, scope: Scope, context: DocumentContext, as: "expression" | "path" = "expression"): Compiled {
  const tree = parseExpression(text, { prefixes: context.prefixes, hyphens: as === "path" });
  return { ...compileTree(tree, scope, context), element: elementName(tree, scope, context) };
}

function compileTree(tree: ExpressionTree, scope: Scope, context: DocumentContext): Compiled {
  const compile = (inner: ExpressionTree): Compiled => compileTree(inner, scope, context);
  switch (tree.kind) {
    case "literal": {
      const { value } = tree;
      return computed(() => value);
    }
    case "name":
      return compileName(tree.name, scope, context);
    case "member":
      return member(tree, compile, scope, context);
    case "index":
      return index(compile(tree.of), compile(tree.index), tree.index);
    case "all": {
      const of = compile(tree.of);
      return { evaluate: (frame) => toList(of.evaluate(frame)), isMany: true, shape: elementShape(of.shape), origin: undefined };
    }
    case "filter":
      return filter(tree, compile(tree.of), scope, context);
    case "each":
      return each(tree, compile(tree.of), scope, context);
    case "call":
      return compileCall(tree.name, tree.args, { scope, context, compile });
    case "unary": {
      const { evaluate } = compile(tree.of);
      return computed(tree.operator === "!" ? (frame) => !isTruthy(evaluate(frame)) : (frame) => negate(toNumber(evaluate(frame))));
    }
    case "binary":
      return binary(tree.operator, compile(tree.left), compile(tree.right));
    case "choice": {
      const [test, then, otherwise] = [compile(tree.test).evaluate, compile(tree.then).evaluate, compile(tree.otherwise).evaluate];
      return computed((frame) => (isTruthy(test(frame)) ? then(frame) : otherwise(frame)));
    }
    case "list": {
      const items = tree.items.map((item) => compile(item).evaluate);
      return computed((frame) => limitedList(items.map((item) => item(frame))));
    }
  }
}

const negate = (value: number | null): number | null => (value === null ? null : 0 - value);

function member(
  tree: Extract<ExpressionTree, { kind: "member" }>,
  compile: (tree: ExpressionTree) => Compiled,
  scope: Scope,
  context: DocumentContext,
): Compiled {
  const { name } = tree;
  if (tree.of.kind === "name" && tree.of.name === "$vars") return compileName(`$${name}`, scope, context);
  if (tree.of.kind === "name" && tree.of.name === "$headers") return computed((frame) => frame.run.headers.get(name));
  const of = compile(tree.of);
  const shape = memberShape(of.shape, name, context);
  const read = memberReader(name, context.oneOrMany);
  const origin = of.origin === undefined ? undefined : { ...of.origin, text: joinPath(of.origin.text, name) };
  const { evaluate } = of;
  if (!of.isMany) return { evaluate: (frame) => read(evaluate(frame)), isMany: false, shape, origin };
  return {
    evaluate: (frame) => collectValues(evaluate(frame) as readonly unknown[], (item) => read(item), frame),
    isMany: true,
    shape: elementShape(shape),
    origin: undefined,
  };
}

function collectValues(items: readonly unknown[], read: (item: unknown) => unknown, frame: Frame): readonly unknown[] {
  frame.run.spend(items.length);
  const found: unknown[] = [];
  let hasLists = false;
  for (const item of items) {
    const value = read(item);
    if (value === undefined) continue;
    if (Array.isArray(value)) {
      frame.run.spend(value.length);
      for (const inner of value) {
        found.push(inner);
        hasLists ||= Array.isArray(inner);
      }
    } else found.push(value);
  }
  return hasLists ? limitedList(found) : found;
}

function index(of: Compiled, position: Compiled, tree: ExpressionTree): Compiled {
  const fixed = tree.kind === "literal" && typeof tree.value === "number" ? tree.value : undefined;
  const origin = of.origin !== undefined && fixed !== undefined ? { ...of.origin, text: `${of.origin.text}[${fixed}]` } : undefined;
  const evaluate: Evaluate = (frame) => {
    const value = of.evaluate(frame);
    if (isNothing(value)) return undefined;
    const at = fixed ?? position.evaluate(frame);
    if (typeof at === "string" && !Array.isArray(value)) return memberReader(at, false)(value);
    const list = toList(value);
    const number = toNumber(at);
    return number === null ? undefined : list[number < 0 ? list.length + number : number];
  };
  return { evaluate, isMany: false, shape: of.isMany ? of.shape : elementShape(of.shape), origin };
}

function filter(tree: Extract<ExpressionTree, { kind: "filter" }>, of: Compiled, scope: Scope, context: DocumentContext): Compiled {
  const shape = of.isMany ? of.shape : elementShape(of.shape);
  const test = compileTree(tree.test, itemScope(scope, shape), context).evaluate;
  const evaluate: Evaluate = (frame) => {
    const items = toList(of.evaluate(frame));
    frame.run.spend(items.length);
    const level = new Frame(frame.run, frame, undefined);
    const matching: unknown[] = [];
    let hasLists = false;
    for (let at = 0; at < items.length; at++) {
      level.item = items[at];
      level.index = at;
      if (!isTruthy(test(level))) continue;
      matching.push(items[at]);
      hasLists ||= Array.isArray(items[at]);
    }
    return hasLists ? limitedList(matching) : matching;
  };
  return { evaluate, isMany: true, shape, origin: undefined };
}

function each(tree: Extract<ExpressionTree, { kind: "each" }>, of: Compiled, scope: Scope, context: DocumentContext): Compiled {
  const shape = of.isMany ? of.shape : of.shape?.kind === "list" ? undefined : of.shape;
  const body = compileTree(tree.body, itemScope(scope, shape), context).evaluate;
  if (!of.isMany) {
    return computed((frame) => {
      const item = of.evaluate(frame);
      return isNothing(item) ? item : body(new Frame(frame.run, frame, item));
    });
  }
  const evaluate: Evaluate = (frame) => {
    const items = of.evaluate(frame) as readonly unknown[];
    const level = new Frame(frame.run, frame, undefined);
    let at = 0;
    return collectValues(
      items,
      (item) => {
        level.item = item;
        level.index = at++;
        return body(level);
      },
      frame,
    );
  };
  return { evaluate, isMany: true, shape: undefined, origin: undefined };
}

type Calculation = (left: number, right: number) => unknown;

/** Fast path for two numbers. */
const numberOperations: Readonly<Record<string, Calculation>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
};

function binary(operator: string, left: Compiled, right: Compiled): Compiled {
  const readLeft = left.evaluate;
  const readRight = right.evaluate;
  if (operator === "&&") return computed((frame) => isTruthy(readLeft(frame)) && isTruthy(readRight(frame)));
  if (operator === "||") return computed((frame) => isTruthy(readLeft(frame)) || isTruthy(readRight(frame)));
  if (operator === "??") return computed((frame) => readLeft(frame) ?? readRight(frame));
  const operation = binaryOperations[operator] as (left: unknown, right: unknown) => unknown;
  const fast = numberOperations[operator];
  return computed((frame) => {
    const a = readLeft(frame);
    const b = readRight(frame);
    if (fast !== undefined && typeof a === "number" && typeof b === "number") return fast(a, b);
    try {
      countWork(a, frame.run);
      countWork(b, frame.run);
      return operation(a, b);
    } catch (error) {
      throw located(error, [left, right], frame);
    }
  });
}
