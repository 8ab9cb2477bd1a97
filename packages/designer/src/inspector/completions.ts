// Completions in an expression: paths of the message in every language; in Simple also its most common functions and the names used in this flow.
import type { Tree } from "@sluice/model";
import type { MessageData } from "../data-panel/message-data.ts";
import { pathCompletions } from "../data-panel/path-completions.ts";
import type { PartialMessage } from "../trial/message-text.ts";

export interface Completion {
  readonly text: string;
  readonly doc: string;
  /** True when the value has members of its own, which are offered after a dot. */
  readonly isDeep?: boolean;
}

const functions: readonly Completion[] = [
  { text: "body", doc: "the message's body" },
  { text: "body.", doc: "a field of the body" },
  { text: "bodyAs(String)", doc: "the body converted to a type" },
  { text: "bodyType", doc: "the type of the body" },
  { text: "header.", doc: "a header" },
  { text: "headers", doc: "all headers" },
  { text: "headers.size", doc: "the number of headers" },
  { text: "variable.", doc: "a variable" },
  { text: "variables", doc: "all variables" },
  { text: "exchangeProperty.", doc: "a property of the exchange" },
  { text: "exchangeId", doc: "the exchange's id" },
  { text: "routeId", doc: "the route's id" },
  { text: "stepId", doc: "the step's id" },
  { text: "fromRouteId", doc: "the route that received the message" },
  { text: "exception.message", doc: "the message of the caught exception" },
  { text: "exception", doc: "the caught exception" },
  { text: "date:now:yyyy-MM-dd HH:mm:ss", doc: "the current time, formatted with a pattern" },
  { text: "date:now+1d:yyyy-MM-dd", doc: "the current time plus an offset" },
  { text: "date-with-timezone:now:UTC:yyyy-MM-dd'T'HH:mm:ss", doc: "the current time in a time zone" },
  { text: "uuid", doc: "a new unique id" },
  { text: "random(100)", doc: "a random integer below the limit" },
  { text: "random(1,100)", doc: "a random integer in the range" },
  { text: "env.", doc: "an environment variable" },
  { text: "properties:", doc: "a property of the runtime, with a default after ':'" },
  { text: "jsonpath($.)", doc: "a JSONPath expression on the body" },
  { text: "jq(.)", doc: "a jq expression on the body" },
  { text: "xpath(/)", doc: "an XPath expression on the body" },
  { text: "trim(${body})", doc: "trimmed text" },
  { text: "uppercase(${body})", doc: "upper-case text" },
  { text: "lowercase(${body})", doc: "lower-case text" },
  { text: "replace(from,to)", doc: "text with replacements" },
  { text: "substring(0,3)", doc: "a part of the body" },
  { text: "split(',')", doc: "the body split into a list" },
  { text: "join(',')", doc: "a list joined to text" },
  { text: "length", doc: "length of the body" },
  { text: "size", doc: "number of items in the body" },
  { text: "distinct()", doc: "a list without duplicates" },
  { text: "sum(1,2)", doc: "sum of numbers" },
  { text: "concat(a,b)", doc: "concatenated text" },
  { text: "hash(${body},SHA-256)", doc: "a hash of text" },
  { text: "iif(${body} != null,yes,no)", doc: "one of two values, depending on a condition" },
  { text: "collate(10)", doc: "a list split into groups" },
  { text: "empty(list)", doc: "an empty list, map or text" },
];

/** Names of headers, variables and properties that are offered in expressions. */
export interface KnownNames {
  readonly header: readonly string[];
  readonly variable: readonly string[];
  readonly exchangeProperty: readonly string[];
}

/** The names, starting with those that occur in the message. */
export function withMessageNames(names: KnownNames, message: PartialMessage | undefined): KnownNames {
  if (message === undefined) return names;
  const union = (inMessage: Readonly<Record<string, unknown>> | undefined, inFlow: readonly string[]): readonly string[] => [
    ...new Set([...Object.keys(inMessage ?? {}), ...inFlow]),
  ];
  return {
    header: union(message.headers, names.header),
    variable: union(message.variables, names.variable),
    exchangeProperty: union(message.properties, names.exchangeProperty),
  };
}

const setters: Readonly<Record<string, keyof KnownNames>> = {
  setHeader: "header",
  setHeaders: "header",
  setVariable: "variable",
  setVariables: "variable",
  setProperty: "exchangeProperty",
};

export function namesIn(tree: Tree, extraHeaders: readonly string[] = []): KnownNames {
  const names = { header: new Set(extraHeaders), variable: new Set<string>(), exchangeProperty: new Set<string>() };
  const visit = (node: Tree, kind: keyof KnownNames | undefined): void => {
    if (node.type === "list") for (const item of node.items) visit(item, kind);
    if (node.type !== "map") return;
    for (const { key, value } of node.entries) {
      if (kind !== undefined && key === "name" && value.type === "scalar" && value.text !== null) names[kind].add(value.text);
      const setterKind = setters[key];
      visit(value, setterKind ?? (key === "headers" || key === "variables" ? kind : undefined));
    }
  };
  visit(tree, undefined);
  return { header: [...names.header], variable: [...names.variable], exchangeProperty: [...names.exchangeProperty] };
}

export interface Suggestions {
  /** The start of the text to complete. */
  readonly start: number;
  readonly items: readonly Completion[];
}

const maxItems = 8;

const templates: ReadonlySet<string> = new Set(["simple", "csimple"]);

export interface CompletionSource {
  readonly language: string;
  readonly names: KnownNames;
  /** The message that the expression will be evaluated on, if known. */
  readonly data: MessageData | undefined;
}

/** The completions at the caret. Those of Simple appear only inside an open `${`. */
export function suggestionsAt(text: string, caret: number, { language, names, data }: CompletionSource): Suggestions | undefined {
  const before = text.slice(0, caret);
  return (templates.has(language) ? functionsAt(before, names) : undefined) ?? pathCompletions(language, before, data);
}

function functionsAt(before: string, names: KnownNames): Suggestions | undefined {
  const open = openBrace(before);
  if (open === -1) return undefined;
  const start = open + 2;
  const typed = before.slice(start).toLowerCase();
  const known = (Object.keys(names) as (keyof KnownNames)[]).flatMap((kind) => names[kind].map((name) => ({ text: `${kind}.${name}`, doc: "" })));
  const items = [...functions, ...known].filter((item) => item.text.toLowerCase().startsWith(typed) && item.text.toLowerCase() !== typed).slice(0, maxItems);
  return items.length === 0 ? undefined : { start, items };
}

/** The start of the function that is being typed; -1 outside `${…}`. */
function openBrace(before: string): number {
  const open = before.lastIndexOf("${");
  return open === -1 || before.slice(open).includes("}") ? -1 : open;
}

/** The text with a completion inserted, and the new caret position. The braces around a Simple function are closed, unless more input is required. */
export function applyCompletion(
  language: string,
  text: string,
  caret: number,
  start: number,
  { text: completion, isDeep = false }: Completion,
): { readonly text: string; readonly caret: number } {
  const before = text.slice(0, start);
  const open = openBrace(before);
  const isArgument = /\([^)]*$/.test(before.slice(open + 2));
  const isOpen = !templates.has(language) || open === -1 || isArgument || completion.endsWith(".") || completion.endsWith(":");
  const isClosed = text.slice(caret).startsWith("}");
  const inserted = isOpen || isClosed ? completion : `${completion}}`;
  // A value with members may be continued with a dot, so the caret stays inside the braces.
  const end = isDeep ? start + completion.length : start + inserted.length + (isClosed && !isOpen ? 1 : 0);
  return { text: before + inserted + text.slice(caret), caret: end };
}
