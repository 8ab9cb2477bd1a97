import { CompileError, FlowError, defineLanguage, type Exchange, type Expression, type LanguageScope } from "@sluice/engine/spi";
import { asText, isTrue, partOfJson } from "@sluice/engine/values";
import { f } from "@sluice/model";
import { readAhead, readJson, toPlainJson } from "../language-values/json-input.ts";
import { idOption, isOn, resultTypeOption, sourceOption, trimOption } from "../language-values/language-options.ts";
import { compileResultType, isListType } from "../language-values/result-type.ts";
import { compileSource } from "../language-values/source.ts";
import { expandEasyPredicate } from "./easy-predicate.ts";
import { absent } from "./json-access.ts";
import { compilePath } from "./path-compiler.ts";
import { parsePath } from "./path-parser.ts";
import { extractPlaceholders } from "./path-scanner.ts";

type Options = Readonly<Record<string, string>>;

/** JSONPath in the Jayway dialect: a definite path returns one value, any other a list. */
export const jsonpath = defineLanguage({
  name: "jsonpath",
  costly: true,
  title: "JSONPath",
  summary: "Selects values of a JSON message with a path such as $.order.lines[?(@.qty > 1)].sku.",
  group: "language",
  icon: "braces",
  since: "0.1",
  options: {
    resultType: resultTypeOption,
    source: sourceOption,
    suppressExceptions: f.boolean({ doc: "Returns null instead of failing when the path does not match.", default: false }),
    unpackArray: f.boolean({ doc: "Returns the item itself if the result is a list with one item.", default: false }),
    writeAsString: f.boolean({ doc: "Converts objects and lists of the result to JSON text.", default: false }),
    allowSimple: f.boolean({ doc: "Whether ${…} may be used for names and values in the path.", default: true, group: "advanced" }),
    allowEasyPredicate: f.boolean({ doc: "Whether the short form of predicates is allowed, as in order.total > 100.", default: true, group: "advanced" }),
    option: f.string({ doc: "Jayway options, separated by commas: ALWAYS_RETURN_LIST, SUPPRESS_EXCEPTIONS.", group: "advanced" }),
    trim: trimOption,
    id: idOption,
  },
  examples: [
    { title: "One value", yaml: 'setBody: {jsonpath: "$.customer.name"}', given: { body: '{"customer":{"name":"Ada"}}' }, expect: { body: "Ada" } },
    {
      title: "A list of all matches",
      yaml: 'setBody: {jsonpath: "$.lines[?(@.qty > 1)].sku"}',
      given: { body: '{"lines":[{"sku":"A","qty":1},{"sku":"B","qty":2}]}' },
      expect: { body: ["B"] },
    },
    {
      title: "Return null when nothing matches",
      yaml: 'setBody: {jsonpath: {expression: "$.customer.phone", suppressExceptions: true}}',
      given: { body: '{"customer":{}}' },
      expect: { body: null },
    },
    {
      title: "Fail when nothing matches",
      yaml: 'setBody: {jsonpath: "$.customer.phone"}',
      given: { body: '{"customer":{}}' },
      expect: { error: "No results for path" },
    },
    {
      title: "A short predicate",
      yaml: 'filter: {jsonpath: "total > 100", steps: [{setBody: {constant: large}}]}',
      given: { body: '{"total":150}' },
      expect: { body: "large" },
    },
  ],
  compile: (text, options, scope) => {
    const read = compileRead(text, options, scope);
    const convert = compileResultType(options["resultType"]);
    const unpack = isOn(options, "unpackArray") || options["resultType"] !== undefined;
    const keepsList = options["resultType"] === undefined ? !isOn(options, "unpackArray") : isListType(options["resultType"]);
    const asString = isOn(options, "writeAsString");
    return (exchange) => {
      const found = read(exchange);
      let value = found.source === undefined ? found.value : partOfJson(found.value, found.source);
      if (unpack && !keepsList && Array.isArray(value) && value.length === 1) value = (value as unknown[])[0];
      return convert(asString ? writeAsString(value) : value);
    };
  },
  compilePredicate: (text, options, scope) => {
    const read = compileRead(isOn(options, "allowEasyPredicate", true) ? expandEasyPredicate(text) : text, options, scope);
    return (exchange) => isTrue(read(exchange).value);
  },
});

interface Found {
  readonly value: unknown;
  /** Set when the value may be a part of this parsed body, which other readers use. */
  readonly source: unknown;
}

function compileRead(text: string, options: Options, scope: LanguageScope): Expression<Found> {
  const { marked, placeholders } = extractPlaceholders(text);
  if (/^\s*\uE000/.test(marked))
    throw new CompileError("jsonpath-dynamic", "a jsonpath cannot start with ${…}: a message must not choose the path", {
      hint: "start the path with $. and use ${…} for names and values in it",
    });
  const expressions = compilePlaceholders(placeholders, isOn(options, "allowSimple", true), scope);
  const path = compilePath(parsePath(marked));
  const source = compileSource(options["source"], scope);
  readAhead(source, scope);
  const jayway = readJaywayOptions(options["option"]);
  const suppress = isOn(options, "suppressExceptions") || jayway.has("SUPPRESS_EXCEPTIONS");
  const wrap = jayway.has("ALWAYS_RETURN_LIST") && path.definite;
  return (exchange) => {
    const raw = source(exchange);
    const root = readRoot(raw, exchange, suppress);
    const walk = { root, placeholders: expressions, exchange, visits: 0 };
    if (suppress && (root === null || root === undefined)) return { value: path.definite ? null : [], source: undefined };
    const value = suppress ? path.read(root, walk) : path.readStrict(root, walk);
    return { value: value === absent ? null : wrap ? [value] : value, source: root === raw ? undefined : raw };
  };
}

function readRoot(raw: unknown, exchange: Exchange, suppress: boolean): unknown {
  if (raw === null || raw === undefined) {
    if (suppress) return null;
    throw new FlowError("org.apache.camel.ExpressionEvaluationException", "jsonpath needs JSON, but there is no value to read", { code: "json-missing" });
  }
  return readJson(raw, exchange, "jsonpath");
}

function compilePlaceholders(placeholders: readonly string[], allowed: boolean, scope: LanguageScope): readonly Expression[] {
  if (placeholders.length === 0) return [];
  const simple = allowed ? scope.language("simple") : undefined;
  if (simple === undefined)
    throw new CompileError("jsonpath-simple", `\${…} is not allowed in this jsonpath: ${placeholders[0] ?? ""}`, { hint: "set allowSimple: true" });
  return placeholders.map((placeholder) => {
    const compiled = simple.compile(placeholder, {}, scope);
    return (exchange) => asText(compiled(exchange));
  });
}

const knownOptions: ReadonlySet<string> = new Set(["ALWAYS_RETURN_LIST", "SUPPRESS_EXCEPTIONS"]);

function readJaywayOptions(text: string | undefined): ReadonlySet<string> {
  const names = new Set(
    (text ?? "")
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== ""),
  );
  for (const name of names)
    if (!knownOptions.has(name)) throw new CompileError("jsonpath-option", `jsonpath option '${name}' is not supported; use ${[...knownOptions].join(" or ")}`);
  return names;
}

function writeAsString(value: unknown): unknown {
  if (Array.isArray(value)) return (value as unknown[]).map((item) => (typeof item === "string" ? item : JSON.stringify(toPlainJson(item))));
  return typeof value === "object" && value !== null ? JSON.stringify(toPlainJson(value)) : asText(value);
}
