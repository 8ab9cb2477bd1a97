// Compiles nodes to closures. Common shapes (one function, text with functions) get closures without loops or lists.
import { FlowError, type Expression } from "@sluice/engine/spi";
import { asText, boundedText, checkTextLength, isMap, isTrue, sizeOfMap } from "@sluice/engine/values";
import type { SimpleNode } from "../parse/ast.ts";
import { parsePredicate } from "../parse/predicate.ts";
import { parseTemplate } from "../parse/template.ts";
import { compileComparison } from "./comparison.ts";
import { withBody, type SimpleScope } from "./scope.ts";

/** Compiles the text of an argument or a template. */
export function compileText(text: string, offset: number, scope: SimpleScope): Expression {
  return compileNode(parseTemplate(text, { offset, piped: scope.piped }), scope);
}

export function compilePredicateText(text: string, offset: number, scope: SimpleScope): Expression<boolean> {
  return compileTest(parsePredicate(text, { offset, piped: scope.piped }), scope);
}

export function compileNode(node: SimpleNode, scope: SimpleScope): Expression {
  switch (node.kind) {
    case "text":
      return constant(node.text);
    case "value":
      return constant(node.value);
    case "quoted":
      return node.content.kind === "text" ? constant(node.content.text) : compileTemplate([node.content], scope);
    case "call":
      return scope.compile.call(node.source, node.offset, node.piped ? { ...scope, piped: true } : scope);
    case "template":
      return compileTemplate(node.parts, scope);
    case "increment":
      return increment(compileNode(node.operand, scope), node.by);
    case "chain":
      return chain(compileNode(node.left, scope), compileNode(node.right, { ...scope, piped: true }), node.nullSafe);
    case "elvis":
      return elvis(compileNode(node.left, scope), compileNode(node.right, scope));
    case "ternary":
      return ternary(compileTest(node.condition, scope), compileNode(node.yes, scope), compileNode(node.no, scope));
    case "compare":
    case "logic":
      return compileTest(node, scope);
  }
}

/** A node as a predicate. */
function compileTest(node: SimpleNode, scope: SimpleScope): Expression<boolean> {
  if (node.kind === "compare") return compileComparison(node, scope);
  if (node.kind === "logic") {
    const left = compileTest(node.left, scope);
    const right = compileTest(node.right, scope);
    return node.operator === "&&" ? (exchange) => left(exchange) && right(exchange) : (exchange) => left(exchange) || right(exchange);
  }
  const value = compileNode(node, scope);
  return (exchange) => isTrue(value(exchange));
}

function constant<T>(value: T): Expression<T> {
  return () => value;
}

function compileTemplate(nodes: readonly SimpleNode[], scope: SimpleScope): Expression<string> {
  const parts = nodes.map((node) => compileNode(node, scope));
  if (parts.length === 1) {
    const [only] = parts as [Expression];
    return (exchange) => asText(only(exchange));
  }
  if (parts.length === 2) {
    const [first, second] = parts as [Expression, Expression];
    return (exchange) => boundedText(asText(first(exchange)) + asText(second(exchange)));
  }
  return (exchange) => {
    let text = "";
    for (let index = 0; index < parts.length; index++) {
      text += asText((parts[index] as Expression)(exchange));
      checkTextLength(text.length);
    }
    return text;
  };
}

function increment(operand: Expression, by: 1 | -1): Expression {
  return (exchange) => {
    const value = operand(exchange);
    const text = asText(value).trim();
    const number = typeof value === "number" ? value : /^[+-]?\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isNaN(number))
      throw new FlowError("org.apache.camel.ExpressionEvaluationException", `${by > 0 ? "++" : "--"} needs a number, got '${text.slice(0, 60)}'`, {
        code: "simple-not-a-number",
      });
    const result = Math.trunc(number) + by;
    return typeof value === "number" ? result : String(result);
  };
}

function chain(left: Expression, right: Expression, nullSafe: boolean): Expression {
  return (exchange) => {
    const value = left(exchange);
    if (nullSafe && (value === null || value === undefined)) return null;
    const result = withBody(exchange, value, right);
    return nullSafe ? (result ?? null) : result;
  };
}

function elvis(left: Expression, right: Expression): Expression {
  return (exchange) => {
    const value = left(exchange);
    return isEmptyValue(value) ? right(exchange) : value;
  };
}

function isEmptyValue(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === 0) return true;
  if (typeof value === "string") return value.trim() === "";
  if (Array.isArray(value)) return value.length === 0;
  if (value instanceof Uint8Array) return asText(value).trim() === "";
  return isMap(value) && sizeOfMap(value) === 0;
}

function ternary(condition: Expression<boolean>, yes: Expression, no: Expression): Expression {
  return (exchange) => (condition(exchange) ? yes(exchange) : no(exchange));
}
