// Formats an exchange as one log record with the selected parts.
import type { Exchange, FlowError } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import { f, type Values } from "@sluice/model";
import { isSecretName, maskedText } from "../secret-names.ts";

const show = (part: string, fallback = false) => f.boolean({ doc: `Shows ${part}.`, default: fallback });

export const formatOptions = {
  showAll: f.boolean({ doc: "Shows all parts; logMask determines whether credentials are masked.", default: false }),
  showExchangeId: show("the exchange id"),
  showExchangePattern: show("the exchange pattern"),
  showRouteId: show("the route id"),
  showRouteGroup: show("the route group"),
  showProperties: show("the exchange properties set by the flow"),
  showAllProperties: show("all exchange properties, including internal ones"),
  showVariables: show("the variables"),
  showHeaders: show("the headers"),
  showBodyType: show("the type of the body", true),
  showBody: show("the body", true),
  showStreams: show("the content of streams, instead of a placeholder"),
  showException: show("the failure being handled"),
  showCaughtException: show("the last handled failure"),
  showStackTrace: show("the stack trace of the failure"),
  showFuture: f.boolean({ doc: "Accepted but ignored.", default: false, group: "advanced" }),
  showCachedStreams: f.boolean({ doc: "Accepted but ignored.", default: true, group: "advanced" }),
  showFiles: f.boolean({ doc: "Accepted but ignored.", default: false, group: "advanced" }),
  skipBodyLineSeparator: f.boolean({ doc: "Whether line breaks in the body are replaced by spaces.", default: true }),
  multiline: f.boolean({ doc: "Whether each part is written on its own line.", default: false }),
  maxChars: f.integer({ doc: "Maximum length of a record in characters. Longer records are truncated.", default: 10_000, min: 0 }),
  style: f.enum(["Default", "Tab", "Fixed"], { doc: "Accepted but ignored.", default: "Default", group: "advanced" }),
  logMask: f.boolean({ doc: "Whether values whose names look like credentials are masked.", default: true, group: "security" }),
};

type Options = Values<typeof formatOptions> & { readonly plain: boolean };

/** Characters beyond maxChars that are masked too: a secret may begin before maxChars. */
const maskedAhead = 4_096;

type Part = readonly [label: string, text: (exchange: Exchange) => string | undefined];

/** Selects the parts once; the result only collects them. */
export function exchangeFormatter(options: Options, mask: (text: string) => string): (exchange: Exchange) => string {
  const parts = selectParts(options);
  const { maxChars, multiline } = options;
  // Masked before it is truncated, because the log does not recognize the beginning of a secret.
  const truncate = (text: string): string => (text.length > maxChars ? `${mask(text.slice(0, maxChars + maskedAhead)).slice(0, maxChars)}...` : text);
  if (options.plain) return (exchange) => truncate(bodyText(exchange, options));
  return (exchange) => {
    let text = multiline ? "Exchange[" : "";
    for (const [label, part] of parts) {
      const value = part(exchange);
      if (value !== undefined) text += multiline ? `\n  ${label}: ${value}` : `${text === "" ? "" : ", "}${label}: ${value}`;
    }
    return truncate(multiline ? `${text}\n]` : `Exchange[${text}]`);
  };
}

const failure = (exchange: Exchange): FlowError | undefined => exchange.failure ?? exchange.caught;

function selectParts(options: Options): readonly Part[] {
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
  // Truncate before formatting, so that a large body is not formatted completely.
  const text = asText(body instanceof Uint8Array ? body.subarray(0, options.maxChars * 4 + maskedAhead) : body);
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
