// The expression languages of test and breakpoint sessions: Simple in mocks and conditions, JSONPath in assertions.
import { Exchange, Message, Run, type Catalog, type Expression, type Host, type JsonPath, type LanguageScope, type RouteIdentity } from "@sluice/engine";
import { isTrue } from "@sluice/engine/values";
import { ServiceError } from "../service-error.ts";

const sessionRoute: RouteIdentity = { id: "test-session", flowId: "test-session", flowHash: "" };

interface SessionLanguages {
  compile(text: string): Expression;
  compilePredicate(text: string): Expression<boolean>;
  readonly jsonPath: JsonPath;
}

export function createSessionLanguages(catalog: Catalog, host: Host): SessionLanguages {
  const scope: LanguageScope = {
    host,
    route: sessionRoute,
    property: () => undefined,
    language: (name) => catalog.languages.get(name),
    bean() {
      throw new ServiceError("body-invalid", "session expressions cannot use beans");
    },
  };

  function compileIn(language: string, text: string, asPredicate = false): Expression {
    const declaration = catalog.languages.get(language);
    if (declaration === undefined) throw new ServiceError("body-invalid", `the language '${language}' is not available`);
    try {
      return asPredicate && declaration.compilePredicate !== undefined ? declaration.compilePredicate(text, {}, scope) : declaration.compile(text, {}, scope);
    } catch (error) {
      throw new ServiceError("body-invalid", `'${text.slice(0, 100)}' is not a valid ${language} expression: ${(error as Error).message}`);
    }
  }

  return {
    compile: (text) => compileIn("simple", text),
    compilePredicate(text) {
      const evaluate = compileIn("simple", text, true);
      return (exchange) => isTrue(evaluate(exchange));
    },
    jsonPath(path) {
      const find = compileIn("jsonpath", path);
      return (body) => {
        try {
          return find(new Exchange("", new Run("", sessionRoute, 0, { uri: "" }), "InOut", new Message(body)));
        } catch {
          return null;
        }
      };
    },
  };
}
