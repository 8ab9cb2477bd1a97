import { formatNames } from "./jq-formats.ts";
import type { Token } from "./jq-lexer.ts";
import type { JqParser } from "./jq-parser.ts";
import type { Ast } from "./jq-tree.ts";

const identity: Ast = { kind: "identity" };
const notTerms: ReadonlySet<string> = new Set(["and", "or", "then", "elif", "else", "end", "as", "catch", "import", "include", "__loc__"]);

/** A term with its suffixes: `.name`, `[…]`, `?`. */
export function parsePostfix(parser: JqParser): Ast {
  let term = parseTerm(parser);
  for (;;) {
    const token = parser.peek();
    if (token.kind === "field") {
      parser.take();
      term = { kind: "index", of: term, key: { kind: "literal", value: token.text.slice(1) } };
    } else if (parser.at(".")) {
      parser.take();
      term = parseAfterDot(parser, term);
    } else if (parser.at("[")) {
      term = parseBracket(parser, term);
    } else if (parser.takeIf("?")) {
      term = optional(term);
    } else if (parser.at("?//")) {
      parser.splitAlternative();
      return optional(term);
    } else {
      return term;
    }
  }
}

/** `.a.b?` ignores errors of the last step only; earlier errors still fail. */
function optional(term: Ast): Ast {
  const isStep = term.kind === "index" || term.kind === "slice" || term.kind === "iterate";
  return isStep && term.optional !== true ? { ...term, optional: true } : { kind: "try", body: term, handler: undefined };
}

function parseAfterDot(parser: JqParser, of: Ast): Ast {
  if (parser.at("[")) return parseBracket(parser, of);
  const token = parser.take();
  if (token.kind === "quote") return { kind: "index", of, key: parseString(parser, undefined) };
  throw parser.error("a name is expected after the dot", token.offset);
}

function parseBracket(parser: JqParser, of: Ast): Ast {
  parser.expect("[");
  if (parser.takeIf("]")) return { kind: "iterate", of };
  if (parser.takeIf(":")) return parseSliceEnd(parser, of, undefined);
  const key = parser.parseExpression();
  if (parser.takeIf(":")) return parser.takeIf("]") ? { kind: "slice", of, from: key, to: undefined } : parseSliceEnd(parser, of, key);
  parser.expect("]");
  return { kind: "index", of, key };
}

function parseSliceEnd(parser: JqParser, of: Ast, from: Ast | undefined): Ast {
  const to = parser.parseExpression();
  parser.expect("]");
  return { kind: "slice", of, from, to };
}

function checkFormat(parser: JqParser, token: Token): void {
  if (!formatNames.includes(token.text)) throw parser.error(`unknown format '${token.text}': use ${formatNames.join(", ")}`, token.offset);
}

function parseTerm(parser: JqParser): Ast {
  const token = parser.take();
  switch (token.kind) {
    case "number":
      return { kind: "literal", value: Number(token.text) };
    case "field":
      return { kind: "index", of: identity, key: { kind: "literal", value: token.text.slice(1) } };
    case "quote":
      return parseString(parser, undefined);
    case "format":
      checkFormat(parser, token);
      if (parser.peek().kind !== "quote") return { kind: "format", name: token.text };
      parser.take();
      return parseString(parser, token.text);
    case "variable":
      return token.text === "$__loc__" ? locationLiteral(parser, token) : { kind: "variable", name: token.text.slice(1), offset: token.offset };
    case "word":
      return parseWord(parser, token);
    case "end":
      throw parser.error("unexpected end of the program", token.offset);
    default:
      return parsePunctuation(parser, token);
  }
}

function parsePunctuation(parser: JqParser, token: Token): Ast {
  if (token.text === "..") return { kind: "call", name: "recurse", arguments: [], offset: token.offset };
  if (token.text === ".") {
    if (parser.at("[")) return parseBracket(parser, identity);
    if (parser.peek().kind !== "quote") return identity;
    parser.take();
    return { kind: "index", of: identity, key: parseString(parser, undefined) };
  }
  if (token.text === "(") {
    const inner = parser.parseExpression();
    parser.expect(")");
    return inner.kind === "index" || inner.kind === "slice" || inner.kind === "iterate" ? { kind: "pipe", left: identity, right: inner } : inner;
  }
  if (token.text === "[") {
    if (parser.takeIf("]")) return { kind: "array", of: undefined };
    const of = parser.parseExpression();
    parser.expect("]");
    return { kind: "array", of };
  }
  if (token.text === "{") return parseObject(parser);
  throw parser.error(`unexpected '${token.text}'`, token.offset);
}

function parseWord(parser: JqParser, token: Token): Ast {
  switch (token.text) {
    case "if":
      return parseIf(parser);
    case "try": {
      const parse = (): Ast => parsePostfix(parser);
      const body = parser.nested(parse);
      return { kind: "try", body, handler: parser.takeIf("catch") ? parser.nested(parse) : undefined };
    }
    case "reduce":
    case "foreach":
      return parseLoop(parser, token.text);
    case "break": {
      const name = parser.take();
      if (name.kind !== "variable") throw parser.error("break needs a $label", name.offset);
      return { kind: "break", name: name.text.slice(1), offset: name.offset };
    }
    case "def":
    case "label": {
      throw parser.error(`'${token.text}' needs parentheses here`, token.offset);
    }
    default:
      if (notTerms.has(token.text)) throw parser.error(`unexpected '${token.text}'`, token.offset);
      return parseCall(parser, token);
  }
}

function parseCall(parser: JqParser, token: Token): Ast {
  const args: Ast[] = [];
  // header() and similar functions may be written with empty parentheses.
  if (parser.takeIf("(") && !parser.takeIf(")")) {
    do args.push(parser.parseExpression());
    while (parser.takeIf(";"));
    parser.expect(")");
  }
  return { kind: "call", name: token.text, arguments: args, offset: token.offset };
}

function parseIf(parser: JqParser): Ast {
  const condition = parser.parseExpression();
  parser.expect("then");
  const then = parser.parseExpression();
  if (parser.takeIf("elif")) return { kind: "if", condition, then, otherwise: parser.nested(() => parseIf(parser)) };
  const otherwise = parser.takeIf("else") ? parser.parseExpression() : identity;
  parser.expect("end");
  return { kind: "if", condition, then, otherwise };
}

function parseLoop(parser: JqParser, kind: "reduce" | "foreach"): Ast {
  const source = parser.nested(() => parsePostfix(parser));
  parser.expect("as");
  const patterns = parser.parsePatterns();
  parser.expect("(");
  const start = parser.parseExpression();
  parser.expect(";");
  const update = parser.parseExpression();
  const extract = kind === "foreach" && parser.takeIf(";") ? parser.parseExpression() : undefined;
  parser.expect(")");
  return kind === "reduce" ? { kind, source, patterns, start, update } : { kind, source, patterns, start, update, extract };
}

/** A string after its opening quote; `\(…)` parts are separate programs. */
export function parseString(parser: JqParser, format: string | undefined): Ast {
  const parts: (string | Ast)[] = [];
  for (;;) {
    const piece = parser.stringPiece();
    if (piece.text !== "") parts.push(piece.text);
    if (piece.ended) break;
    parts.push(parser.parseExpression());
    parser.expect(")");
  }
  return parts.every((part) => typeof part === "string") ? { kind: "literal", value: parts.join("") } : { kind: "text", format, parts };
}

function parseObject(parser: JqParser): Ast {
  const entries: { key: Ast; value: Ast }[] = [];
  while (!parser.at("}")) {
    entries.push(parseEntry(parser));
    if (!parser.takeIf(",")) break;
  }
  parser.expect("}");
  return { kind: "object", entries };
}

function parseEntry(parser: JqParser): { key: Ast; value: Ast } {
  const token = parser.take();
  let key: Ast;
  let short: Ast | undefined;
  if (token.kind === "variable") {
    const name = token.text.slice(1);
    key = { kind: "literal", value: name };
    short = token.text === "$__loc__" ? locationLiteral(parser, token) : { kind: "variable", name, offset: token.offset };
  } else if (token.kind === "word") {
    key = { kind: "literal", value: token.text };
  } else if (token.kind === "number") {
    key = { kind: "literal", value: token.text };
  } else if (token.kind === "quote") {
    key = parseString(parser, undefined);
  } else if (token.kind === "format") {
    checkFormat(parser, token);
    if (parser.take().kind !== "quote") throw parser.error("a string is expected after the format", token.offset);
    key = parseString(parser, token.text);
  } else if (token.text === "(") {
    key = parser.parseExpression();
    parser.expect(")");
  } else {
    throw parser.error(`an object's member needs a name, not '${token.text}'`, token.offset);
  }
  if (short === undefined && token.text !== "(") short = { kind: "index", of: identity, key };
  if (parser.takeIf(":")) return { key, value: parser.parseExpression(1, false) };
  if (short === undefined) throw parser.error("a computed name needs a value", parser.peek().offset);
  return { key, value: short };
}

function locationLiteral(parser: JqParser, token: Token): Ast {
  const line = parser.text.slice(0, token.offset).split("\n").length;
  return { kind: "literal", value: { file: "<top-level>", line } };
}
