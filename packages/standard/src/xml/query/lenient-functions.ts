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
  "contains/2": { result: "xs:boolean", call: (whole, part) => text(whole).includes(text(part)) },
  "starts-with/2": { result: "xs:boolean", call: (whole, part) => text(whole).startsWith(text(part)) },
  "substring-before/2": { result: "xs:string", call: (whole, part) => text(whole).slice(0, Math.max(0, text(whole).indexOf(text(part)))) },
  "substring-after/2": {
    result: "xs:string",
    call: (whole, part) => (text(whole).includes(text(part)) ? text(whole).slice(text(whole).indexOf(text(part)) + text(part).length) : ""),
  },
  "substring/2": { result: "xs:string", call: (whole, start) => substring(text(whole), number(start), Infinity) },
  "substring/3": { result: "xs:string", call: (whole, start, length) => substring(text(whole), number(start), number(length)) },
  "string-length/1": { result: "xs:integer", call: (whole) => [...text(whole)].length },
  "normalize-space/1": {
    result: "xs:string",
    call: (whole) =>
      text(whole)
        .trim()
        .replaceAll(/[ \t\r\n]+/g, " "),
  },
  "translate/3": { result: "xs:string", call: (whole, from, to) => translate(text(whole), [...text(from)], [...text(to)]) },
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
function substring(whole: string, start: number, length: number): string {
  const from = Math.round(start);
  const to = from + Math.round(length);
  return [...whole].filter((_character, index) => index + 1 >= from && (length === Infinity || index + 1 < to)).join("");
}

function translate(whole: string, from: readonly string[], to: readonly string[]): string {
  return [...whole].map((character) => (from.includes(character) ? (to[from.indexOf(character)] ?? "") : character)).join("");
}
