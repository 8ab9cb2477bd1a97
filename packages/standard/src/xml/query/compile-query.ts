// An XPath or XQuery expression, checked at deploy time and evaluated with bounded work. The languages convert the results.
import fontoxpath from "fontoxpath";
import { CompileError, FlowError, isFlowError, type Exchange, type LanguageScope } from "@sluice/engine/spi";
import { nodeTypes } from "../node-type.ts";
import type { XmlNode } from "../xml-node.ts";
import { boundLoops, hasLoops } from "./bound-loops.ts";
import { type QueryContext, asItems, knownNamespaces, resolveFunction } from "./query-functions.ts";
import { documentWriter, nodesFactory } from "./query-nodes.ts";
import { WorkMeter } from "./work-meter.ts";

export type QueryLanguage = "xpath" | "xquery";
type Returns = "all" | "boolean";

export interface Query {
  /** False when the expression does not use the document, so that it need not be parsed. */
  readonly readsDocument: boolean;
  evaluate(context: XmlNode | null, exchange: Exchange, returns: Returns): unknown;
}

const maxExpressionLength = 10_000;
const documentReaders = new Set(["pathExpr", "rootExpr", "contextItemExpr", "stepExpr"]);
const contextFunctions = new Set([
  "position",
  "last",
  "root",
  "name",
  "local-name",
  "namespace-uri",
  "string",
  "number",
  "normalize-space",
  "string-length",
  "path",
  "lang",
  "id",
  "data",
]);

/** Compiles an expression; throws a CompileError with the position of the mistake. */
export function compileQuery(text: string, language: QueryLanguage, namespaces: Readonly<Record<string, string>>, scope: LanguageScope): Query {
  if (text.trim() === "") throw new CompileError(`${language}-syntax`, `the ${language} expression is empty`);
  if (text.length > maxExpressionLength)
    throw new CompileError(`${language}-length`, `the ${language} expression is longer than ${maxExpressionLength} characters`);
  const options = engineOptions(language, namespaces);
  const tree = parse(text, language, options);
  const names = referencedVariables(tree);
  checkNames(text, tree, language, options, names);
  const script = hasLoops(tree) ? boundLoops(tree) : text;
  const simple = simpleCompiler(scope);
  return {
    readsDocument: [...descendants(tree)].some(
      (node) => documentReaders.has(node.localName) || (node.localName === "functionName" && contextFunctions.has(node.textContent)),
    ),
    evaluate(document, exchange, returns) {
      const meter = new WorkMeter(scope.host.clock);
      const context: QueryContext = { exchange, scope, meter, simple: (source) => simple(source)(exchange), failure: undefined };
      const returnType = returns === "boolean" ? fontoxpath.ReturnType.BOOLEAN : fontoxpath.ReturnType.ALL_RESULTS;
      try {
        return fontoxpath.evaluateXPath(script, document, meter.facade(), variables(names, exchange), returnType, {
          ...options,
          currentContext: context,
        });
      } catch (cause) {
        throw context.failure ?? evaluationError(text, language, cause);
      }
    },
  };
}

type EngineOptions = NonNullable<Parameters<typeof fontoxpath.evaluateXPath>[5]>;

function engineOptions(language: QueryLanguage, namespaces: Readonly<Record<string, string>>): EngineOptions {
  const all = new Map(Object.entries({ ...knownNamespaces, ...namespaces }));
  return {
    language: language === "xpath" ? fontoxpath.Language.XPATH_3_1_LANGUAGE : fontoxpath.Language.XQUERY_3_1_LANGUAGE,
    namespaceResolver: (prefix) => all.get(prefix) ?? null,
    functionNameResolver: ({ prefix, localName }, arity) => {
      if (prefix === "" || prefix === "fn") return resolveFunction(localName, arity, language === "xpath");
      // Null makes the engine use the prefixes that the query declares.
      const namespaceURI = all.get(prefix);
      return (namespaceURI === undefined ? null : { namespaceURI, localName }) as { namespaceURI: string; localName: string };
    },
    nodesFactory,
    documentWriter,
    logger: { trace: () => undefined },
    xmlSerializer: { serializeToString: String },
  };
}

function parse(text: string, language: QueryLanguage, options: EngineOptions): XmlNode {
  try {
    return fontoxpath.parseScript(text, { ...options, annotateAst: false }, nodesFactory, documentWriter) as unknown as XmlNode;
  } catch (cause) {
    throw syntaxError(text, language, cause);
  }
}

/** The engine resolves function names and prefixes on first compilation: trigger it now, without running anything. */
function checkNames(text: string, tree: XmlNode, language: QueryLanguage, options: EngineOptions, names: readonly string[]): void {
  if ([...descendants(tree)].some((node) => node.localName === "prolog" || node.localName === "versionDecl")) return;
  try {
    fontoxpath.evaluateXPath(
      `if (false()) then (${text}\n) else ()`,
      null,
      null,
      Object.fromEntries(names.map((name) => [name, null])),
      fontoxpath.ReturnType.ALL_RESULTS,
      options,
    );
  } catch (cause) {
    throw syntaxError(text, language, cause);
  }
}

function syntaxError(text: string, language: QueryLanguage, cause: unknown): CompileError {
  const { reason, line, column } = messageOf(cause);
  const offset =
    line === undefined
      ? undefined
      : text
          .split("\n")
          .slice(0, line - 1)
          .reduce((sum, previousLine) => sum + previousLine.length + 1, 0) +
        (column as number) -
        1;
  return new CompileError(`${language}-syntax`, `the ${language} expression is invalid: ${reason}`, offset === undefined ? {} : { offset });
}

function evaluationError(text: string, language: QueryLanguage, cause: unknown): FlowError {
  if (isFlowError(cause)) return cause;
  if (cause instanceof RangeError)
    return new FlowError("java.lang.IllegalStateException", `call depth: the ${language} expression recurses too deeply or creates too much data`, {
      code: "limit-call-depth",
      cause,
    });
  const excerpt = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  return new FlowError("org.apache.camel.ExpressionEvaluationException", `${language} '${excerpt}' failed: ${messageOf(cause).reason}`, {
    code: `${language}-failed`,
    cause,
  });
}

/** The engine's messages quote the whole source with line numbers; keep one sentence. */
function messageOf(cause: unknown): { readonly reason: string; readonly line?: number; readonly column?: number } {
  const text = cause instanceof Error ? cause.message : String(cause);
  const position = / at <[^>]*>:(\d+):(\d+) - /.exec(text);
  const reason = (/(?:Error: )?(\b(?:X[A-Z]{3}|F[A-Z]{3})\d{4}\b[\s\S]*?)(?:\n\s*at <|$)/.exec(text)?.[1] ?? text).trim().replaceAll(/(?<!\s)\s*\n\s*/g, " ");
  return position === null ? { reason } : { reason, line: Number(position[1]), column: Number(position[2]) };
}

function* descendants(node: XmlNode): Generator<XmlNode> {
  yield node;
  for (const child of node.childNodes) if (child.nodeType === nodeTypes.element) yield* descendants(child);
}

function referencedVariables(tree: XmlNode): readonly string[] {
  const names = new Set<string>();
  for (const node of descendants(tree)) if (node.localName === "varRef") names.add(node.textContent);
  return [...names];
}

/** `$name` is a variable, header or property of the message, in this order; `$body` its body. Names that the expression binds shadow them. */
function variables(names: readonly string[], exchange: Exchange): Record<string, unknown> | null {
  if (names.length === 0) return null;
  const values: Record<string, unknown> = {};
  for (const name of names) {
    const value = name === "body" ? exchange.message.body : (exchange.variable(name) ?? exchange.message.headers.get(name) ?? exchange.property(name));
    const items = asItems(value);
    values[name] = items.length === 1 ? items[0] : items.length === 0 ? null : items;
  }
  return values;
}

function simpleCompiler(scope: LanguageScope): (source: string) => (exchange: Exchange) => unknown {
  const cache = new Map<string, (exchange: Exchange) => unknown>();
  return (source) => {
    let expression = cache.get(source);
    if (expression === undefined) {
      const language = scope.language("simple");
      if (language === undefined)
        throw new FlowError("org.apache.camel.NoSuchLanguageException", "function:simple requires the language simple", { code: "language-unknown" });
      expression = language.compile(source, {}, scope);
      if (cache.size >= 64) cache.clear();
      cache.set(source, expression);
    }
    return expression;
  };
}
