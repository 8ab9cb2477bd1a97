import { CompileError, isFlowError, defineLanguage, type Expression, type LanguageScope } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { variableStorage } from "../simple/compile/access.ts";

export const variable = defineLanguage({
  name: "variable",
  title: "Variable",
  summary: "The value of a variable; `global:name` and `route:<routeId>:name` read variables of the runtime.",
  group: "language",
  icon: "variable",
  since: "0.1",
  options: {
    trim: f.boolean({ doc: "Accepted but ignored: the name is always trimmed.", default: true, group: "advanced" }),
    id: f.string({ doc: "Id of the expression, for tools.", group: "advanced" }),
  },
  examples: [{ title: "A variable as the body", yaml: "- setBody:\n    variable: count", given: { variables: { count: 3 } }, expect: { body: 3 } }],
  compile(text, _options, scope) {
    const name = text.trim();
    if (name === "") throw new CompileError("language-name-missing", "the name of the variable is missing", { offset: 0 });
    return readVariable(name, scope);
  },
});

/** Reads a variable by name and scope; an unknown scope is a compile error. */
export function readVariable(name: string, scope: LanguageScope): Expression {
  try {
    const { shared, key } = variableStorage(name);
    return shared ? () => scope.host.globals.get(key) ?? null : (exchange) => exchange.variable(key) ?? null;
  } catch (fault) {
    if (isFlowError(fault)) throw new CompileError(fault.code, fault.message, { offset: 0 });
    throw fault;
  }
}
