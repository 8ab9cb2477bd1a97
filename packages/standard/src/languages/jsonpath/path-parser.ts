import { parseCondition, parseOperand } from "./filter-parser.ts";
import { PathScanner, toText } from "./path-scanner.ts";
import type { Path, Segment } from "./path-tree.ts";

const functionNames: ReadonlySet<string> = new Set([
  "length",
  "size",
  "min",
  "max",
  "avg",
  "sum",
  "stddev",
  "concat",
  "keys",
  "first",
  "last",
  "index",
  "append",
]);

/** Parses a complete path; `$.` is optional, as in Jayway. */
export function parsePath(text: string): Path {
  const trimmed = text.trim();
  const scanner = new PathParser(trimmed.startsWith("$") || trimmed.startsWith("@") ? trimmed : `$.${trimmed}`);
  if (trimmed === "") throw scanner.error("the path is empty");
  const path = scanner.parsePath({ inFilter: false });
  scanner.skipBlanks();
  if (!scanner.ended) throw scanner.error(`unexpected '${scanner.peek()}'`);
  return path;
}

const maxDepth = 100;
const maxParts = 2000;

/** The grammar of paths. The filter parser (filter-parser.ts) calls back into this class for nested paths. */
export class PathParser extends PathScanner {
  #depth = 0;
  #parts = 0;

  /** Calls a parse function that may call itself, and limits the depth. */
  nested<T>(parse: () => T): T {
    if (++this.#depth > maxDepth) throw this.error(`the path is nested deeper than ${maxDepth} levels`);
    const result = parse();
    this.#depth--;
    return result;
  }

  /** Counts a segment or an operator. A chain of them is compiled and evaluated recursively, so its length is limited. */
  count(): void {
    if (++this.#parts > maxParts) throw this.error(`the path has more than ${maxParts} segments and operators`);
  }

  /** Parses the path that starts here and stops at the first character that cannot belong to it. */
  parsePath({ inFilter }: { readonly inFilter: boolean }): Path {
    const root = this.peek() === "@" ? "@" : "$";
    this.position++;
    const segments: Segment[] = [];
    for (;;) {
      if (this.take("..")) segments.push({ kind: "descend" });
      else if (!this.take(".") && this.peek() !== "[") return { root, segments };
      this.count();
      segments.push(this.peek() === "[" ? parseBracket(this) : parseAfterDot(this, inFilter));
    }
  }
}

function parseAfterDot(scanner: PathParser, inFilter: boolean): Segment {
  if (scanner.take("*")) return { kind: "wildcard" };
  const start = scanner.position;
  const name = scanner.match(inFilter ? /[^\s.[\]()=!<>&|,~'"]+/y : /[^\s.[\]()]+/y);
  if (name === undefined) throw scanner.error(scanner.ended ? "the path ends after a dot" : "a name is expected after the dot");
  if (scanner.peek() !== "(") return { kind: "names", names: [toText(name)] };
  if (!functionNames.has(name)) throw scanner.error(`unknown function '${name}()'; use ${[...functionNames].join(", ")}`, start);
  scanner.position++;
  return { kind: "call", name, arguments: scanner.nested(() => callArguments(scanner)) };
}

function callArguments(scanner: PathParser): ReturnType<typeof parseOperand>[] {
  const found: ReturnType<typeof parseOperand>[] = [];
  scanner.skipBlanks();
  if (scanner.take(")")) return found;
  for (;;) {
    scanner.skipBlanks();
    found.push(parseOperand(scanner));
    scanner.skipBlanks();
    if (scanner.take(")")) return found;
    scanner.expect(",");
  }
}

function parseBracket(scanner: PathParser): Segment {
  scanner.expect("[");
  scanner.skipBlanks();
  const segment = bracketContent(scanner);
  scanner.skipBlanks();
  scanner.expect("]");
  return segment;
}

function bracketContent(scanner: PathParser): Segment {
  if (scanner.take("*")) return { kind: "wildcard" };
  if (scanner.take("?")) return filter(scanner);
  if (scanner.peek() === "'" || scanner.peek() === '"') return names(scanner);
  if (scanner.peek() === "(") return fromEnd(scanner);
  const placeholder = scanner.match(/\uE000\d+\uE001/y);
  if (placeholder !== undefined) return { kind: "placeholder", text: toText(placeholder) };
  return numbers(scanner);
}

function filter(scanner: PathParser): Segment {
  scanner.skipBlanks();
  scanner.expect("(");
  const condition = scanner.nested(() => parseCondition(scanner));
  scanner.skipBlanks();
  scanner.expect(")");
  return { kind: "filter", condition };
}

function names(scanner: PathParser): Segment {
  const found = [scanner.quoted()];
  for (;;) {
    scanner.skipBlanks();
    if (!scanner.take(",")) return { kind: "names", names: found };
    scanner.skipBlanks();
    if (scanner.peek() !== "'" && scanner.peek() !== '"') throw scanner.error("a quoted name is expected");
    found.push(scanner.quoted());
  }
}

/** `[(@.length-1)]`, the older syntax for `[-1]`. */
function fromEnd(scanner: PathParser): Segment {
  const found = scanner.match(/\(\s*@\.length(\(\))?\s*-\s*\d+\s*\)/y);
  if (found === undefined) throw scanner.error("only (@.length-n) can be computed inside brackets");
  return { kind: "from-end", offset: Number(/(\d+)\s*\)$/.exec(found)?.[1]) };
}

function numbers(scanner: PathParser): Segment {
  const integer = /-?\d+/y;
  const first = scanner.match(integer);
  scanner.skipBlanks();
  if (scanner.take(":")) {
    scanner.skipBlanks();
    const to = scanner.match(integer);
    return { kind: "slice", from: first === undefined ? undefined : Number(first), to: to === undefined ? undefined : Number(to) };
  }
  if (first === undefined) throw scanner.error("an index, a quoted name, '*' or a filter is expected in brackets");
  const indexes = [Number(first)];
  for (;;) {
    scanner.skipBlanks();
    if (!scanner.take(",")) return { kind: "indexes", indexes };
    scanner.skipBlanks();
    const next = scanner.match(integer);
    if (next === undefined) throw scanner.error("an index is expected after the comma");
    indexes.push(Number(next));
  }
}
