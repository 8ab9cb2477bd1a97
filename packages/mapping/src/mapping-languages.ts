// What a runtime adds to mapping documents: its other languages, with the current item as the body of a message of its
// own, and the functions of the operator.
import {
  asText,
  Exchange,
  Headers,
  Message,
  Run,
  textForm,
  type Catalog,
  type Expression,
  type Host,
  type LanguageScope,
  type RouteIdentity,
} from "@sluice/engine/spi";
import type { LanguageExpression, MappingEnvironment } from "./message-mapping/compile/document-context.ts";

const nowhere: RouteIdentity = { id: "message-mapping", flowId: "message-mapping", flowHash: "" };

export function mappingLanguages(catalog: Catalog, host: Host): NonNullable<MappingEnvironment["compileLanguage"]> {
  const scope: LanguageScope = {
    host,
    route: nowhere,
    property: () => undefined,
    language: (name) => catalog.languages.get(name),
    bean() {
      throw new Error("expressions of a message mapping cannot use beans");
    },
  };
  return (name, text, xml) => {
    const language = catalog.languages.get(name);
    if (language === undefined) throw new Error(`unknown language '${name}'`);
    if (xml === undefined || language.group !== "xml") return evaluating(language.compile(text, {}, scope));
    const evaluate = evaluating(language.compile(text, { namespace: JSON.stringify(xml.namespaces) }, scope));
    return (item, headers, element) => plainResult(evaluate(xml.textOf(item, element), headers, element));
  };
}

function evaluating(expression: Expression): LanguageExpression {
  return (body, headers) => {
    const message = new Message(body, headers instanceof Headers ? headers.copy() : Headers.of(headers.toObject()));
    return expression(new Exchange("", new Run("", nowhere, 0, { uri: "" }), "InOut", message));
  };
}

/** What a query found, as data: nodes are the text in them, one of them stands for itself, none is nothing. */
function plainResult(found: unknown): unknown {
  if (!Array.isArray(found)) return textOfNode(found);
  return found.length > 1 ? found.map(textOfNode) : textOfNode(found[0]);
}

function textOfNode(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !(textForm in value)) return value;
  const { textContent } = value as { textContent?: unknown };
  return typeof textContent === "string" ? textContent : asText(value);
}

/** The operator's functions by name, called with the arguments of the expression. */
export function operatorFunctions(catalog: Catalog, host: Host): NonNullable<MappingEnvironment["functions"]> {
  return {
    get(name) {
      const bean = catalog.beans.get(name);
      return bean?.kind === "function" ? (bean.create({}, host) as (...args: readonly unknown[]) => unknown) : undefined;
    },
  };
}
