import type { JqParser } from "./jq-parser.ts";
import { parseString } from "./jq-term-parser.ts";
import type { Ast, Pattern } from "./jq-tree.ts";

/** One or more patterns separated by `?//`: the first pattern with which the body does not fail is used. */
export function parsePatterns(parser: JqParser): Pattern[] {
  const found = [parsePattern(parser)];
  while (parser.takeIf("?//")) found.push(parsePattern(parser));
  return found;
}

const parsePattern = (parser: JqParser): Pattern => parser.nested(() => parseOnePattern(parser));

function parseOnePattern(parser: JqParser): Pattern {
  const token = parser.take();
  if (token.kind === "variable") return { kind: "name", name: token.text.slice(1) };
  if (token.text === "[") {
    const items = [parsePattern(parser)];
    while (parser.takeIf(",")) items.push(parsePattern(parser));
    parser.expect("]");
    return { kind: "list", items };
  }
  if (token.text !== "{") throw parser.error("a pattern needs a $name, [ or {", token.offset);
  const members = [parseMember(parser)];
  while (parser.takeIf(",")) members.push(parseMember(parser));
  parser.expect("}");
  return { kind: "members", members };
}

function parseMember(parser: JqParser): { name: string | undefined; key: Ast; value: Pattern | undefined } {
  const token = parser.take();
  if (token.kind === "variable") {
    const name = token.text.slice(1);
    return { name, key: { kind: "literal", value: name }, value: parser.takeIf(":") ? parsePattern(parser) : undefined };
  }
  const key = memberKey(parser, token.kind, token.text);
  if (key === undefined) throw parser.error("a pattern's member needs a name", token.offset);
  parser.expect(":");
  return { name: undefined, key, value: parsePattern(parser) };
}

function memberKey(parser: JqParser, kind: string, text: string): Ast | undefined {
  if (kind === "word") return { kind: "literal", value: text };
  if (kind === "quote") return parseString(parser, undefined);
  if (text !== "(") return undefined;
  const key = parser.parseExpression();
  parser.expect(")");
  return key;
}
