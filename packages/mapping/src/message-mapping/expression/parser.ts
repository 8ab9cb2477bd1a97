// A Pratt parser for expressions. Depth and length are limited, so that no expression can exhaust the stack.
import { ExpressionError, type ExpressionTree } from "./expression-tree.ts";
import { tokenize, type LexerOptions, type Token } from "./lexer.ts";

const maxTextLength = 10_000;
const maxDepth = 100;
/** Maximum operators or names in a chain: each adds a level to the tree. */
const maxChainLength = 500;

const binaryPower: Readonly<Record<string, number>> = {
  "??": 2,
  "||": 3,
  or: 3,
  "&&": 4,
  and: 4,
  "==": 5,
  "!=": 5,
  in: 5,
  "<": 6,
  "<=": 6,
  ">": 6,
  ">=": 6,
  "+": 7,
  "-": 7,
  "*": 8,
  "/": 8,
  "%": 8,
};
const unaryPower = 9;

export function parseExpression(text: string, options: LexerOptions): ExpressionTree {
  if (text.length > maxTextLength) throw new ExpressionError(`the expression is longer than ${maxTextLength} characters`, text, 0);
  return new Parser(text, tokenize(text, options)).parse(options.hyphens);
}

class Parser {
  readonly #text: string;
  readonly #tokens: Token[];
  #next = 0;
  #depth = 0;

  constructor(text: string, tokens: readonly Token[]) {
    this.#text = text;
    this.#tokens = [...tokens];
  }

  parse(isPath: boolean): ExpressionTree {
    if (isPath) this.#startWithName();
    const tree = this.#expression(0);
    if (this.#peek().kind !== "end") this.#fail(this.#peek());
    return tree;
  }

  /** A path that begins with a bracketed name starts at the current item: a list with one string would be useless there. */
  #startWithName(): void {
    const [open, name, close] = this.#tokens;
    if (open?.text !== "[" || name?.kind !== "text" || close?.text !== "]") return;
    this.#tokens.unshift({ kind: "name", text: "$item", value: undefined, at: open.at });
  }

  #expression(power: number): ExpressionTree {
    if (++this.#depth > maxDepth) throw new ExpressionError(`the expression is nested deeper than ${maxDepth} levels`, this.#text, this.#peek().at);
    let left = this.#prefix();
    for (let links = 0; ; links++) {
      const token = this.#peek();
      this.#checkChain(links, token);
      if (token.text === "?" && token.kind === "operator" && power <= 1) left = this.#choice(left);
      else {
        const operatorPower = token.kind === "operator" || token.kind === "name" ? this.#powerOf(token) : undefined;
        if (operatorPower === undefined || operatorPower <= power) break;
        this.#next++;
        const operator = token.text === "or" ? "||" : token.text === "and" ? "&&" : token.text;
        left = { kind: "binary", operator, left, right: this.#expression(operatorPower) };
      }
    }
    this.#depth--;
    return left;
  }

  #checkChain(links: number, { at }: Token): void {
    if (links > maxChainLength) throw new ExpressionError(`more than ${maxChainLength} operators or names in a chain`, this.#text, at);
  }

  #powerOf({ text }: Token): number | undefined {
    if (text === "=") this.#fail(this.#peek(), "use == to compare");
    return Object.hasOwn(binaryPower, text) ? binaryPower[text] : undefined;
  }

  #choice(test: ExpressionTree): ExpressionTree {
    this.#next++;
    const then = this.#expression(0);
    this.#expect(":");
    return { kind: "choice", test, then, otherwise: this.#expression(0) };
  }

  #prefix(): ExpressionTree {
    const token = this.#take();
    if (token.kind === "number" || token.kind === "text") return this.#postfix({ kind: "literal", value: token.value });
    if (token.kind === "name") return this.#named(token);
    switch (token.text) {
      case "-":
      case "!":
        return { kind: "unary", operator: token.text, of: this.#expression(unaryPower) };
      case "(": {
        const inner = this.#expression(0);
        this.#expect(")");
        return this.#postfix(inner);
      }
      case "[":
        return this.#postfix({ kind: "list", items: this.#list("]") });
      default:
        return this.#fail(token);
    }
  }

  #named(token: Token): ExpressionTree {
    const { text } = token;
    if (text === "true" || text === "false") return { kind: "literal", value: text === "true" };
    if (text === "null") return { kind: "literal", value: null };
    if (text === "not" && this.#peek().text !== "(") return { kind: "unary", operator: "!", of: this.#expression(unaryPower) };
    if (this.#peek().text === "(" && this.#peek().kind === "operator" && /^[\p{L}_]/u.test(text)) {
      this.#next++;
      return this.#postfix({ kind: "call", name: text, args: this.#list(")") });
    }
    return this.#postfix({ kind: "name", name: text });
  }

  #postfix(start: ExpressionTree): ExpressionTree {
    let tree = start;
    for (let links = 0; ; links++) {
      const token = this.#peek();
      this.#checkChain(links, token);
      if (token.kind !== "operator" || (token.text !== "." && token.text !== "[")) return tree;
      this.#next++;
      tree = token.text === "." ? this.#afterDot(tree) : this.#bracket(tree);
    }
  }

  #afterDot(of: ExpressionTree): ExpressionTree {
    const token = this.#take();
    if (token.kind === "name" && !token.text.startsWith("$")) return { kind: "member", of, name: token.text };
    if (token.kind === "operator" && token.text === "(") {
      const body = this.#expression(0);
      this.#expect(")");
      return { kind: "each", of, body };
    }
    return this.#fail(token, "expected a name");
  }

  #bracket(of: ExpressionTree): ExpressionTree {
    const token = this.#peek();
    if (token.kind === "operator" && (token.text === "*" || token.text === "?")) {
      this.#next++;
      const tree: ExpressionTree = token.text === "*" ? { kind: "all", of } : { kind: "filter", of, test: this.#expression(0) };
      this.#expect("]");
      return tree;
    }
    const index = this.#expression(0);
    this.#expect("]");
    return index.kind === "literal" && typeof index.value === "string" ? { kind: "member", of, name: index.value } : { kind: "index", of, index };
  }

  #list(end: string): readonly ExpressionTree[] {
    const items: ExpressionTree[] = [];
    if (this.#peek().text === end && this.#peek().kind === "operator") {
      this.#next++;
      return items;
    }
    for (;;) {
      items.push(this.#expression(0));
      const token = this.#take();
      if (token.kind === "operator" && token.text === end) return items;
      if (token.kind !== "operator" || token.text !== ",") this.#fail(token, `expected ',' or '${end}'`);
    }
  }

  #peek(): Token {
    return this.#tokens[this.#next] as Token;
  }

  #take(): Token {
    const token = this.#peek();
    if (token.kind !== "end") this.#next++;
    return token;
  }

  #expect(sign: string): void {
    const token = this.#take();
    if (token.kind !== "operator" || token.text !== sign) this.#fail(token, `expected '${sign}'`);
  }

  #fail(token: Token, more?: string): never {
    const what = token.kind === "end" ? "unexpected end of the expression" : `unexpected '${token.text}'`;
    throw new ExpressionError(more === undefined ? what : `${what}: ${more}`, this.#text, token.at);
  }
}
