// What a runtime adds to mapping documents: its other languages, with the current item as the body of a message of its
// own, and the functions of the operator.
import { Exchange, Headers, Message, Run, type Catalog, type Host, type LanguageScope, type RouteIdentity } from "@sluice/engine/spi";
import type { MappingEnvironment } from "./message-mapping/compile/document-context.ts";

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
  return (name, text) => {
    const language = catalog.languages.get(name);
    if (language === undefined) throw new Error(`unknown language '${name}'`);
    const expression = language.compile(text, {}, scope);
    return (body, headers) =>
      expression(
        new Exchange(
          "",
          new Run("", nowhere, 0, { uri: "" }),
          "InOut",
          new Message(body, headers instanceof Headers ? headers.copy() : Headers.of(headers.toObject())),
        ),
      );
  };
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
