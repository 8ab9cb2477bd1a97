import type { PathParser } from "./path-parser.ts";
import { toText } from "./path-scanner.ts";
import type { Condition, Operand } from "./path-tree.ts";

const operators = /===|!==|==|!=|<=|>=|<|>|=~|(?:in|nin|subsetof|anyof|noneof|all|size|empty|contains)(?![\w$])/iy;

/** The condition between `?(` and `)`: comparisons joined with `&&`, `||` and `!`. */
export function parseCondition(scanner: PathParser): Condition {
  let left = parseAnd(scanner);
  for (;;) {
    scanner.skipBlanks();
    if (!scanner.take("||")) return left;
    scanner.count();
    left = { kind: "either", first: left, second: parseAnd(scanner) };
  }
}

function parseAnd(scanner: PathParser): Condition {
  let left = parseSingle(scanner);
  for (;;) {
    scanner.skipBlanks();
    if (!scanner.take("&&")) return left;
    scanner.count();
    left = { kind: "both", first: left, second: parseSingle(scanner) };
  }
}

function parseSingle(scanner: PathParser): Condition {
  scanner.skipBlanks();
  if (scanner.peek() === "!" && scanner.peek(1) !== "=") {
    scanner.position++;
    return { kind: "not", of: scanner.nested(() => parseSingle(scanner)) };
  }
  if (scanner.take("(")) {
    const inner = scanner.nested(() => parseCondition(scanner));
    scanner.skipBlanks();
    scanner.expect(")");
    return inner;
  }
  return parseComparison(scanner);
}

function parseComparison(scanner: PathParser): Condition {
  const left = parseOperand(scanner);
  scanner.skipBlanks();
  const found = scanner.match(operators)?.toLowerCase();
  if (found === undefined) return { kind: "exists", operand: left };
  scanner.skipBlanks();
  return { kind: "compare", operator: found, left, right: parseOperand(scanner) };
}

/** A path, a literal, a list, a pattern or a `${…}` of the flow. */
export function parseOperand(scanner: PathParser): Operand {
  const character = scanner.peek();
  if (character === "@" || character === "$") return { kind: "path", path: scanner.parsePath({ inFilter: true }) };
  if (character === "'" || character === '"') return { kind: "text", text: scanner.quoted(), quoted: true };
  if (character === "/") return pattern(scanner);
  if (character === "[") return scanner.nested(() => list(scanner));
  if (character === "{") return object(scanner);
  const number = scanner.match(/[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?(?![\w$])/y);
  if (number !== undefined) return { kind: "literal", value: Number(number) };
  const word = scanner.match(/(true|false|null)(?![\w$])/y);
  if (word !== undefined) return { kind: "literal", value: word === "null" ? null : word === "true" };
  const placeholder = scanner.match(/\uE000\d+\uE001/y);
  if (placeholder !== undefined) return { kind: "text", text: toText(placeholder), quoted: false };
  throw scanner.error(scanner.ended ? "unexpected end of the filter" : `a value or a path is expected, not '${character}'`);
}

function pattern(scanner: PathParser): Operand {
  const start = scanner.position++;
  let source = "";
  while (!scanner.ended && scanner.peek() !== "/") {
    const character = scanner.peek();
    scanner.position++;
    if (character === "\\" && scanner.peek() === "/") continue;
    source += character;
    if (character === "\\") {
      source += scanner.peek();
      scanner.position++;
    }
  }
  if (scanner.ended) throw scanner.error("the pattern is not closed", start);
  scanner.position++;
  return { kind: "pattern", source, flags: scanner.match(/[a-zA-Z]*/y) ?? "" };
}

function list(scanner: PathParser): Operand {
  scanner.expect("[");
  const items: Operand[] = [];
  scanner.skipBlanks();
  if (scanner.take("]")) return { kind: "list", items };
  for (;;) {
    scanner.skipBlanks();
    items.push(parseOperand(scanner));
    scanner.skipBlanks();
    if (scanner.take("]")) return { kind: "list", items };
    scanner.expect(",");
  }
}

function object(scanner: PathParser): Operand {
  const start = scanner.position;
  for (let end = scanner.text.indexOf("}", start); end >= 0; end = scanner.text.indexOf("}", end + 1)) {
    try {
      const value: unknown = JSON.parse(scanner.text.slice(start, end + 1));
      scanner.position = end + 1;
      return { kind: "literal", value };
    } catch {
      continue;
    }
  }
  throw scanner.error("the object is not valid JSON", start);
}
