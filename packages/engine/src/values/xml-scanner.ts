// A SAX-style XML scanner. Stricter than XML on purpose: a DOCTYPE is rejected, so there are no entities, external files or default attributes
// that an attacker could use; size, depth and counts are limited. XInclude is never followed.
import { FlowError } from "../errors/flow-error.ts";
import { endOfName, NamespaceScope, type XmlName } from "./xml-names.ts";

export interface XmlLimits {
  readonly maxCharacters: number;
  readonly maxDepth: number;
  readonly maxElements: number;
  readonly maxAttributes: number;
}

export interface XmlAttribute {
  readonly name: XmlName;
  readonly value: string;
}

/** Receives the content of a document in order. */
export interface XmlHandler {
  /** `attributes` are as written, including namespace declarations. */
  open(name: XmlName, attributes: readonly XmlAttribute[]): void;
  /** Never empty; the text of an element may come in several pieces. */
  text(text: string): void;
  close(): void;
  comment?(text: string): void;
  instruction?(target: string, text: string): void;
}

// oxlint-disable-next-line no-control-regex
const forbiddenCharacter = /[\0-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;
const xmlDeclaration = /^<\?xml\s+version\s*=\s*(["'])1\.\d+\1(?:\s+encoding\s*=\s*(["'])[A-Za-z][\w.-]*\2)?(?:\s+standalone\s*=\s*(["'])(?:yes|no)\3)?\s*$/;
const otherReference = /&(?!(?:lt|gt|amp|apos|quot);)/;
const noAttributes: readonly XmlAttribute[] = [];
const predefined: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", apos: "'", quot: '"' };

/** Reads a document; throws a FlowError with line and column when it is not well-formed. */
export function scanXml(text: string, limits: XmlLimits, handler: XmlHandler): void {
  scannerOf(text, limits, handler).advance(Infinity);
}

/** Like {@link scanXml}, a few tags per iteration, so that a long document can be read in slices. */
export function* scanXmlIncrementally(text: string, limits: XmlLimits, handler: XmlHandler): Generator<undefined> {
  const scanner = scannerOf(text, limits, handler);
  while (!scanner.advance(tagsPerStep)) yield undefined;
}

const tagsPerStep = 200;
/** Maximum characters per text event. */
const maxPieceLength = 64 * 1024;
/** Characters of text that take as long as a tag. */
const charactersPerTag = 1_000;
/** Maximum length of a reference; one that may continue in the next piece is left to that piece. */
const maxReferenceLength = 70;

function scannerOf(text: string, limits: XmlLimits, handler: XmlHandler): Scanner {
  if (text.length > limits.maxCharacters) throw xmlLimitError(`the XML has ${text.length} characters, more than the ${limits.maxCharacters} allowed`);
  return new Scanner(text.includes("\r") ? text.replaceAll(/\r\n?/g, "\n") : text, limits, handler);
}

export function xmlLimitError(message: string): FlowError {
  return new FlowError("java.lang.IllegalStateException", `size limit: ${message}`, { code: "limit-xml", details: { clientFault: true } });
}

class Scanner {
  readonly #text: string;
  readonly #limits: XmlLimits;
  readonly #handler: XmlHandler;
  readonly #namespaces = new NamespaceScope();
  /** The names of the open elements, as written. */
  readonly #open: string[] = [];
  #at = 0;
  #tagAt = -1;
  #elements = 0;

  constructor(text: string, limits: XmlLimits, handler: XmlHandler) {
    this.#text = text;
    this.#limits = limits;
    this.#handler = handler;
  }

  /** Reads up to this many tags and text nodes; true at the end of the document. */
  advance(limit: number): boolean {
    const text = this.#text;
    if (this.#at === 0) this.#begin();
    for (let remaining = limit; this.#at < text.length; remaining--) {
      if (remaining <= 0) return false;
      const next = this.#nextTag();
      const end = this.#pieceEnd(next);
      remaining -= Math.trunc((end - this.#at) / charactersPerTag);
      this.#characters(end);
      if (end === next && end < text.length) this.#markup();
    }
    this.#finish();
    return true;
  }

  /** Where the next tag begins; searched once for all pieces of long text. */
  #nextTag(): number {
    if (this.#tagAt < this.#at) {
      const found = this.#text.indexOf("<", this.#at);
      this.#tagAt = found < 0 ? this.#text.length : found;
    }
    return this.#tagAt;
  }

  #begin(): void {
    const text = this.#text;
    const forbidden = forbiddenCharacter.exec(text);
    if (forbidden !== null) this.#fail("a character that XML does not allow", forbidden.index);
    if (text.startsWith("\ufeff")) this.#at = 1;
    if (!/^<\?xml\s/.test(text.slice(this.#at, this.#at + 6))) return;
    const end = this.#find("?>", this.#at);
    if (!xmlDeclaration.test(text.slice(this.#at, end))) this.#fail('the XML declaration is invalid: write <?xml version="1.0"?>', this.#at);
    this.#at = end + 2;
  }

  /** Where long text is split: not inside a reference or a `]]>`. */
  #pieceEnd(end: number): number {
    if (end - this.#at <= maxPieceLength) return end;
    const cut = this.#at + maxPieceLength;
    const behind = this.#text.slice(cut - maxReferenceLength, cut + 1).lastIndexOf("&");
    const bracket = this.#text.charCodeAt(cut - 1) === 93 || this.#text.charCodeAt(cut) === 93;
    if (behind > 0) return cut - maxReferenceLength + behind;
    return bracket ? this.#afterBrackets(cut, end) : cut;
  }

  #afterBrackets(from: number, end: number): number {
    let at = from;
    while (at < end && this.#text.charCodeAt(at) === 93) at++;
    return Math.min(end, at + 1);
  }

  #finish(): void {
    const text = this.#text;
    const openElement = this.#open.at(-1);
    if (openElement !== undefined) this.#fail(`<${openElement}> is never closed`, text.length);
    if (this.#elements === 0) this.#fail("the root element is missing", text.length);
  }

  #markup(): void {
    const next = this.#text.charCodeAt(this.#at + 1);
    if (next === 47) this.#endTag();
    else if (next === 33) this.#declaration();
    else if (next === 63) this.#instruction();
    else this.#startTag();
  }

  #declaration(): void {
    const text = this.#text;
    const start = this.#at;
    if (text.startsWith("<!--", start)) {
      const end = this.#find("-->", start + 4);
      const comment = text.slice(start + 4, end);
      if (comment.includes("--") || comment.endsWith("-")) this.#fail("a comment must not contain --", start);
      this.#handler.comment?.(comment);
      this.#at = end + 3;
    } else if (text.startsWith("<![CDATA[", start)) {
      if (this.#open.length === 0) this.#fail("text outside the root element", start);
      const end = this.#find("]]>", start + 9);
      if (end > start + 9) this.#handler.text(text.slice(start + 9, end));
      this.#at = end + 3;
    } else if (/^<!DOCTYPE/i.test(text.slice(start, start + 9))) {
      throw new FlowError(
        "org.apache.camel.TypeConversionException",
        `XML with a DOCTYPE is rejected (${this.#position(start)}): remove the declaration; entities and external files are never read`,
        { code: "xml-doctype", details: { clientFault: true } },
      );
    } else this.#fail("unknown markup", start);
  }

  #instruction(): void {
    const start = this.#at;
    this.#at += 2;
    const name = this.#name();
    if (name.toLowerCase() === "xml") this.#fail("an XML declaration is only allowed at the very beginning", start);
    if (name.includes(":")) this.#fail("the target of a processing instruction must not contain a colon", start);
    const end = this.#find("?>", this.#at);
    if (end > this.#at && !isBlank(this.#text.charCodeAt(this.#at))) this.#fail("whitespace is missing", this.#at);
    this.#handler.instruction?.(name, this.#text.slice(this.#at, end).replace(/^\s+/, ""));
    this.#at = end + 2;
  }

  #endTag(): void {
    const start = this.#at;
    this.#at += 2;
    const name = this.#name();
    this.#skipBlanks();
    if (this.#text.charCodeAt(this.#at) !== 62) this.#fail(`</${name} is not closed with >`, this.#at);
    const openName = this.#open.pop();
    if (openName !== name) this.#fail(openName === undefined ? `</${name}> has no start tag` : `expected </${openName}>, found </${name}>`, start);
    this.#at++;
    this.#close();
  }

  #close(): void {
    this.#namespaces.leave();
    this.#handler.close();
  }

  #startTag(): void {
    const start = this.#at++;
    const written = this.#name();
    if (this.#open.length === 0 && this.#elements > 0) this.#fail("a second root element", start);
    if (++this.#elements > this.#limits.maxElements) throw xmlLimitError(`the XML has more than ${this.#limits.maxElements} elements`);
    if (this.#open.length >= this.#limits.maxDepth) throw xmlLimitError(`the XML is nested deeper than ${this.#limits.maxDepth} elements`);
    const pairs = this.#attributes(written);
    const invalidPrefix = this.#namespaces.enter(pairs);
    if (invalidPrefix !== undefined) this.#fail(`namespace prefix '${invalidPrefix}' has an invalid declaration`, start);
    const name = this.#namespaces.element(written) ?? this.#undeclared(written, start);
    this.#handler.open(name, this.#resolveAttributes(pairs, start));
    if (this.#text.charCodeAt(this.#at) === 47) {
      this.#at += 2;
      this.#close();
    } else {
      this.#at++;
      this.#open.push(written);
    }
  }

  #resolveAttributes(pairs: readonly (readonly [string, string])[], start: number): readonly XmlAttribute[] {
    if (pairs.length === 0) return noAttributes;
    const seen = pairs.length > 1 ? new Set<string>() : undefined;
    return pairs.map(([written, value]) => {
      const name = this.#namespaces.attribute(written) ?? this.#undeclared(written, start);
      // Two prefixes may refer to the same namespace.
      if (seen !== undefined && seen.size === seen.add(`${name.namespace} ${name.local}`).size) this.#fail(`attribute ${written} is duplicated`, start);
      return { name, value };
    });
  }

  /** Reads up to the `>` or `/>` of a start tag and stops before it. */
  #attributes(element: string): readonly (readonly [string, string])[] {
    const text = this.#text;
    const pairs: [string, string][] = [];
    for (;;) {
      const blanks = this.#skipBlanks();
      const code = text.charCodeAt(this.#at);
      if (code === 62 || (code === 47 && text.charCodeAt(this.#at + 1) === 62)) return pairs;
      if (Number.isNaN(code)) this.#fail(`<${element} is not closed with >`, this.#at);
      if (!blanks) this.#fail("whitespace is missing before an attribute", this.#at);
      const name = this.#name();
      this.#skipBlanks();
      if (text.charCodeAt(this.#at) !== 61) this.#fail(`attribute ${name} has no value`, this.#at);
      this.#at++;
      this.#skipBlanks();
      const quote = text.charAt(this.#at);
      if (quote !== '"' && quote !== "'") this.#fail(`the value of attribute ${name} is not quoted`, this.#at);
      const end = this.#find(quote, this.#at + 1);
      const raw = text.slice(this.#at + 1, end);
      if (raw.includes("<")) this.#fail(`attribute ${name} contains <`, this.#at);
      pairs.push([name, this.#unescape(/[\t\n]/.test(raw) ? raw.replaceAll(/[\t\n]/g, " ") : raw, this.#at + 1)]);
      this.#at = end + 1;
      if (pairs.length > this.#limits.maxAttributes) throw xmlLimitError(`an element has more than ${this.#limits.maxAttributes} attributes`);
    }
  }

  #characters(end: number): void {
    if (end === this.#at) return;
    const raw = this.#text.slice(this.#at, end);
    if (this.#open.length === 0) {
      const text = raw.search(/[^ \t\n]/);
      if (text >= 0) this.#fail("text outside the root element", this.#at + text);
    } else {
      const cdataEnd = raw.indexOf("]]>");
      if (cdataEnd >= 0) this.#fail("]]> outside CDATA", this.#at + cdataEnd);
      this.#handler.text(this.#unescape(raw, this.#at));
    }
    this.#at = end;
  }

  #unescape(raw: string, start: number): string {
    if (!raw.includes("&")) return raw;
    // Long text mostly contains these five; replacing them by name takes a fraction of the time.
    if (raw.length > 1000 && !otherReference.test(raw))
      return raw.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&apos;", "'").replaceAll("&amp;", "&");
    return raw.replaceAll(/&([^;&<]{0,64};?)/g, (reference: string, inner: string, offset: number) => {
      const name = inner.endsWith(";") ? inner.slice(0, -1) : "";
      const character = Object.hasOwn(predefined, name) ? predefined[name] : characterOf(name);
      return character ?? this.#fail(name === "" ? "& must be written as &amp;" : `unknown entity ${reference}`, start + offset);
    });
  }

  #name(): string {
    const start = this.#at;
    const end = endOfName(this.#text, start);
    if (end === start) this.#fail("expected a name", start);
    this.#at = end;
    return this.#text.slice(start, end);
  }

  #skipBlanks(): boolean {
    const start = this.#at;
    while (isBlank(this.#text.charCodeAt(this.#at))) this.#at++;
    return this.#at > start;
  }

  #find(text: string, from: number): number {
    const found = this.#text.indexOf(text, from);
    if (found < 0) this.#fail(`${text} is missing`, this.#text.length);
    return found;
  }

  #position(offset: number): string {
    let line = 1;
    let start = 0;
    for (let at = this.#text.indexOf("\n"); at >= 0 && at < offset; at = this.#text.indexOf("\n", at + 1)) {
      line++;
      start = at + 1;
    }
    return `line ${line}, column ${offset - start + 1}`;
  }

  #undeclared(written: string, start: number): never {
    this.#fail(`the namespace prefix of '${written}' is not declared`, start);
  }

  #fail(problem: string, offset: number): never {
    throw new FlowError("org.apache.camel.TypeConversionException", `not well-formed XML: ${problem} (${this.#position(offset)})`, {
      code: "invalid-xml",
      details: { clientFault: true },
    });
  }
}

function isBlank(code: number): boolean {
  return code === 32 || code === 10 || code === 9;
}

function characterOf(reference: string): string | undefined {
  const match = /^#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}))$/.exec(reference);
  if (match === null) return undefined;
  const code = match[1] === undefined ? Number(match[2]) : Number.parseInt(match[1], 16);
  const isAllowed =
    code === 9 || code === 10 || code === 13 || (code >= 0x20 && code <= 0xd7ff) || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff);
  return isAllowed ? String.fromCodePoint(code) : undefined;
}
