// XML text → events. Stricter than XML on purpose: a DOCTYPE is refused, so there are no entities, no external files and
// no default attributes; size, depth and number of elements are bounded.
import { limitFault, readFault } from "./read-fault.ts";

export interface XmlName {
  /** As written, prefix included. */
  readonly written: string;
  readonly local: string;
  /** Empty when the name is in no namespace. */
  readonly namespace: string;
}

export interface XmlHandler {
  open(name: XmlName, attributes: readonly (readonly [XmlName, string])[]): void;
  text(text: string): void;
  close(): void;
}

const limits = { characters: 64 * 1024 * 1024, depth: 500, elements: 2_000_000, attributes: 1000 } as const;
const namePattern = /[\p{L}_:][\p{L}\p{N}\p{M}_:.\-\u00b7]*/uy;
// oxlint-disable-next-line no-control-regex
const forbidden = /[\0-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;
const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", apos: "'", quot: '"' };
const xmlNamespace = "http://www.w3.org/XML/1998/namespace";

interface OpenElement {
  readonly name: string;
  /** The prefixes it declares. */
  readonly declared: readonly string[];
}

const nothing: readonly string[] = [];

/** Reads a document; throws a FlowError that names line and column when it is not well-formed. */
export function readXml(source: string, handler: XmlHandler): void {
  if (source.length > limits.characters) throw limitFault(`the XML has ${source.length} characters, more than the ${limits.characters} allowed`);
  new Reader(source.includes("\r") ? source.replaceAll(/\r\n?/g, "\n") : source, handler).read();
}

class Reader {
  readonly #text: string;
  readonly #handler: XmlHandler;
  readonly #open: OpenElement[] = [];
  #at = 0;
  #elements = 0;
  /** By prefix, the namespaces of the elements around that declare it, the innermost last: a declaration costs the same at every depth. */
  readonly #namespaces = new Map<string, string[]>([["xml", [xmlNamespace]]]);

  constructor(text: string, handler: XmlHandler) {
    this.#text = text;
    this.#handler = handler;
  }

  read(): void {
    const text = this.#text;
    const bad = forbidden.exec(text);
    if (bad !== null) this.#fail("a character that XML does not allow", bad.index);
    if (text.startsWith("\ufeff")) this.#at = 1;
    if (/^<\?xml\s/.test(text.slice(this.#at, this.#at + 6))) this.#at = this.#find("?>") + 2;
    while (this.#at < text.length) {
      const next = text.indexOf("<", this.#at);
      if (next !== this.#at) this.#characters(next < 0 ? text.length : next);
      else if (text.startsWith("</", next)) this.#endTag();
      else if (text.startsWith("<!", next)) this.#declaration();
      else if (text.startsWith("<?", next)) this.#at = this.#find("?>") + 2;
      else this.#startTag();
    }
    const left = this.#open.at(-1);
    if (left !== undefined) this.#fail(`<${left.name}> is never closed`, text.length);
    if (this.#elements === 0) this.#fail("there is no root element", text.length);
  }

  #declaration(): void {
    const text = this.#text;
    if (text.startsWith("<!--", this.#at)) this.#at = this.#find("-->", this.#at + 4) + 3;
    else if (text.startsWith("<![CDATA[", this.#at)) {
      const end = this.#find("]]>");
      if (this.#open.length === 0) this.#fail("text outside the root element", this.#at);
      this.#handler.text(text.slice(this.#at + 9, end));
      this.#at = end + 3;
    } else if (/^<!DOCTYPE/i.test(text.slice(this.#at, this.#at + 9))) this.#fail("a DOCTYPE is refused, entities and external files are never read", this.#at);
    else this.#fail("unknown markup", this.#at);
  }

  #characters(end: number): void {
    const raw = this.#text.slice(this.#at, end);
    if (this.#open.length > 0) this.#handler.text(this.#unescaped(raw, this.#at));
    else if (raw.trim() !== "") this.#fail("text outside the root element", this.#at + raw.search(/\S/));
    this.#at = end;
  }

  #endTag(): void {
    const start = this.#at;
    this.#at += 2;
    const name = this.#name();
    this.#skipBlanks();
    if (this.#text[this.#at] !== ">") this.#fail(`</${name} is not closed with >`, this.#at);
    const open = this.#open.pop();
    if (open?.name !== name) this.#fail(open === undefined ? `</${name}> closes nothing` : `</${name}> where </${open.name}> is due`, start);
    this.#undeclare((open as OpenElement).declared);
    this.#handler.close();
    this.#at++;
  }

  #startTag(): void {
    const start = this.#at++;
    const name = this.#name();
    if (this.#open.length === 0 && this.#elements > 0) this.#fail("a second root element", start);
    if (++this.#elements > limits.elements) throw limitFault(`the XML has more than ${limits.elements} elements`);
    if (this.#open.length >= limits.depth) throw limitFault(`the XML is nested deeper than ${limits.depth} elements`);
    const pairs = this.#attributes(name);
    const declared = this.#declare(pairs, start);
    this.#handler.open(this.#resolved(name, this.#namespaceOf("") ?? "", start), this.#resolvedAttributes(pairs, start));
    if (this.#text[this.#at] === "/") {
      this.#at += 2;
      this.#undeclare(declared);
      this.#handler.close();
    } else {
      this.#at++;
      this.#open.push({ name, declared });
    }
  }

  #resolvedAttributes(pairs: readonly (readonly [string, string])[], start: number): readonly [XmlName, string][] {
    const attributes: [XmlName, string][] = [];
    const seen = new Set<string>();
    for (const [written, value] of pairs) {
      if (written === "xmlns" || written.startsWith("xmlns:")) continue;
      const name = this.#resolved(written, "", start);
      // Two prefixes may stand for one namespace.
      if (name.namespace !== "" && seen.size === seen.add(`${name.namespace} ${name.local}`).size) this.#fail(`attribute ${written} stands twice`, start);
      attributes.push([name, value]);
    }
    return attributes;
  }

  /** Reads up to the `>` or `/>` of a start tag and stops before it. */
  #attributes(element: string): readonly [string, string][] {
    const text = this.#text;
    const pairs = new Map<string, string>();
    for (;;) {
      const blanks = this.#skipBlanks();
      if (text[this.#at] === ">" || text.startsWith("/>", this.#at)) return [...pairs];
      if (this.#at >= text.length || !blanks) this.#fail(`<${element}> is not written correctly`, this.#at);
      const name = this.#name();
      this.#skipBlanks();
      const hasValue = text[this.#at] === "=";
      this.#at++;
      this.#skipBlanks();
      const quote = text[this.#at];
      if (!hasValue || (quote !== '"' && quote !== "'")) this.#fail(`attribute ${name} has no quoted value`, this.#at);
      const end = this.#find(quote as string, this.#at + 1);
      const raw = text.slice(this.#at + 1, end);
      if (raw.includes("<")) this.#fail(`attribute ${name} contains <`, this.#at);
      if (pairs.has(name)) this.#fail(`attribute ${name} stands twice`, this.#at);
      pairs.set(name, this.#unescaped(raw.replaceAll(/[\t\n]/g, " "), this.#at + 1));
      if (pairs.size > limits.attributes) throw limitFault(`an element has more than ${limits.attributes} attributes`);
      this.#at = end + 1;
    }
  }

  #declare(pairs: readonly (readonly [string, string])[], start: number): readonly string[] {
    let declared: string[] | undefined;
    for (const [name, uri] of pairs) {
      const prefix = name === "xmlns" ? "" : name.startsWith("xmlns:") ? name.slice(6) : undefined;
      if (prefix === undefined) continue;
      if (prefix === "xmlns" || (prefix !== "" && uri === "") || (prefix === "xml") !== (uri === xmlNamespace))
        this.#fail(`namespace prefix '${prefix}' cannot be bound so`, start);
      const around = this.#namespaces.get(prefix);
      if (around === undefined) this.#namespaces.set(prefix, [uri]);
      else around.push(uri);
      (declared ??= []).push(prefix);
    }
    return declared ?? nothing;
  }

  #undeclare(prefixes: readonly string[]): void {
    for (const prefix of prefixes) this.#namespaces.get(prefix)?.pop();
  }

  #namespaceOf(prefix: string): string | undefined {
    return this.#namespaces.get(prefix)?.at(-1);
  }

  #resolved(written: string, namespace: string, start: number): XmlName {
    const colon = written.indexOf(":");
    if (colon < 0) return { written, local: written, namespace };
    const uri = this.#namespaceOf(written.slice(0, colon));
    if (uri === undefined || colon === written.length - 1) this.#fail(`the namespace prefix of '${written}' is not declared`, start);
    return { written, local: written.slice(colon + 1), namespace: uri as string };
  }

  #unescaped(raw: string, start: number): string {
    if (!raw.includes("&")) return raw;
    return raw.replaceAll(/&([^;&<]{0,64};?)/g, (whole: string, inner: string, offset: number) => {
      const name = inner.endsWith(";") ? inner.slice(0, -1) : "";
      return (
        (Object.hasOwn(entities, name) ? entities[name] : characterOf(name)) ??
        this.#fail(name === "" ? "& must be written &amp;" : `unknown entity ${whole}`, start + offset)
      );
    });
  }

  #name(): string {
    namePattern.lastIndex = this.#at;
    const match = namePattern.exec(this.#text);
    if (match === null) return this.#fail("a name is due", this.#at);
    this.#at = namePattern.lastIndex;
    return match[0];
  }

  #skipBlanks(): boolean {
    const before = this.#at;
    for (let code = this.#text.charCodeAt(before); code === 32 || code === 10 || code === 9; code = this.#text.charCodeAt(this.#at)) this.#at++;
    return this.#at > before;
  }

  #find(what: string, from = this.#at): number {
    const found = this.#text.indexOf(what, from);
    return found < 0 ? this.#fail(`${what} is missing`, this.#text.length) : found;
  }

  #fail(what: string, offset: number): never {
    const before = this.#text.slice(0, offset);
    throw readFault("xml", `not well-formed XML: ${what} (line ${before.split("\n").length}, column ${offset - before.lastIndexOf("\n")})`);
  }
}

function characterOf(reference: string): string | undefined {
  const match = /^#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}))$/.exec(reference);
  if (match === null) return undefined;
  const code = match[1] === undefined ? Number(match[2]) : Number.parseInt(match[1], 16);
  const isAllowed =
    code === 9 || code === 10 || code === 13 || (code >= 0x20 && code <= 0xd7ff) || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff);
  return isAllowed ? String.fromCodePoint(code) : undefined;
}
