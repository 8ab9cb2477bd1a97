// Names in XML: their characters, and the namespace of a prefix.

export interface XmlName {
  /** As written, prefix included. */
  readonly written: string;
  readonly local: string;
  /** Empty when the name has no namespace. */
  readonly namespace: string;
}

/** The namespace of attributes that declare namespaces. */
export const xmlnsNamespace = "http://www.w3.org/2000/xmlns/";
const xmlNamespace = "http://www.w3.org/XML/1998/namespace";

const nameStart =
  "A-Z_a-z:\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C-\\u200D\\u2070-\\u218F\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD\\u{10000}-\\u{EFFFF}";
const namePattern = new RegExp(`[${nameStart}][${nameStart}\\-.0-9\\u00B7\\u0300-\\u036F\\u203F-\\u2040]*`, "uy");
const noPrefixes: readonly string[] = [];

/** Where the name that starts at `start` ends; `start` when there is none. */
export function endOfName(text: string, start: number): number {
  let end = start;
  while (isPlainNameCharacter(text.charCodeAt(end), end === start)) end++;
  // Almost every name is plain ASCII; the full rules cost several times as much.
  if (end > start && !(text.charCodeAt(end) > 127)) return end;
  namePattern.lastIndex = start;
  return namePattern.test(text) ? namePattern.lastIndex : start;
}

function isPlainNameCharacter(code: number, isFirst: boolean): boolean {
  if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code === 58) return true;
  return !isFirst && ((code >= 48 && code <= 57) || code === 45 || code === 46);
}

/** The namespaces declared by the open elements. Errors are returned for the caller to report. */
export class NamespaceScope {
  /** By prefix, innermost last, so that adding a declaration costs the same at every depth. */
  readonly #namespaces = new Map<string, string[]>([
    ["xml", [xmlNamespace]],
    ["xmlns", [xmlnsNamespace]],
  ]);
  /** The prefixes each open element declares. */
  readonly #declared: (readonly string[])[] = [];

  /** Adds the declarations among an element's attributes; returns a prefix with an invalid declaration. */
  enter(attributes: readonly (readonly [name: string, value: string])[]): string | undefined {
    let declared: string[] | undefined;
    for (const [name, uri] of attributes) {
      const prefix = name === "xmlns" ? "" : name.startsWith("xmlns:") ? name.slice(6) : undefined;
      if (prefix === undefined) continue;
      if (prefix === "xmlns" || (prefix !== "" && uri === "") || (prefix === "xml") !== (uri === xmlNamespace)) return prefix;
      const outer = this.#namespaces.get(prefix);
      if (outer === undefined) this.#namespaces.set(prefix, [uri]);
      else outer.push(uri);
      (declared ??= []).push(prefix);
    }
    this.#declared.push(declared ?? noPrefixes);
    return undefined;
  }

  leave(): void {
    for (const prefix of this.#declared.pop() ?? noPrefixes) this.#namespaces.get(prefix)?.pop();
  }

  element(written: string): XmlName | undefined {
    return this.#resolve(written, this.#namespaces.get("")?.at(-1) ?? "");
  }

  /** An attribute without a prefix has no namespace, regardless of surrounding declarations. */
  attribute(written: string): XmlName | undefined {
    return this.#resolve(written, written === "xmlns" ? xmlnsNamespace : "");
  }

  #resolve(written: string, unprefixed: string): XmlName | undefined {
    const colon = written.indexOf(":");
    if (colon < 0) return { written, local: written, namespace: unprefixed };
    const namespace = this.#namespaces.get(written.slice(0, colon))?.at(-1);
    if (namespace === undefined || colon === 0 || colon === written.length - 1 || written.includes(":", colon + 1)) return undefined;
    return { written, local: written.slice(colon + 1), namespace };
  }
}
