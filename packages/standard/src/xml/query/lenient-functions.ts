// XPath 1.0 semantics for functions: the first of several nodes is used, and any value converts to text or number. XPath 3.1
// rejects such calls, but existing routes use them often.
import fontoxpath from "fontoxpath";

export const lenientNamespace = "urn:sluice:xpath-lenient";
type Items = readonly unknown[];

const functions: Readonly<Record<string, { readonly result: string; readonly call: (...values: Items[]) => unknown }>> = {
  "string/1": { result: "xs:string", call: text },
  "number/1": { result: "xs:double", call: number },
  "concat/2": { result: "xs:string", call: concat },
  "concat/3": { result: "xs:string", call: concat },
  "concat/4": { result: "xs:string", call: concat },
  "concat/5": { result: "xs:string", call: concat },
  "concat/6": { result: "xs:string", call: concat },
  "concat/7": { result: "xs:string", call: concat },
  "concat/8": { result: "xs:string", call: concat },
  "contains/2": { result: "xs:boolean", call: (source, part) => text(source).includes(text(part)) },
  "starts-with/2": { result: "xs:boolean", call: (source, part) => text(source).startsWith(text(part)) },
  "substring-before/2": { result: "xs:string", call: (source, part) => text(source).slice(0, Math.max(0, text(source).indexOf(text(part)))) },
  "substring-after/2": {
    result: "xs:string",
    call: (source, part) => (text(source).includes(text(part)) ? text(source).slice(text(source).indexOf(text(part)) + text(part).length) : ""),
  },
  "substring/2": { result: "xs:string", call: (source, start) => substring(text(source), number(start), Infinity) },
  "substring/3": { result: "xs:string", call: (source, start, length) => substring(text(source), number(start), number(length)) },
  "string-length/1": { result: "xs:integer", call: (source) => [...text(source)].length },
  "normalize-space/1": {
    result: "xs:string",
    call: (source) =>
      text(source)
        .trim()
        .replaceAll(/[ \t\r\n]+/g, " "),
  },
  "translate/3": { result: "xs:string", call: (source, from, to) => translate(text(source), [...text(from)], [...text(to)]) },
};

/** The lenient functions by name and arity, such as `concat/2`. */
export const lenientFunctions: ReadonlySet<string> = new Set(Object.keys(functions));

export function registerLenient(): void {
  for (const [key, { result, call }] of Object.entries(functions)) {
    const [localName, arity] = key.split("/") as [string, string];
    fontoxpath.registerCustomXPathFunction(
      { namespaceURI: lenientNamespace, localName },
      Array.from({ length: Number(arity) }, () => "xs:anyAtomicType*"),
      result,
      (_engine, ...values) => call(...(values as Items[])),
    );
  }
}

function text([item]: Items): string {
  return item === undefined ? "" : String(item);
}

function concat(...values: Items[]): string {
  return values.map(text).join("");
}

function number(items: Items): number {
  const [item] = items;
  if (typeof item === "number") return item;
  if (typeof item === "boolean") return item ? 1 : 0;
  const digits = text(items).trim();
  return /^-?(\d+(?:\.\d*)?|\.\d+)([eE][-+]?\d+)?$/.test(digits) ? Number(digits) : Number.NaN;
}

/** Characters count from 1; fractions are rounded and a start before the text shortens the length. */
function substring(source: string, start: number, length: number): string {
  const from = Math.round(start);
  const to = from + Math.round(length);
  return [...source].filter((_character, index) => index + 1 >= from && (length === Infinity || index + 1 < to)).join("");
}

function translate(source: string, from: readonly string[], to: readonly string[]): string {
  return [...source].map((character) => (from.includes(character) ? (to[from.indexOf(character)] ?? "") : character)).join("");
}
