// Checks whether a document is safe to parse. It uses the tokens of the parser's own lexer, so it always agrees with the parser about strings,
// comments and brackets, and stops at the first exceeded limit.
import { CST, Lexer } from "yaml";
import type { Diagnostic } from "../flow/diagnostic.ts";
import type { LineTable } from "./line-table.ts";
import type { ReadLimits } from "./limits.ts";

const clip = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

/** The tokens of `source`, or the first reason not to parse it. */
export function guard(source: string, limits: ReadLimits, lines: LineTable): readonly string[] | Diagnostic {
  const tokens: string[] = [];
  const fault = checkSize(source, limits) ?? checkCharacters(source) ?? new TokenWalk(limits).walk(source, tokens);
  if (fault === undefined) return tokens;
  const { code, message, offset, hint } = fault;
  return { code, severity: "error", message, path: "", span: lines.span(offset, offset), ...(hint === undefined ? {} : { hint }) };
}

interface Fault {
  readonly code: string;
  readonly message: string;
  readonly offset: number;
  readonly hint?: string;
}

function limit(message: string, offset: number): Fault {
  return { code: "yaml-limit", message: `limit exceeded: ${message}`, offset };
}

function checkSize(source: string, limits: ReadLimits): Fault | undefined {
  if (source.length > limits.bytes) return limit(`the document is larger than ${limits.bytes} bytes`, 0);
  if (source.length * 3 <= limits.bytes) return undefined;
  let bytes = 0;
  for (let at = 0; at < source.length; at++) {
    const unit = source.charCodeAt(at);
    bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : unit >= 0xd800 && unit < 0xe000 ? 2 : 3;
  }
  return bytes > limits.bytes ? limit(`the document is larger than ${limits.bytes} bytes`, 0) : undefined;
}

/** YAML allows no control characters except tab and line ends, and the lexer uses some of them internally. */
function checkCharacters(source: string): Fault | undefined {
  for (let at = 0; at < source.length; at++) {
    const unit = source.charCodeAt(at);
    if ((unit >= 0x20 && unit < 0x7f) || unit === 0x0a || unit === 0x0d || unit === 0x09) continue;
    if (unit < 0x20 || (unit >= 0x7f && unit < 0xa0 && unit !== 0x85) || unit >= 0xfffe) return controlCharacter(unit, at);
    if (unit < 0xd800 || unit > 0xdfff) continue;
    const next = source.charCodeAt(at + 1);
    if (unit > 0xdbff || !(next >= 0xdc00 && next <= 0xdfff)) return controlCharacter(unit, at);
    at++;
  }
  return undefined;
}

function controlCharacter(unit: number, offset: number): Fault {
  const name = `U+${unit.toString(16).toUpperCase().padStart(4, "0")}`;
  return {
    code: "yaml-control-character",
    message: `the control character ${name} is not allowed`,
    offset,
    hint: `write it as an escape in double quotes, e.g. "\\x1b"`,
  };
}

class TokenWalk {
  readonly #limits: ReadLimits;
  /** Columns at which block collections are open. */
  readonly #columns: number[] = [];
  #flowDepth = 0;
  #offset = 0;
  #column = 0;
  /** Only whitespace and `-`, `?`, `:` so far on this line: the next token may open a block collection. */
  #isAtLineStart = true;
  /** `-`, `?` and `:` after other content of the same line or flow item: invalid YAML, but the parser adds a level for each. */
  #chain = 0;
  #hasContent = false;
  #documents = 0;
  #keys = 0;
  #nodes = 0;
  #aliases = 0;
  #anchors = 0;

  constructor(limits: ReadLimits) {
    this.#limits = limits;
  }

  /** Appends the tokens to `output`, including the lexer's markers. */
  walk(source: string, output: string[]): Fault | undefined {
    let isScalarNext = false;
    let tokens = 0;
    for (const token of new Lexer().lex(source)) {
      output.push(token);
      const kind = CST.tokenType(token);
      if (kind === "scalar") {
        isScalarNext = true;
        continue;
      }
      if (kind === "doc-mode" || kind === "flow-error-end") continue;
      if (++tokens > this.#limits.tokens) return limit(`the document has more than ${this.#limits.tokens} YAML tokens; split the document`, this.#offset);
      const fault = isScalarNext ? this.#node() : this.#token(kind, token);
      isScalarNext = false;
      if (fault !== undefined) return fault;
      this.#advance(token);
    }
    return undefined;
  }

  #token(kind: ReturnType<typeof CST.tokenType>, token: string): Fault | undefined {
    switch (kind) {
      case "byte-order-mark":
      case "space":
      case "newline":
      case "comment":
        return undefined;
      case "comma":
        this.#chain = 0;
        return undefined;
      case "directive-line":
        return this.#directive(token);
      case "doc-start":
        return this.#documentStart();
      case "doc-end":
        return { code: "yaml-multi-document", message: "a flow is one YAML document: '...' is not allowed", offset: this.#offset, hint: "remove the line" };
      case "tag":
        return { code: "yaml-tag", message: `the tag '${clip(token)}' is not allowed: values are always text`, offset: this.#offset, hint: "remove the tag" };
      case "alias":
        return ++this.#aliases > this.#limits.aliases ? limit(`the document has more than ${this.#limits.aliases} aliases`, this.#offset) : this.#node();
      case "anchor":
        this.#open();
        return ++this.#anchors > this.#limits.aliases ? limit(`the document has more than ${this.#limits.aliases} anchors`, this.#offset) : undefined;
      case "flow-map-start":
      case "flow-seq-start":
        this.#open();
        this.#flowDepth++;
        return this.#node() ?? this.#checkDepth();
      case "flow-map-end":
      case "flow-seq-end":
        this.#chain = 0;
        return this.#flowDepth-- > 0
          ? undefined
          : { code: "yaml-unexpected-token", message: `'${token}' has no matching opening bracket`, offset: this.#offset };
      case "seq-item-ind":
      case "explicit-key-ind":
        this.#indicator();
        return this.#count();
      case "map-value-ind":
        this.#indicator();
        return ++this.#keys > this.#limits.keys ? limit(`the document has more than ${this.#limits.keys} keys`, this.#offset) : this.#checkDepth();
      default:
        return this.#node();
    }
  }

  #directive(token: string): Fault | undefined {
    if (token.startsWith("%YAML 1.2") || token.startsWith("%YAML 1.1")) return undefined;
    const message = token.startsWith("%TAG") ? `the tag directive '${clip(token)}' is not allowed` : `the directive '${clip(token)}' is not allowed`;
    return { code: "yaml-tag", message, offset: this.#offset, hint: "remove the line" };
  }

  #documentStart(): Fault | undefined {
    if (this.#hasContent || ++this.#documents > 1) {
      return {
        code: "yaml-multi-document",
        message: "a flow must be one YAML document, but this text has several",
        offset: this.#offset,
        hint: "put each flow in its own file",
      };
    }
    return undefined;
  }

  #indicator(): void {
    if (this.#isAtLineStart) this.#open();
    else this.#chain++;
  }

  #node(): Fault | undefined {
    this.#open();
    this.#isAtLineStart = false;
    return this.#count();
  }

  #count(): Fault | undefined {
    this.#hasContent = true;
    return ++this.#nodes > this.#limits.nodes
      ? limit(`the document has more than ${this.#limits.nodes} values; split the document`, this.#offset)
      : this.#checkDepth();
  }

  #checkDepth(): Fault | undefined {
    return this.#columns.length + this.#flowDepth + this.#chain > this.#limits.depth
      ? limit(`the document is nested deeper than ${this.#limits.depth} levels`, this.#offset)
      : undefined;
  }

  /** Records the column of the token that starts a line, or follows `-`, `?` or `:` at its start. */
  #open(): void {
    if (!this.#isAtLineStart || this.#flowDepth > 0) return;
    while ((this.#columns.at(-1) ?? -1) > this.#column) this.#columns.pop();
    if ((this.#columns.at(-1) ?? -1) < this.#column) this.#columns.push(this.#column);
  }

  #advance(token: string): void {
    this.#offset += token.length;
    const newline = token.lastIndexOf("\n");
    if (newline === -1) {
      this.#column += token.length;
      return;
    }
    this.#column = token.length - newline - 1;
    this.#isAtLineStart = true;
    this.#chain = 0;
  }
}
