// The expression languages of test sessions: Simple in mocks, JSONPath in assertions.
import { Exchange, Message, Run, type Catalog, type Expression, type Host, type JsonPath, type LanguageScope, type RouteIdentity } from "@sluice/engine";
import { Refusal } from "../refusal.ts";

const nowhere: RouteIdentity = { id: "test-session", flowId: "test-session", flowHash: "" };

export function createSessionLanguages(catalog: Catalog, host: Host): { compile(text: string): Expression; readonly jsonPath: JsonPath } {
  const scope: LanguageScope = {
    host,
    route: nowhere,
    property: () => undefined,
    language: (name) => catalog.languages.get(name),
    bean() {
      throw new Refusal("body-invalid", "expressions of a test session cannot use beans");
    },
  };

  function compileIn(language: string, text: string): Expression {
    const declaration = catalog.languages.get(language);
    if (declaration === undefined) throw new Refusal("body-invalid", `the language '${language}' is not available`);
    try {
      return declaration.compile(text, {}, scope);
    } catch (error) {
      throw new Refusal("body-invalid", `'${text.slice(0, 100)}' is not a valid ${language} expression: ${(error as Error).message}`);
    }
  }

  return {
    compile: (text) => compileIn("simple", text),
    jsonPath(path) {
      const find = compileIn("jsonpath", path);
      return (body) => {
        try {
          return find(new Exchange("", new Run("", nowhere, 0, { uri: "" }), "InOut", new Message(body)));
        } catch {
          return null;
        }
      };
    },
  };
}
