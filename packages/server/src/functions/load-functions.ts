// The operator's own functions: exports of one module, named when the runtime starts. Flows call them by name with `process`
// and `bean`; nothing else of the module or the process is reachable from a flow.
import { pathToFileURL } from "node:url";
import type { BeanDeclaration } from "@sluice/engine";

/** Every exported function, and every function of an exported object as `object.function`, as a bean. */
export async function loadFunctions(path: string): Promise<readonly BeanDeclaration[]> {
  let module: Readonly<Record<string, unknown>>;
  try {
    module = (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw new Error(`the functions in '${path}' cannot be loaded: ${(error as Error).message}`);
  }
  const found: BeanDeclaration[] = [];
  for (const [name, value] of Object.entries(module)) {
    if (typeof value === "function") found.push(declare(name, value));
    else if (typeof value === "object" && value !== null) {
      for (const [method, member] of Object.entries(value)) if (typeof member === "function") found.push(declare(`${name}.${method}`, member.bind(value)));
    }
  }
  if (found.length === 0) throw new Error(`'${path}' exports no function`);
  return found;
}

function declare(name: string, call: unknown): BeanDeclaration {
  return {
    names: [name],
    kind: "function",
    properties: {},
    title: name,
    summary: "A function of the operator.",
    group: "functions",
    since: "0.1",
    create: () => call,
  };
}
