// JSON, XML, HTML, base64, hashes: functions that read or convert a document.
import { CompileError, FlowError, type Expression } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import { headerReader, propertyReader, readJsonBeforeStep, variableReader } from "../compile/access.ts";
import { memoize, type SimpleScope } from "../compile/scope.ts";
import { endOfFunction, hasFunction, openingAt, unescape } from "../parse/scan.ts";
import { unquoted, type Argument, type Call, type SimpleFunction } from "./arguments.ts";
import { base64Decode, base64Mime } from "./base64.ts";
import { hash, hashNames, isHashName } from "./hash.ts";
import { cleanHtml, htmlDocument, htmlText } from "./html.ts";
import { compileJsonPath } from "./json-path.ts";
import { compactJson, prettyText } from "./pretty.ts";

const encoder = new TextEncoder();
const isNull = (value: unknown): value is null | undefined => value === null || value === undefined;
const body: Expression = (exchange) => exchange.message.body;

const mapValue = (value: Expression, change: (value: unknown) => unknown): Expression => {
  return (exchange) => {
    const raw = value(exchange);
    return isNull(raw) ? null : change(raw);
  };
};

const ofValue =
  (change: (value: unknown) => unknown): SimpleFunction =>
  (call) =>
    mapValue(call.text.trim() === "" ? body : call.value(singleArgument(call)), change);

export const documentFunctions: Readonly<Record<string, SimpleFunction>> = {
  toJson: ofValue(compactJson),
  toPrettyJson: ofValue(prettyText),
  pretty: ofValue(prettyText),
  base64Encode: ofValue((value) => base64Mime(value instanceof Uint8Array ? value : encoder.encode(asText(value)))),
  base64Decode: ofValue(decode),
  htmlClean: ofValue((value) => cleanHtml(asText(value))),
  htmlDecode: ofValue((value) => htmlText(asText(value))),
  htmlParse: ofValue((value) => htmlDocument(asText(value))),
  hash: hashFunction,
  simpleJsonpath(call) {
    const { source, path } = sourceAndPath(call);
    const read = source === undefined ? body : readSource(source, call.scope);
    readJsonBeforeStep(read, call.scope);
    if (!hasFunction(path.text)) {
      const find = compileJsonPath(path.text, path.offset);
      return (exchange) => find(read(exchange));
    }
    const dynamic = call.value(path);
    const find = memoize((text) => compileJsonPath(text, path.offset));
    return (exchange) => find(asText(dynamic(exchange)))(read(exchange));
  },
  jsonpath: (call) => query(call, "jsonpath", {}),
  jq: (call) => query(call, "jq", {}),
  xpath: (call) => query(call, "xpath", { resultType: "java.lang.String" }),
  load(call) {
    const optional = /\?(?:.*&)?optional=true$/.test(call.text.trim());
    const name = call.text.trim().replace(/\?.*$/, "");
    return () => {
      if (optional) return null;
      throw new FlowError("java.io.FileNotFoundException", `resource '${name}' cannot be loaded: write its text into the flow or a property`, {
        code: "simple-no-resource",
      });
    };
  },
};

export const documentWords: Readonly<Record<string, (scope: SimpleScope) => Expression>> = {
  toJsonBody: () => mapValue(body, compactJson),
  toPrettyJsonBody: prettyBody,
  prettyBody,
};

function prettyBody(scope: SimpleScope): Expression {
  readJsonBeforeStep(body, scope);
  return mapValue(body, prettyText);
}

/** The whole text as one argument without quotes around it. */
function singleArgument(call: Call): Argument {
  return { text: unquoted(call.text.trim()), offset: call.offset };
}

function decode(value: unknown): Uint8Array {
  const bytes = base64Decode(asText(value));
  if (bytes === undefined) throw new FlowError("java.lang.IllegalArgumentException", "base64Decode needs base64 text", { code: "simple-argument" });
  return bytes;
}

function hashFunction(call: Call): Expression {
  const comma = firstComma(call.text);
  const text = (comma < 0 ? call.text : call.text.slice(0, comma)).trim();
  if (text === "") throw call.fault("hash needs a value", "write ${hash(${body})} or ${hash(${body},SHA-512)}");
  const value = call.value({ text, offset: call.offset });
  const algorithm = comma < 0 ? "SHA-256" : call.text.slice(comma + 1).trim();
  if (!hasFunction(algorithm) && !isHashName(algorithm)) throw call.fault(`unknown hash algorithm '${algorithm}'`, `write one of ${hashNames.join(", ")}`);
  const name = call.value({ text: algorithm, offset: call.offset });
  const { host } = call.scope.language;
  return (exchange) => {
    const raw = value(exchange);
    if (isNull(raw)) return null;
    const bytes = raw instanceof Uint8Array ? raw : encoder.encode(asText(raw));
    const digest = hash(asText(name(exchange)), bytes, host);
    if (digest === undefined)
      throw new FlowError("java.lang.IllegalArgumentException", `unknown hash algorithm '${asText(name(exchange))}': use one of ${hashNames.join(", ")}`, {
        code: "simple-argument",
      });
    return digest;
  };
}

function firstComma(text: string): number {
  for (let at = 0; at < text.length; at++) {
    if (openingAt(text, at) > 0) at = endOfFunction(text, at, 0) - 1;
    else if (text[at] === ",") return at;
  }
  return -1;
}

function sourceAndPath(call: Call): { readonly source: string | undefined; readonly path: Argument } {
  const match = /^\s*((?:header|variable|exchangeProperty|property):[^,]*),/.exec(call.text);
  const rest = call.text.slice(match?.[0].length ?? 0).trim();
  if (rest === "") throw call.fault(`${call.name} needs a path`, `write \${${call.name}(path)}`);
  return { source: match?.[1]?.trim(), path: { text: unescape(unquoted(rest)), offset: call.offset + (match?.[0].length ?? 0) } };
}

function readSource(source: string, scope: SimpleScope): Expression {
  const colon = source.indexOf(":");
  const name = source.slice(colon + 1).trim();
  if (source.startsWith("header:")) return headerReader(name);
  return source.startsWith("variable:") ? variableReader(scope)(name) : propertyReader(name);
}

/** A path in another language. */
function query(call: Call, languageName: string, options: Readonly<Record<string, string>>): Expression {
  const { source, path } = sourceAndPath(call);
  const scope = call.scope.language;
  const language = scope.language(languageName);
  if (language === undefined) throw new CompileError("language-unknown", `the language ${languageName} is not installed`, { offset: call.offset });
  const settings = source === undefined ? options : { ...options, source: source.replace(/^exchangeProperty:/, "property:") };
  if (!hasFunction(path.text)) return language.compile(path.text, settings, scope);
  const dynamic = call.value(path);
  const find = memoize((text) => language.compile(text, settings, scope));
  return (exchange) => find(asText(dynamic(exchange)))(exchange);
}
