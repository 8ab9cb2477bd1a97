// Tokens → syntax tree: expressions, local variables, `if`, `return` and closures. Other Groovy syntax is rejected with an error that names it.
import { CompileError } from "@sluice/engine/spi";
import { TokenCursor } from "./groovy-cursor.ts";
import { tokenize, type Token } from "./groovy-lexer.ts";
import type { BinaryOperator, Node, Statement } from "./groovy-tree.ts";
import { printFunctions, refusedWords, unsupported } from "./groovy-unsupported.ts";

const levels: readonly (readonly BinaryOperator[])[] = [
  ["||"],
  ["&&"],
  ["==", "!=", "<=>", "=~", "==~"],
  ["<", "<=", ">", ">=", "in"],
  ["<<", ".."],
  ["+", "-"],
  ["*", "/", "%"],
  ["**"],
];
const maxDepth = 100;

export function parseGroovy(text: string): readonly Statement[] {
  return new Parser(tokenize(text)).program();
}

class Parser {
  readonly #tokens: TokenCursor;
  #depth: number;

  constructor(tokens: readonly Token[], depth = 0) {
    this.#tokens = new TokenCursor(tokens);
    this.#depth = depth;
  }

  program(): readonly Statement[] {
    const statements = this.#statements("");
    if (this.#tokens.peek().kind !== "end") throw this.#tokens.unexpected();
    return statements;
  }

  expressionOnly(): Node {
    this.#tokens.skipLines();
    const node = this.#expression();
    this.#tokens.skipLines();
    if (this.#tokens.peek().kind !== "end") throw this.#tokens.unexpected();
    return node;
  }

  #statements(closing: "" | "}"): readonly Statement[] {
    const statements: Statement[] = [];
    for (;;) {
      while (this.#tokens.peek().kind === "line" || this.#tokens.is(";")) this.#tokens.skip();
      if (this.#tokens.peek().kind === "end" || (closing !== "" && this.#tokens.is(closing))) return statements;
      if (this.#tokens.isWord("import")) this.#skipImport();
      else statements.push(this.#statement());
      if (this.#tokens.peek().kind !== "line" && this.#tokens.peek().kind !== "end" && !this.#tokens.is(";") && !this.#tokens.is("}"))
        throw this.#unexpectedAfter(statements.at(-1));
    }
  }

  /** The error for a token that follows a statement: often the argument of a call without parentheses, as in `println it`. */
  #unexpectedAfter(statement: Statement | undefined): CompileError {
    const called = statement?.kind === "expression" && (statement.value.kind === "name" || statement.value.kind === "member") ? statement.value : undefined;
    if (called === undefined || this.#tokens.peek().kind === "operator") return this.#tokens.unexpected();
    if (called.kind === "name" && Object.hasOwn(printFunctions, called.name))
      return unsupported(`the function '${called.name}'`, printFunctions[called.name] as string, called.offset);
    return new CompileError("groovy-syntax", `'${called.name}' is called without parentheses, which is not supported`, {
      hint: `write ${called.name}(…)`,
      offset: called.offset,
    });
  }

  #skipImport(): void {
    while (this.#tokens.peek().kind !== "line" && this.#tokens.peek().kind !== "end" && !this.#tokens.is(";")) this.#tokens.skip();
  }

  #statement(): Statement {
    const { offset, text, kind } = this.#tokens.peek();
    if (kind === "word" && Object.hasOwn(refusedWords, text)) throw unsupported(`'${text}'`, refusedWords[text] as string, offset);
    if (this.#tokens.takeWordIf("return")) return { kind: "return", offset, value: this.#tokens.endsStatement() ? undefined : this.#expression() };
    if (this.#tokens.takeWordIf("if")) return this.#if(offset);
    if (this.#startsDeclaration()) return this.#declaration(offset);
    const value = this.#expression();
    const assigning = ["=", "+=", "-=", "*=", "/="].find((operator) => this.#tokens.is(operator));
    if (assigning === undefined) return { kind: "expression", offset, value };
    if (value.kind !== "name" && value.kind !== "member" && value.kind !== "index") throw this.#tokens.unexpected();
    this.#tokens.skip();
    this.#tokens.skipLines();
    const right = this.#expression();
    const operator = assigning.slice(0, -1) as BinaryOperator;
    return { kind: "assign", offset, target: value, value: assigning === "=" ? right : { kind: "binary", offset, operator, left: value, right } };
  }

  #if(offset: number): Statement {
    this.#tokens.expect("(");
    const test = this.#expression();
    this.#tokens.expect(")");
    const then = this.#nested(() => this.#block());
    const { position } = this.#tokens;
    this.#tokens.skipLines();
    if (!this.#tokens.takeWordIf("else")) {
      this.#tokens.goTo(position);
      return { kind: "if", offset, test, then, otherwise: [] };
    }
    return { kind: "if", offset, test, then, otherwise: this.#nested(() => this.#block()) };
  }

  #block(): readonly Statement[] {
    this.#tokens.skipLines();
    if (!this.#tokens.takeIf("{")) return [this.#statement()];
    const statements = this.#statements("}");
    this.#tokens.expect("}");
    return statements;
  }

  /** `def x`, `String x = …`, `List<String> x = …`. */
  #startsDeclaration(): boolean {
    if (this.#tokens.isWord("def") || this.#tokens.isWord("var") || this.#tokens.isWord("final")) return true;
    if (!/^[A-Z]|^(?:int|long|double|float|boolean)$/.test(this.#tokens.peek().text)) return false;
    const length = this.#typeLength();
    const name = this.#tokens.ahead(length);
    return name?.kind === "word" && name.text !== "in" && name.text !== "as" && this.#tokens.ahead(length + 1)?.text === "=";
  }

  #declaration(offset: number): Statement {
    while (this.#tokens.takeWordIf("def") || this.#tokens.takeWordIf("final") || (this.#tokens.ahead(1)?.kind === "word" && this.#tokens.takeWordIf("var")));
    const length = this.#typeLength();
    if (this.#tokens.ahead(length)?.kind === "word") this.#tokens.goTo(this.#tokens.position + length);
    const name = this.#tokens.word();
    if (!this.#tokens.takeIf("=")) return { kind: "declare", offset, name, value: undefined };
    this.#tokens.skipLines();
    return { kind: "declare", offset, name, value: this.#expression() };
  }

  /** The number of tokens of a type with its type arguments: `String`, `Map<String, List<String>>`. */
  #typeLength(): number {
    if (this.#tokens.ahead(1)?.text !== "<") return 1;
    let length = 1;
    let depth = 0;
    do {
      const token = this.#tokens.ahead(length++);
      if (token === undefined || (token.kind !== "word" && !/^[<>,.?]$/.test(token.text))) return 1;
      depth += token.text === "<" ? 1 : token.text === ">" ? -1 : 0;
    } while (depth > 0);
    return length;
  }

  #expression(): Node {
    return this.#nested(() => this.#conditional(this.#binary(0)));
  }

  /** Calls a parse function that may call itself, and limits the depth. */
  #nested<T>(parse: () => T): T {
    if (++this.#depth > maxDepth)
      throw new CompileError("groovy-syntax", `the script is nested deeper than ${maxDepth} levels`, { offset: this.#tokens.peek().offset });
    const result = parse();
    this.#depth--;
    return result;
  }

  #conditional(test: Node): Node {
    const { position } = this.#tokens;
    this.#tokens.skipLines();
    if (this.#tokens.takeIf("?:")) {
      this.#tokens.skipLines();
      return { kind: "binary", offset: test.offset, operator: "?:", left: test, right: this.#expression() };
    }
    if (this.#tokens.takeIf("?")) {
      this.#tokens.skipLines();
      const then = this.#expression();
      this.#tokens.skipLines();
      this.#tokens.expect(":");
      this.#tokens.skipLines();
      return { kind: "ternary", offset: test.offset, test, then, otherwise: this.#expression() };
    }
    this.#tokens.goTo(position);
    return test;
  }

  #binary(level: number): Node {
    const operators = levels[level];
    if (operators === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    for (;;) {
      // A line that starts with a logical operator continues the previous line; `-` or `[` could start a statement.
      const { position } = this.#tokens;
      if (level < 2) this.#tokens.skipLines();
      const operator = operators.find((text) => (text === "in" ? this.#tokens.isWord(text) : this.#tokens.is(text)));
      if (operator === undefined) {
        this.#tokens.goTo(position);
        return level === 3 ? this.#typeTest(left) : left;
      }
      const { offset } = this.#tokens.peek();
      this.#tokens.skip();
      this.#tokens.skipLines();
      left = { kind: "binary", offset, operator, left, right: this.#binary(level + 1) };
    }
  }

  #typeTest(left: Node): Node {
    const negated = this.#tokens.is("!") && this.#tokens.ahead(1)?.text === "instanceof";
    if (negated) this.#tokens.skip();
    if (!this.#tokens.takeWordIf("instanceof")) return left;
    return { kind: "typeTest", offset: left.offset, of: left, type: this.#typeName(), negated };
  }

  #unary(): Node {
    const { offset, text } = this.#tokens.peek();
    if ((text === "!" || text === "-" || text === "+") && this.#tokens.peek().kind === "operator" && this.#tokens.takeIf(text))
      return { kind: "unary", offset, operator: text, operand: this.#nested(() => this.#unary()) };
    let node = this.#postfix(this.#primary());
    while (this.#tokens.takeWordIf("as")) node = { kind: "cast", offset, of: node, type: this.#typeName() };
    return node;
  }

  #postfix(start: Node): Node {
    let node = start;
    for (;;) {
      const { offset } = this.#tokens.peek();
      const { position } = this.#tokens;
      // A line that starts with a dot continues the call chain.
      this.#tokens.skipLines();
      const dot = ["?.", "*.", "."].find((text) => this.#tokens.is(text));
      if (dot === undefined) this.#tokens.goTo(position);
      if (dot !== undefined) node = this.#member(node, dot, offset);
      else if (this.#tokens.takeIf("[")) {
        this.#tokens.skipLines();
        node = { kind: "index", offset, of: node, at: this.#expression(), safe: false };
        this.#tokens.skipLines();
        this.#tokens.expect("]");
      } else return node;
    }
  }

  #member(of: Node, dot: string, offset: number): Node {
    this.#tokens.skip();
    this.#tokens.skipLines();
    const access = dot === "?." ? "safe" : dot === "*." ? "spread" : "plain";
    if (access === "safe" && this.#tokens.takeIf("[")) {
      const node: Node = { kind: "index", offset, of, at: this.#expression(), safe: true };
      this.#tokens.expect("]");
      return node;
    }
    const token = this.#tokens.peek();
    const name = token.kind === "text" && token.parts.length === 1 && typeof token.parts[0] === "string" ? token.parts[0] : token.text;
    if (token.kind !== "word" && token.kind !== "text") throw this.#tokens.unexpected();
    this.#tokens.skip();
    const parameters = this.#parameters();
    return parameters === undefined
      ? { kind: "member", offset: token.offset, of, name, access }
      : { kind: "call", offset: token.offset, of, name, access, parameters };
  }

  /** `(a, b)`, `(a) { closure }` or `{ closure }`; undefined when nothing is called. */
  #parameters(): readonly Node[] | undefined {
    const parameters: Node[] = [];
    const hasList = this.#tokens.takeIf("(");
    if (hasList) {
      this.#tokens.skipLines();
      while (!this.#tokens.is(")")) {
        parameters.push(this.#expression());
        this.#tokens.skipLines();
        if (!this.#tokens.takeIf(",")) break;
        this.#tokens.skipLines();
      }
      this.#tokens.expect(")");
    }
    const hasClosure = this.#tokens.is("{");
    if (hasClosure) parameters.push(this.#closure());
    return hasList || hasClosure ? parameters : undefined;
  }

  #primary(): Node {
    const token = this.#tokens.peek();
    const { offset } = token;
    if (token.kind === "number") {
      this.#tokens.skip();
      return { kind: "literal", offset, value: token.value };
    }
    if (token.kind === "text") {
      this.#tokens.skip();
      return textNode(token, this.#depth);
    }
    if (token.kind === "word") return this.#named(token);
    if (this.#tokens.takeIf("(")) {
      this.#tokens.skipLines();
      const node = this.#expression();
      this.#tokens.skipLines();
      this.#tokens.expect(")");
      return node;
    }
    if (this.#tokens.is("[")) return this.#collection();
    if (this.#tokens.is("{")) return this.#closure();
    throw this.#tokens.unexpected();
  }

  #named({ offset, text }: Token): Node {
    this.#tokens.skip();
    if (text === "true" || text === "false" || text === "null") return { kind: "literal", offset, value: text === "null" ? null : text === "true" };
    if (Object.hasOwn(refusedWords, text)) throw unsupported(`'${text}'`, refusedWords[text] as string, offset);
    if (text === "new") {
      const type = this.#typeName();
      return { kind: "new", offset, type, parameters: this.#parameters() ?? [] };
    }
    const parameters = this.#tokens.is("(") ? this.#parameters() : undefined;
    return parameters === undefined ? { kind: "name", offset, name: text } : { kind: "call", offset, of: undefined, name: text, access: "plain", parameters };
  }

  #collection(): Node {
    const { offset } = this.#tokens.peek();
    this.#tokens.expect("[");
    this.#tokens.skipLines();
    if (this.#tokens.takeIf(":")) {
      this.#tokens.expect("]");
      return { kind: "map", offset, entries: [] };
    }
    const items: Node[] = [];
    const entries: (readonly [Node, Node])[] = [];
    while (!this.#tokens.is("]")) {
      const key = this.#mapKey();
      if (key === undefined) items.push(this.#expression());
      else {
        this.#tokens.skipLines();
        entries.push([key, this.#expression()]);
      }
      this.#tokens.skipLines();
      if (!this.#tokens.takeIf(",")) break;
      this.#tokens.skipLines();
    }
    this.#tokens.expect("]");
    if (entries.length > 0 && items.length > 0)
      throw new CompileError("groovy-syntax", "a map and a list cannot be mixed", { hint: "write key: value for every entry, or for none", offset });
    return entries.length > 0 ? { kind: "map", offset, entries } : { kind: "list", offset, items };
  }

  /** `name:`, `'text':`, `1:` or `(expression):`; undefined when no colon follows, so that it is an item of a list. */
  #mapKey(): Node | undefined {
    const token = this.#tokens.peek();
    // The colon is found before the key is parsed: parsing a list item twice takes exponential time when lists are nested.
    if (this.#tokens.ahead(this.#tokens.is("(") ? this.#lengthInParentheses() : 1)?.text !== ":") return undefined;
    if (token.kind !== "word" && !this.#tokens.is("(") && token.kind !== "number" && token.kind !== "text") return undefined;
    const key: Node = token.kind === "word" ? { kind: "literal", offset: token.offset, value: token.text } : this.#primary();
    if (token.kind === "word") this.#tokens.skip();
    this.#tokens.expect(":");
    return key;
  }

  /** The number of tokens from the next parenthesis to the one that closes it. */
  #lengthInParentheses(): number {
    let length = 0;
    let depth = 0;
    do {
      const token = this.#tokens.ahead(length++);
      if (token === undefined) break;
      if (token.kind === "operator") depth += token.text === "(" ? 1 : token.text === ")" ? -1 : 0;
    } while (depth > 0);
    return length;
  }

  #closure(): Node {
    const { offset } = this.#tokens.peek();
    this.#tokens.expect("{");
    const { position } = this.#tokens;
    const names: string[] = [];
    this.#tokens.skipLines();
    while (this.#tokens.peek().kind === "word") {
      if (this.#tokens.ahead(1)?.kind === "word") this.#tokens.skip();
      names.push(this.#tokens.word());
      if (!this.#tokens.takeIf(",")) break;
      this.#tokens.skipLines();
    }
    const hasNames = this.#tokens.takeIf("->");
    if (!hasNames) this.#tokens.goTo(position);
    const body = this.#statements("}");
    this.#tokens.expect("}");
    return { kind: "closure", offset, names: hasNames ? names : ["it"], body };
  }

  #typeName(): string {
    let name = this.#tokens.word();
    while (this.#tokens.is(".")) {
      this.#tokens.skip();
      name += `.${this.#tokens.word()}`;
    }
    if (this.#tokens.is("[") && this.#tokens.ahead(1)?.text === "]") {
      this.#tokens.skip();
      this.#tokens.skip();
      name += "[]";
    }
    return name;
  }
}

function textNode(token: Token & { readonly kind: "text" }, depth: number): Node {
  const parts = token.parts.map((part) => (typeof part === "string" ? part : new Parser(tokenize(part.source, part.offset), depth).expressionOnly()));
  const [only] = parts;
  return parts.length === 1 && typeof only === "string"
    ? { kind: "literal", offset: token.offset, value: only }
    : { kind: "template", offset: token.offset, parts };
}
