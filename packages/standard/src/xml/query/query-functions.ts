// Functions in addition to the standard ones: Camel's `in:` and `function:`, and bounded versions of functions that could loop
// or match regular expressions without limit.
import fontoxpath from "fontoxpath";
import { FlowError, toFlowError, type Exchange, type LanguageScope } from "@sluice/engine/spi";
import { asText, compilePattern } from "@sluice/engine/values";
import { nodeTypes } from "../node-type.ts";
import { XmlNode } from "../xml-node.ts";
import { lenientFunctions, lenientNamespace, registerLenient } from "./lenient-functions.ts";
import type { WorkMeter } from "./work-meter.ts";

const standardFunctions = "http://www.w3.org/2005/xpath-functions";
export const guardNamespace = "urn:sluice:query-guard";

/** Prefixes every expression may use without declaring them. */
export const knownNamespaces: Readonly<Record<string, string>> = {
  in: "http://camel.apache.org/xml/in/",
  out: "http://camel.apache.org/xml/out/",
  function: "http://camel.apache.org/xml/function/",
  fn: standardFunctions,
  xs: "http://www.w3.org/2001/XMLSchema",
  xml: "http://www.w3.org/XML/1998/namespace",
  map: "http://www.w3.org/2005/xpath-functions/map",
  array: "http://www.w3.org/2005/xpath-functions/array",
  math: "http://www.w3.org/2005/xpath-functions/math",
  local: "http://www.w3.org/2005/xquery-local-functions",
};

/** The context of one evaluation; passed to the functions by the query engine. */
export interface QueryContext {
  readonly exchange: Exchange;
  readonly scope: LanguageScope;
  readonly meter: WorkMeter;
  simple(text: string): unknown;
  /** The first failure of a function: the engine only passes on its message. */
  failure: FlowError | undefined;
}

type Call = (context: QueryContext, ...values: never[]) => unknown;

function register(namespaceURI: string, localName: string, parameters: string[], result: string, call: Call): void {
  fontoxpath.registerCustomXPathFunction({ namespaceURI, localName }, parameters, result, (engine, ...values) => {
    const context = engine.currentContext as QueryContext;
    try {
      return call(context, ...(values as never[]));
    } catch (error) {
      context.failure ??= toFlowError(error);
      throw error;
    }
  });
}

for (const prefix of ["in", "out"]) {
  const uri = knownNamespaces[prefix] as string;
  register(uri, "header", ["xs:string"], "item()*", ({ exchange }, name: string) => asItems(exchange.message.headers.get(name)));
  register(uri, "body", [], "item()*", ({ exchange }) => asItems(exchange.message.body));
}
register(knownNamespaces["function"] as string, "properties", ["xs:string"], "item()*", ({ scope }, name: string) => asItems(propertyOf(scope, name)));
register(knownNamespaces["function"] as string, "simple", ["xs:string"], "item()*", ({ simple }, text: string) => asItems(simple(text)));

register(guardNamespace, "tick", [], "item()*", ({ meter }) => {
  meter.tick();
  return [];
});
register(guardNamespace, "range", ["xs:integer?", "xs:integer?"], "xs:integer*", ({ meter }, first: number | null, last: number | null) => {
  if (first === null || last === null) return [];
  meter.range(last - first + 1);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
});

const withFlags = (pattern: string, flags: string): string => (/[msi]/.test(flags) ? `(?${flags.replaceAll(/[^msi]/g, "")})${pattern}` : pattern);
const matches = (_context: QueryContext, text: string | null, pattern: string, flags = ""): boolean =>
  compilePattern(withFlags(pattern, flags)).find(text ?? "");
const replace = (_context: QueryContext, text: string | null, pattern: string, replacement: string, flags = ""): string =>
  compilePattern(withFlags(pattern, flags)).replaceAll(text ?? "", replacement);
const tokenize = (_context: QueryContext, text: string | null, pattern: string, flags = ""): string[] =>
  text === null || text === "" ? [] : compilePattern(withFlags(pattern, flags)).split(text, { keepEmptyEnd: true });
register(guardNamespace, "matches", ["xs:string?", "xs:string"], "xs:boolean", matches);
register(guardNamespace, "matches", ["xs:string?", "xs:string", "xs:string"], "xs:boolean", matches);
register(guardNamespace, "replace", ["xs:string?", "xs:string", "xs:string"], "xs:string", replace);
register(guardNamespace, "replace", ["xs:string?", "xs:string", "xs:string", "xs:string"], "xs:string", replace);
register(guardNamespace, "tokenize", ["xs:string?", "xs:string"], "xs:string*", tokenize);
register(guardNamespace, "tokenize", ["xs:string?", "xs:string", "xs:string"], "xs:string*", tokenize);

registerLenient();

const guardedFunctions = new Set(["matches/2", "matches/3", "replace/3", "replace/4", "tokenize/2", "tokenize/3"]);

/** Finds a function without a prefix; `lenient` uses the first of several nodes, as in XPath 1.0. */
export function resolveFunction(localName: string, arity: number, lenient: boolean): { readonly namespaceURI: string; readonly localName: string } {
  const key = `${localName}/${arity}`;
  return { namespaceURI: guardedFunctions.has(key) ? guardNamespace : lenient && lenientFunctions.has(key) ? lenientNamespace : standardFunctions, localName };
}

/** Converts a value of the message for the query engine: nothing, one item, or several. */
export function asItems(value: unknown): unknown[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap(asItems);
  if (typeof value === "number" || typeof value === "boolean" || value instanceof XmlNode) return [value];
  // A text node is untyped, so that it can be compared with numbers like the text of a document.
  const text = asText(value);
  return [text === "" ? text : new XmlNode(nodeTypes.text, "#text", null, text)];
}

function propertyOf(scope: LanguageScope, text: string): string {
  const colon = text.indexOf(":");
  const name = colon < 0 ? text : text.slice(0, colon);
  const found = scope.property(name) ?? (colon < 0 ? undefined : text.slice(colon + 1));
  if (found === undefined)
    throw new FlowError(
      "java.lang.IllegalArgumentException",
      `property '${name}' is not defined and has no default: use function:properties('${name}:default')`,
      { code: "property-unknown" },
    );
  return found;
}
