// The operator's own functions: exports of one module that is configured at start. Flows call them by name with `process`, `bean` and
// every other option that names a bean; nothing else of the module or the process is reachable from a flow.
import { stat } from "node:fs/promises";
import { CompileError, type BeanDeclaration, type BeanObject } from "@sluice/engine";
import { importOperatorModule } from "./import-operator-module.ts";
import { isClass, methodsOf, objectOf, type OperatorClass } from "./operator-object.ts";
import type { PluginProblem } from "./plugin-error.ts";

/** Changes whenever the file does; undefined while it does not exist. */
export async function stampOfFile(path: string): Promise<string | undefined> {
  const stats = await stat(path, { bigint: true }).catch(() => undefined);
  return stats && `${stats.mtimeNs}-${stats.size}`;
}

/**
 * Returns a bean for every exported function, object and class. Each flow that names a class under `beans` gets its own instance. `version`
 * distinguishes a changed module from the one imported before.
 */
export async function loadFunctions(path: string, version?: string): Promise<readonly BeanDeclaration[] | PluginProblem> {
  let module: Readonly<Record<string, unknown>>;
  try {
    module = await importOperatorModule(path, version);
  } catch (error) {
    return {
      code: "plugin-failed",
      file: path,
      message: `cannot load the functions in '${path}': ${error instanceof Error ? error.message : String(error)}`,
      fix: "correct SERVICE_FUNCTIONS or the module",
    };
  }
  const found = Object.entries(module).flatMap(([name, value]) => declarationsOf(name, value));
  if (found.length > 0) return found;
  return { code: "plugin-invalid", file: path, message: `'${path}' exports no function`, fix: "export the functions that flows call" };
}

function declarationsOf(name: string, value: unknown): readonly BeanDeclaration[] {
  if (isClass(value))
    return [
      {
        ...describeFunction(name, "A class supplied by the operator."),
        kind: "object",
        acceptsAnyProperty: true,
        create: (properties) => createInstance(name, value, properties),
      },
    ];
  if (typeof value === "function") return [{ ...describeFunction(name), kind: "function", create: () => value }];
  if (typeof value !== "object" || value === null) return [];
  const methods = methodsOf(value);
  if (methods.size === 0) return [];
  return [
    { ...describeFunction(name, "An object supplied by the operator."), kind: "object", create: () => ({ methods }) },
    // The names by which mappings and `${function(…)}` call them.
    ...[...methods].map(([method, call]): BeanDeclaration => ({ ...describeFunction(`${name}.${method}`), kind: "function", create: () => call })),
  ];
}

function createInstance(name: string, operatorClass: OperatorClass, properties: unknown): BeanObject {
  try {
    return objectOf(new operatorClass(properties as Readonly<Record<string, string>>));
  } catch (error) {
    throw new CompileError(
      "bean-failed",
      `cannot create an instance of the operator's class '${name}': ${error instanceof Error ? error.message : String(error)}`,
      {
        hint: "correct the bean's properties, or the class in the module of SERVICE_FUNCTIONS",
      },
    );
  }
}

function describeFunction(name: string, summary = "A function supplied by the operator."): Omit<BeanDeclaration, "kind" | "create"> {
  return { names: [name], properties: {}, title: name, summary, group: "functions", since: "0.1" };
}
