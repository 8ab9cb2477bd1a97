// Makes the runtime's expression languages and the operator's functions available to mapping documents. An expression reads the current item as
// the body of a message of its own.
import {
  CompileError,
  Exchange,
  Headers,
  isHeaders,
  Message,
  Run,
  type BeanScope,
  type Catalog,
  type Expression,
  type Host,
  type LanguageScope,
  type RouteIdentity,
} from "@sluice/engine/spi";
import { asText, textForm } from "@sluice/engine/values";
import type { LanguageExpression, MappingEnvironment } from "./message-mapping/compile/document-context.ts";

const mappingRoute: RouteIdentity = { id: "message-mapping", flowId: "message-mapping", flowHash: "" };

export function mappingLanguages(catalog: Catalog, host: Host): NonNullable<MappingEnvironment["compileLanguage"]> {
  const scope: LanguageScope = {
    host,
    route: mappingRoute,
    property: () => undefined,
    language: (name) => catalog.languages.get(name),
    bean() {
      throw new Error("mapping expressions cannot use beans");
    },
  };
  return (name, text, xml) => {
    const language = catalog.languages.get(name);
    if (language === undefined) throw new Error(`unknown language '${name}'`);
    if (xml === undefined || language.group !== "xml") return toLanguageExpression(language.compile(text, {}, scope));
    const evaluate = toLanguageExpression(language.compile(text, { namespace: JSON.stringify(xml.namespaces) }, scope));
    return (item, headers, element) => plainResult(evaluate(xml.textOf(item, element), headers, element));
  };
}

function toLanguageExpression(expression: Expression): LanguageExpression {
  return (body, headers) => {
    const message = new Message(body, isHeaders(headers) ? headers.copy() : Headers.of(headers.toObject()));
    return expression(new Exchange("", new Run("", mappingRoute, 0, { uri: "" }), "InOut", message));
  };
}

/** The result of a query as data: nodes become their text, a list of one becomes its item, and an empty list becomes undefined. */
function plainResult(result: unknown): unknown {
  if (!Array.isArray(result)) return textOfNode(result);
  return result.length > 1 ? result.map(textOfNode) : textOfNode(result[0]);
}

function textOfNode(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !(textForm in value)) return value;
  const { textContent } = value as { textContent?: unknown };
  return typeof textContent === "string" ? textContent : asText(value);
}

/** A mapping document does not belong to a flow, so its functions have no beans or connections. */
const rejectFlowAccess = (): never => {
  throw new CompileError("bean-no-flow", "a function called from a mapping cannot use beans or connections of a flow");
};
const noFlow: BeanScope = { flowId: "", name: "mapping", bean: rejectFlowAccess, connection: rejectFlowAccess };

/** The operator's functions by name, called with the arguments of the expression. */
export function operatorFunctions(catalog: Catalog, host: Host): NonNullable<MappingEnvironment["functions"]> {
  return {
    get(name) {
      const bean = catalog.beans.get(name);
      return bean?.kind === "function" ? (bean.create({}, host, noFlow) as (...args: readonly unknown[]) => unknown) : undefined;
    },
  };
}
