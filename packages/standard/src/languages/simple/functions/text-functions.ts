import { FlowError, type Expression } from "@sluice/engine/spi";
import { asText, boundedText, checkTextLength, checkWork, iterate } from "@sluice/engine/values";
import { replaceAll } from "../compile/methods.ts";
import { unescape } from "../parse/scan.ts";
import { expectCount, untrimmedArguments, orBody, single, unquotedArguments, type Argument, type Call, type SimpleFunction } from "./arguments.ts";
import { toInteger } from "./conversions.ts";

const encoder = new TextEncoder();
const isNull = (value: unknown): value is null | undefined => value === null || value === undefined;

/** A function of one string; null stays null. */
const ofText =
  (change: (text: string) => unknown): SimpleFunction =>
  (call) => {
    const value = single(call);
    return (exchange) => {
      const raw = value(exchange);
      return isNull(raw) ? null : change(asText(raw));
    };
  };

export const textFunctions: Readonly<Record<string, SimpleFunction>> = {
  uppercase: ofText((text) => text.toUpperCase()),
  lowercase: ofText((text) => text.toLowerCase()),
  trim: ofText((text) => text.trim()),
  capitalize: ofText((text) => {
    checkWork("capitalize", text.length, 1_000_000);
    return text.replaceAll(/(^| )([^ ])/g, (_all, blank: string, letter: string) => blank + letter.toUpperCase());
  }),
  normalizeWhitespace: ofText((text) => {
    if (!text.includes("  ")) return text;
    checkWork("normalizeWhitespace", text.length, 2_000_000);
    return text.trim().replaceAll(/\s+/g, " ");
  }),
  quote: ofText(quote),
  unquote: ofText((text) => (/^(?:"[^]*"|'[^]*')$/.test(text) && text.length > 1 ? text.slice(1, -1) : text)),
  length: ofText((text) => encoder.encode(text).length),
  safeQuote(call) {
    const value = single(call);
    return (exchange) => {
      const raw = value(exchange);
      return isNull(raw) ? null : typeof raw === "number" || typeof raw === "boolean" ? raw : quote(asText(raw));
    };
  },
  replace,
  substring,
  substringBefore: (call) => cut(call, (text, part) => (text.includes(part) ? text.slice(0, text.indexOf(part)) : null)),
  substringAfter: (call) => cut(call, (text, part) => (text.includes(part) ? text.slice(text.indexOf(part) + part.length) : null)),
  substringBetween,
  concat,
  pad,
  join,
  val(call) {
    if (call.text.trim() === "") throw call.fault("val needs a value", "write ${val(text)}");
    return call.value({ text: call.text, offset: call.offset });
  },
};

function quote(text: string): string {
  if (text.length > 1 && text.startsWith('"') && text.endsWith('"')) return text;
  const inner = text.length > 1 && text.startsWith("'") && text.endsWith("'") ? text.slice(1, -1) : text;
  return `"${inner}"`;
}

const entities: Readonly<Record<string, string>> = { "&quot;": '"', "&apos;": "'", "&amp;": "&", "&lt;": "<", "&gt;": ">" };

function literal(argument: Argument): string {
  return unescape(argument.text).replaceAll(/&(?:quot|apos|amp|lt|gt);/g, (entity) => entities[entity] as string);
}

function replace(call: Call): Expression {
  const args = untrimmedArguments(call);
  expectCount(call, args, 2, 3, "replace(from,to,value)");
  const from = literal(args[0] as Argument);
  const to = (args[1] as Argument).text === "&empty;" ? "" : literal(args[1] as Argument);
  const value = orBody(call, args[2]);
  return (exchange) => {
    const raw = value(exchange);
    return isNull(raw) ? null : replaceAll(asText(raw), from, to);
  };
}

function substring(call: Call): Expression {
  const args = untrimmedArguments(call);
  expectCount(call, args, 1, 3, "substring(head,tail,value)");
  const head = call.value(args[0] as Argument);
  const tail = args[1] === undefined ? undefined : call.value(args[1]);
  const value = orBody(call, args[2]);
  return (exchange) => {
    const raw = value(exchange);
    if (isNull(raw)) return null;
    const text = asText(raw);
    const first = toInteger(head(exchange)) ?? 0;
    const last = tail === undefined ? (first < 0 ? -first : 0) : Math.abs(toInteger(tail(exchange)) ?? 0);
    const start = Math.max(0, first);
    return start + last >= text.length ? "" : text.slice(start, text.length - last);
  };
}

function cut(call: Call, extract: (text: string, part: string) => string | null): Expression {
  const args = untrimmedArguments(call);
  expectCount(call, args, 1, 2, `${call.name}(value,text)`);
  const value = orBody(call, args.length === 2 ? args[0] : undefined);
  const part = call.value(args[args.length - 1] as Argument);
  return (exchange) => {
    const raw = value(exchange);
    return isNull(raw) ? null : extract(asText(raw), asText(part(exchange)));
  };
}

function substringBetween(call: Call): Expression {
  const args = untrimmedArguments(call);
  expectCount(call, args, 2, 3, "substringBetween(value,after,before)");
  const value = orBody(call, args.length === 3 ? args[0] : undefined);
  const after = call.value(args[args.length - 2] as Argument);
  const before = call.value(args[args.length - 1] as Argument);
  return (exchange) => {
    const raw = value(exchange);
    if (isNull(raw)) return null;
    const text = asText(raw);
    const prefix = asText(after(exchange));
    const start = text.indexOf(prefix);
    const end = start < 0 ? -1 : text.indexOf(asText(before(exchange)), start + prefix.length);
    return end < 0 ? null : text.slice(start + prefix.length, end);
  };
}

function concat(call: Call): Expression {
  const args = unquotedArguments(call);
  expectCount(call, args, 1, 3, "concat(first,second,separator)");
  const first = orBody(call, args.length === 1 ? undefined : args[0]);
  const second = call.value((args.length === 1 ? args[0] : args[1]) as Argument);
  const separator = args[2] === undefined ? "" : unescape(args[2].text);
  return (exchange) => {
    const left = first(exchange);
    const right = second(exchange);
    if (isNull(left)) return isNull(right) ? null : asText(right);
    return isNull(right) ? asText(left) : boundedText(asText(left) + separator + asText(right));
  };
}

function pad(call: Call): Expression {
  const args = unquotedArguments(call);
  expectCount(call, args, 2, 3, "pad(value,width,filler)");
  const value = call.value(args[0] as Argument);
  const size = call.value(args[1] as Argument);
  const filler = args[2] === undefined || args[2].text === "" ? " " : unescape(args[2].text);
  return (exchange) => {
    const width = toInteger(size(exchange));
    if (width === null) throw new FlowError("java.lang.IllegalArgumentException", "pad needs a width, got null", { code: "simple-argument" });
    const raw = value(exchange);
    if (isNull(raw)) return null;
    const text = asText(raw);
    const missing = Math.abs(width) - text.length;
    if (missing <= 0) return text;
    checkTextLength(Math.abs(width));
    const filled = filler.repeat(Math.ceil(missing / filler.length));
    return width > 0 ? text + filled : filled + text;
  };
}

function join(call: Call): Expression {
  const args = untrimmedArguments(call);
  expectCount(call, args, 0, 3, "join(separator,prefix,value)");
  const separator = args[0] === undefined ? "," : unescape(args[0].text);
  const prefix = args[1] === undefined ? "" : unescape(args[1].text);
  const value = orBody(call, args[2]);
  return (exchange) => {
    const source = value(exchange);
    if (isNull(source)) throw new FlowError("java.lang.IllegalArgumentException", "join needs a value, got null", { code: "simple-argument" });
    let text: string | undefined;
    for (const item of iterate(source)) {
      if (isNull(item)) continue;
      const part = prefix + asText(item);
      text = text === undefined ? part : text + separator + part;
      checkTextLength(text.length);
    }
    return text ?? "";
  };
}
