// XML text → nodes. Stricter than XML on purpose: a DOCTYPE is refused, so there are no entities, no external files
// and no default attributes to be attacked with; size, depth and number of nodes are bounded. XInclude is never followed.
import { FlowError } from "@sluice/engine/spi";
import { nodeTypes } from "./node-type.ts";
import { XmlNode } from "./xml-node.ts";

export interface XmlLimits {
  readonly maxCharacters: number;
  readonly maxDepth: number;
  readonly maxNodes: number;
  readonly maxAttributes: number;
}

export const xmlLimits: XmlLimits = {
  maxCharacters: 16 * 1024 * 1024,
  maxDepth: 500,
  maxNodes: 1_000_000,
  maxAttributes: 1000,
};

const nameStart =
  "A-Z_a-z:\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C-\\u200D\\u2070-\\u218F\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD\\u{10000}-\\u{EFFFF}";
const namePattern = new RegExp(`[${nameStart}][${nameStart}\\-.0-9\\u00B7\\u0300-\\u036F\\u203F-\\u2040]*`, "uy");
// oxlint-disable-next-line no-control-regex
const forbiddenCharacter = /[\0-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;
const predefined: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  amp: "&",
  apos: "'",
  quot: '"',
};
const xmlNamespace = "http://www.w3.org/XML/1998/namespace";
const xmlnsNamespace = "http://www.w3.org/2000/xmlns/";

/** The document of an XML text; throws a FlowError that names line and column when it is none. */
export function parseXml(text: string, limits: XmlLimits = xmlLimits): XmlNode {
  if (text.length > limits.maxCharacters) throw limitError(`the XML has ${text.length} characters, more than the ${limits.maxCharacters} allowed`);
  return new Parser(text.includes("\r") ? text.replaceAll(/\r\n?/g, "\n") : text, limits).parse();
}

const nothing: readonly string[] = [];

class Parser {
  readonly #text: string;
  readonly #limits: XmlLimits;
  readonly #document = new XmlNode(nodeTypes.document, "#document", null, "");
  #at = 0;
  #nodes = 0;
  #depth = 0;
  #current: XmlNode = this.#document;
  /** By prefix, the namespaces of the elements around that declare it, the innermost last: a declaration costs the same at every depth. */
  readonly #namespaces = new Map<string, string[]>([
    ["xml", [xmlNamespace]],
    ["xmlns", [xmlnsNamespace]],
  ]);
  /** The prefixes each open element declares. */
  readonly #declared: (readonly string[])[] = [];

  constructor(text: string, limits: XmlLimits) {
    this.#text = text;
    this.#limits = limits;
  }

  parse(): XmlNode {
    const text = this.#text;
    const bad = forbiddenCharacter.exec(text);
    if (bad !== null) this.#fail("a character that XML does not allow", bad.index);
    if (text.startsWith("\ufeff")) this.#at = 1;
    if (/^<\?xml\s/.test(text.slice(this.#at, this.#at + 6))) this.#at = this.#find("?>", this.#at) + 2;
    while (this.#at < text.length) {
      const open = text.indexOf("<", this.#at);
      this.#characters(open < 0 ? text.length : open);
      if (open >= 0) this.#markup();
    }
    if (this.#current !== this.#document) this.#fail(`<${this.#current.nodeName}> is never closed`, text.length);
    if (this.#document.documentElement === undefined) this.#fail("there is no root element", text.length);
    return this.#document;
  }

  #markup(): void {
    const text = this.#text;
    const start = this.#at;
    const next = text.charCodeAt(start + 1);
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
      const data = text.slice(start + 4, end);
      if (data.includes("--") || data.endsWith("-")) this.#fail("a comment must not contain --", start);
      this.#append(new XmlNode(nodeTypes.comment, "#comment", null, data));
      this.#at = end + 3;
    } else if (text.startsWith("<![CDATA[", start)) {
      if (this.#current === this.#document) this.#fail("text outside the root element", start);
      const end = this.#find("]]>", start + 9);
      this.#appendText(text.slice(start + 9, end));
      this.#at = end + 3;
    } else if (/^<!DOCTYPE/i.test(text.slice(start, start + 9))) {
      throw new FlowError(
        "org.apache.camel.TypeConversionException",
        `XML with a DOCTYPE is refused (${this.#place(start)}): remove the declaration, entities and external files are never read`,
        {
          code: "xml-doctype",
          details: { clientFault: true },
        },
      );
    } else this.#fail("unknown markup", start);
  }

  #instruction(): void {
    const start = this.#at;
    this.#at += 2;
    const name = this.#name();
    if (name.toLowerCase() === "xml") this.#fail("an XML declaration may only stand at the very beginning", start);
    const end = this.#find("?>", this.#at);
    if (end > this.#at && !isBlank(this.#text.charCodeAt(this.#at))) this.#fail("a blank is missing", this.#at);
    this.#append(new XmlNode(nodeTypes.instruction, name, null, this.#text.slice(this.#at, end).replace(/^\s+/, "")));
    this.#at = end + 2;
  }

  #endTag(): void {
    const start = this.#at;
    this.#at += 2;
    const name = this.#name();
    this.#skipBlanks();
    if (this.#text.charCodeAt(this.#at) !== 62) this.#fail(`</${name} is not closed with >`, this.#at);
    if (this.#current === this.#document || this.#current.nodeName !== name)
      this.#fail(this.#current === this.#document ? `</${name}> closes nothing` : `</${name}> where </${this.#current.nodeName}> is due`, start);
    this.#at++;
    this.#close();
  }

  #close(): void {
    this.#current = this.#current.parentNode as XmlNode;
    for (const prefix of this.#declared.pop() ?? nothing) this.#namespaces.get(prefix)?.pop();
    this.#depth--;
  }

  #startTag(): void {
    const start = this.#at++;
    const name = this.#name();
    if (this.#current === this.#document && this.#document.documentElement !== undefined) this.#fail("a second root element", start);
    if (++this.#depth > this.#limits.maxDepth) throw limitError(`the XML is nested deeper than ${this.#limits.maxDepth} elements`);
    const pairs = this.#attributes(name);
    this.#declared.push(this.#declare(pairs, start));
    const element = new XmlNode(nodeTypes.element, name, this.#namespaceOf(name, true, start), "");
    const seen = pairs.length > 1 ? new Set<string>() : undefined;
    for (const [attributeName, value] of pairs) {
      const attribute = new XmlNode(nodeTypes.attribute, attributeName, this.#namespaceOf(attributeName, false, start), value);
      const key = `${attribute.namespaceURI ?? ""} ${attribute.localName}`;
      if (seen?.has(key) === true) this.#fail(`attribute ${attributeName} stands twice`, start);
      seen?.add(key);
      element.addAttribute(attribute);
    }
    this.#append(element);
    this.#current = element;
    if (this.#text.charCodeAt(this.#at) === 47) {
      this.#at++;
      this.#close();
    }
    this.#at++;
  }

  /** Reads up to the `>` or `/>` of a start tag and stops before it. */
  #attributes(element: string): [string, string][] {
    const text = this.#text;
    const pairs: [string, string][] = [];
    for (;;) {
      const blanks = this.#skipBlanks();
      const code = text.charCodeAt(this.#at);
      if (code === 62 || (code === 47 && text.charCodeAt(this.#at + 1) === 62)) return pairs;
      if (Number.isNaN(code)) this.#fail(`<${element} is not closed with >`, this.#at);
      if (!blanks) this.#fail("a blank is missing before an attribute", this.#at);
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
      if (pairs.length > this.#limits.maxAttributes) throw limitError(`an element has more than ${this.#limits.maxAttributes} attributes`);
    }
  }

  #declare(pairs: readonly [string, string][], start: number): readonly string[] {
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

  #namespaceOf(name: string, isElement: boolean, start: number): string | null {
    const colon = name.indexOf(":");
    if (colon < 0) return isElement ? this.#namespaces.get("")?.at(-1) || null : name === "xmlns" ? xmlnsNamespace : null;
    const uri = this.#namespaces.get(name.slice(0, colon))?.at(-1);
    if (uri === undefined || name.includes(":", colon + 1) || colon === 0 || colon === name.length - 1)
      this.#fail(`the namespace prefix of '${name}' is not declared`, start);
    return uri as string;
  }

  #characters(end: number): void {
    if (end === this.#at) return;
    const raw = this.#text.slice(this.#at, end);
    if (this.#current === this.#document) {
      if (raw.trim() !== "") this.#fail("text outside the root element", this.#at + raw.search(/\S/));
    } else {
      const cdataEnd = raw.indexOf("]]>");
      if (cdataEnd >= 0) this.#fail("]]> outside CDATA", this.#at + cdataEnd);
      this.#appendText(this.#unescape(raw, this.#at));
    }
    this.#at = end;
  }

  /** Text and CDATA next to each other are one text. */
  #appendText(data: string): void {
    if (data === "") return;
    const last = this.#current.childNodes.at(-1);
    if (last?.nodeType === nodeTypes.text) last.data += data;
    else this.#append(new XmlNode(nodeTypes.text, "#text", null, data));
  }

  #append(node: XmlNode): void {
    this.#nodes += 1 + node.attributes.length;
    if (this.#nodes > this.#limits.maxNodes) throw limitError(`the XML has more than ${this.#limits.maxNodes} nodes`);
    this.#current.append(node);
  }

  #unescape(raw: string, start: number): string {
    if (!raw.includes("&")) return raw;
    return raw.replaceAll(/&([^;&<]{0,64};?)/g, (whole: string, inner: string, offset: number) => {
      const name = inner.endsWith(";") ? inner.slice(0, -1) : "";
      const known = Object.hasOwn(predefined, name) ? predefined[name] : characterOf(name);
      return known ?? this.#fail(name === "" ? "& must be written &amp;" : `unknown entity ${whole}`, start + offset);
    });
  }

  #name(): string {
    const text = this.#text;
    const start = this.#at;
    let end = start;
    while (isPlainNameCharacter(text.charCodeAt(end), end === start)) end++;
    // Almost every name is plain ASCII; the full rules cost several times as much.
    if (end > start && !(text.charCodeAt(end) > 127)) {
      this.#at = end;
      return text.slice(start, end);
    }
    namePattern.lastIndex = start;
    const match = namePattern.exec(text);
    if (match === null) return this.#fail("a name is due", start);
    this.#at = namePattern.lastIndex;
    return match[0];
  }

  #skipBlanks(): boolean {
    const before = this.#at;
    while (isBlank(this.#text.charCodeAt(this.#at))) this.#at++;
    return this.#at > before;
  }

  #find(what: string, from: number): number {
    const found = this.#text.indexOf(what, from);
    if (found < 0) this.#fail(`${what} is missing`, this.#text.length);
    return found;
  }

  #place(offset: number): string {
    const before = this.#text.slice(0, offset);
    const line = before.split("\n").length;
    return `line ${line}, column ${offset - before.lastIndexOf("\n")}`;
  }

  #fail(what: string, offset: number): never {
    throw new FlowError("org.apache.camel.TypeConversionException", `not well-formed XML: ${what} (${this.#place(offset)})`, {
      code: "invalid-xml",
      details: { clientFault: true },
    });
  }
}

function isPlainNameCharacter(code: number, isFirst: boolean): boolean {
  if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code === 58) return true;
  return !isFirst && ((code >= 48 && code <= 57) || code === 45 || code === 46);
}

function isBlank(code: number): boolean {
  return code === 32 || code === 10 || code === 9;
}

function characterOf(reference: string): string | undefined {
  const match = /^#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}))$/.exec(reference);
  if (match === null) return undefined;
  const code = match[1] === undefined ? Number(match[2]) : Number.parseInt(match[1], 16);
  const allowed =
    code === 9 || code === 10 || code === 13 || (code >= 0x20 && code <= 0xd7ff) || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff);
  return allowed ? String.fromCodePoint(code) : undefined;
}

function limitError(what: string): FlowError {
  return new FlowError("java.lang.IllegalStateException", `size limit: ${what}`, {
    code: "limit-xml",
    details: { clientFault: true },
  });
}
