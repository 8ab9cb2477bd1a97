// An exchange as one record of text, with the parts an author asked for.
import { asText, type Exchange, type FlowError } from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";
import { isSecretName, maskedText } from "../secret-names.ts";

const show = (what: string, fallback = false) => f.boolean({ doc: `Whether ${what} is shown.`, default: fallback });

export const formatOptions = {
  showAll: f.boolean({ doc: "Shows every part; values of headers that look like credentials are masked.", default: false }),
  showExchangeId: show("the exchange's id"),
  showExchangePattern: show("the exchange's pattern"),
  showRouteId: show("the route's id"),
  showRouteGroup: show("the route's group"),
  showProperties: show("every exchange property of the flow"),
  showAllProperties: show("every exchange property, Camel's own among them,"),
  showVariables: show("every variable"),
  showHeaders: show("every header"),
  showBodyType: show("the body's type", true),
  showBody: show("the body", true),
  showStreams: show("the content of streams; otherwise only that there is one"),
  showException: show("the failure being handled"),
  showCaughtException: show("the failure handled last"),
  showStackTrace: show("the failure's stack trace"),
  showFuture: f.boolean({ doc: "Accepted for flows from Camel and without effect.", default: false, group: "advanced" }),
  showCachedStreams: f.boolean({ doc: "Accepted for flows from Camel and without effect.", default: true, group: "advanced" }),
  showFiles: f.boolean({ doc: "Accepted for flows from Camel and without effect.", default: false, group: "advanced" }),
  skipBodyLineSeparator: f.boolean({ doc: "Whether line breaks in the body become blanks.", default: true }),
  multiline: f.boolean({ doc: "Whether each part stands on a line of its own.", default: false }),
  maxChars: f.integer({ doc: "How many characters a record may have; the rest is cut off.", default: 10_000, min: 0 }),
  style: f.enum(["Default", "Tab", "Fixed"], { doc: "Accepted for flows from Camel and without effect.", default: "Default", group: "advanced" }),
  logMask: f.boolean({ doc: "Whether values whose name looks like a credential are masked.", default: true, group: "security" }),
};

type Options = Values<typeof formatOptions> & { readonly plain: boolean };
type Part = readonly [label: string, text: (exchange: Exchange) => string | undefined];

/** Decides once which parts are shown; the result only gathers them. */
export function exchangeFormatter(options: Options): (exchange: Exchange) => string {
  const parts = chosenParts(options);
  const { maxChars, multiline } = options;
  const cut = (text: string): string => (text.length > maxChars ? `${text.slice(0, maxChars)}...` : text);
  if (options.plain) return (exchange) => cut(bodyText(exchange, options));
  return (exchange) => {
    let text = multiline ? "Exchange[" : "";
    for (const [label, part] of parts) {
      const value = part(exchange);
      if (value !== undefined) text += multiline ? `\n  ${label}: ${value}` : `${text === "" ? "" : ", "}${label}: ${value}`;
    }
    return cut(multiline ? `${text}\n]` : `Exchange[${text}]`);
  };
}

const failure = (exchange: Exchange): FlowError | undefined => exchange.failure ?? exchange.caught;

function chosenParts(options: Options): readonly Part[] {
  const { showAll: all, logMask } = options;
  const list: readonly (readonly [boolean, ...Part])[] = [
    [all || options.showRouteGroup, "RouteGroup", (exchange) => exchange.run.route.group],
    [all || options.showRouteId, "RouteId", (exchange) => exchange.run.route.id],
    [all || options.showExchangeId, "Id", (exchange) => exchange.id],
    [all || options.showExchangePattern, "ExchangePattern", (exchange) => exchange.pattern],
    [all || options.showAllProperties, "Properties", (exchange) => entriesText(exchange.properties, logMask)],
    [!all && !options.showAllProperties && options.showProperties, "Properties", (exchange) => entriesText(ownProperties(exchange), logMask)],
    [all || options.showVariables, "Variables", (exchange) => entriesText(exchange.variables, logMask)],
    [all || options.showHeaders, "Headers", (exchange) => entriesText(exchange.message.headers, logMask)],
    [all || options.showBodyType, "BodyType", (exchange) => typeName(exchange.message.body)],
    [all || options.showBody, "Body", (exchange) => bodyText(exchange, options)],
    [all || options.showException || options.showCaughtException, "ExceptionType", (exchange) => failure(exchange)?.type],
    [all || options.showException || options.showCaughtException, "ExceptionMessage", (exchange) => failure(exchange)?.message],
    [all || options.showStackTrace, "StackTrace", (exchange) => failure(exchange)?.stack],
  ];
  return list.filter(([shown]) => shown).map(([, label, text]) => [label, text]);
}

function ownProperties({ properties }: Exchange): Iterable<readonly [string, unknown]> | undefined {
  return properties && [...properties].filter(([name]) => !name.startsWith("Camel"));
}

function entriesText(entries: Iterable<readonly [string, unknown]> | undefined, mask: boolean): string {
  const pairs: string[] = [];
  for (const [name, value] of entries ?? []) pairs.push(`${name}=${mask && isSecretName(name) ? maskedText : asText(value)}`);
  return `{${pairs.join(", ")}}`;
}

function bodyText({ message: { body } }: Exchange, options: Options): string {
  if (body === null || body === undefined) return "[Body is null]";
  if (isStream(body) && !options.showStreams) return "[Body is a stream]";
  // A megabyte of text is not made readable only to be cut off again.
  const text = asText(body instanceof Uint8Array ? body.subarray(0, options.maxChars * 4) : body);
  return options.skipBodyLineSeparator ? text.replaceAll(/\r\n|\r|\n/g, " ") : text;
}

function isStream(body: unknown): boolean {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

function typeName(body: unknown): string {
  if (body === null || body === undefined) return "null";
  if (typeof body === "string") return "String";
  if (typeof body === "boolean") return "Boolean";
  if (typeof body === "number") return Number.isInteger(body) ? "Integer" : "Double";
  if (body instanceof Uint8Array) return "byte[]";
  if (Array.isArray(body)) return "List";
  if (body instanceof Date) return "Date";
  return isStream(body) ? "InputStream" : "Map";
}
