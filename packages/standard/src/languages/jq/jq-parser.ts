import { JqLexer } from "./jq-lexer.ts";
import { parsePatterns } from "./jq-pattern-parser.ts";
import { parsePostfix } from "./jq-term-parser.ts";
import type { Ast, Definition, Pattern } from "./jq-tree.ts";

const maxDepth = 200;

interface Operator {
  readonly precedence: number;
  readonly isRightAssociative: boolean;
}

const operators: ReadonlyMap<string, Operator> = new Map([
  ["|", { precedence: 1, isRightAssociative: true }],
  [",", { precedence: 2, isRightAssociative: false }],
  ["//", { precedence: 3, isRightAssociative: true }],
  ...["=", "|=", "+=", "-=", "*=", "/=", "%=", "//="].map((text): [string, Operator] => [text, { precedence: 4, isRightAssociative: false }]),
  ["or", { precedence: 5, isRightAssociative: false }],
  ["and", { precedence: 6, isRightAssociative: false }],
  ...["==", "!=", "<", "<=", ">", ">="].map((text): [string, Operator] => [text, { precedence: 7, isRightAssociative: false }]),
  ...["+", "-"].map((text): [string, Operator] => [text, { precedence: 8, isRightAssociative: false }]),
  ...["*", "/", "%"].map((text): [string, Operator] => [text, { precedence: 9, isRightAssociative: false }]),
]);

/** Parses a whole program. */
export function parseJq(text: string): Ast {
  const parser = new JqParser(text);
  if (parser.peek().kind === "end") return { kind: "identity" };
  const program = parser.parseExpression();
  const rest = parser.peek();
  if (rest.kind !== "end") throw parser.error(`unexpected '${rest.text}'`, rest.offset);
  return program;
}

/** Parses a list of definitions, such as the functions written in jq itself. */
export function parseDefinitions(text: string): Definition[] {
  const parser = new JqParser(text);
  const found: Definition[] = [];
  while (parser.at("def")) found.push(parser.parseDefinition());
  return found;
}

/**
 * The grammar from definitions down to operators. The parsers of terms (jq-term-parser.ts) and patterns (jq-pattern-parser.ts) call back into this
 * class.
 */
export class JqParser extends JqLexer {
  #depth = 0;

  /** Calls a parse function that may call itself, and limits the depth. */
  nested<T>(parse: () => T): T {
    if (++this.#depth > maxDepth) throw this.error(`the program is nested deeper than ${maxDepth} levels`);
    const result = parse();
    this.#depth--;
    return result;
  }

  /** Parses operators with at least this precedence. */
  parseExpression(precedence = 1, commas = true): Ast {
    return this.nested(() => this.#parseOperators(precedence, commas));
  }

  #parseOperators(precedence: number, commas: boolean): Ast {
    let left = this.#parseLeading();
    for (;;) {
      const token = this.peek();
      const operator = token.kind === "punctuation" || token.kind === "word" ? operators.get(token.text) : undefined;
      if (operator === undefined || operator.precedence < precedence || (!commas && token.text === ",")) break;
      this.take();
      const right = this.parseExpression(operator.isRightAssociative ? operator.precedence : operator.precedence + 1, commas);
      left = combine(token.text, left, right);
    }
    return left;
  }

  parsePatterns(): Pattern[] {
    return parsePatterns(this);
  }

  parseDefinition(): Definition {
    this.expect("def");
    const name = this.take();
    if (name.kind !== "word") throw this.error("def needs a name", name.offset);
    const parameters: string[] = [];
    if (this.takeIf("(")) {
      do {
        const parameter = this.take();
        if (parameter.kind !== "word" && parameter.kind !== "variable") throw this.error("a parameter needs a name", parameter.offset);
        parameters.push(parameter.text);
      } while (this.takeIf(";"));
      this.expect(")");
    }
    this.expect(":");
    const body = this.parseExpression();
    this.expect(";");
    return { name: name.text, parameters, body };
  }

  #parseLeading(): Ast {
    if (this.at("def")) {
      const definition = this.parseDefinition();
      return { kind: "define", definition, rest: this.parseExpression() };
    }
    if (this.takeIf("-")) return { kind: "negate", of: this.parseExpression(9) };
    if (this.takeIf("label")) {
      const name = this.take();
      if (name.kind !== "variable") throw this.error("label needs a $name", name.offset);
      this.expect("|");
      return { kind: "label", name: name.text.slice(1), body: this.parseExpression() };
    }
    const term = parsePostfix(this);
    if (!this.takeIf("as")) return term;
    const patterns = this.parsePatterns();
    this.expect("|");
    return { kind: "bind", source: term, patterns, body: this.parseExpression() };
  }
}

function combine(operator: string, left: Ast, right: Ast): Ast {
  switch (operator) {
    case "|":
      return { kind: "pipe", left, right };
    case ",":
      return { kind: "comma", left, right };
    case "//":
      return { kind: "alternative", left, right };
    case "and":
    case "or":
      return { kind: operator, left, right };
    default:
      return operators.get(operator)?.precedence === 4 ? { kind: "update", operator, left, right } : { kind: "binary", operator, left, right };
  }
}
