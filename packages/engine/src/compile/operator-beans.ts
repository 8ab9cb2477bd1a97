// Beans that the operator implements in JavaScript: a function, or an object whose methods flows call. A name with a dot is tried as a whole, then as
// bean and method.
import { CompileError } from "../spi/compiler.ts";
import type { BeanFunction, BeanObject } from "../spi/bean-object.ts";
import { exportedName, isClassName, stubCommand, stubText, type StubKind } from "./function-stub.ts";

/** A bean of the flow with a type of the operator, or an export with that name. */
export type OperatorBean = { readonly kind: "function"; readonly instance: BeanFunction } | { readonly kind: "object"; readonly instance: BeanObject };

/** Finds a bean of the operator by name; undefined when there is none. */
export type FindOperatorBean = (name: string) => OperatorBean | undefined;

/** The method to call when a single function is needed, by kind of bean. */
const conventionalMethods: Readonly<Record<string, readonly string[]>> = {
  function: ["process"],
  "aggregation-strategy": ["aggregate"],
  comparator: ["compare"],
};

/** True for the kinds of beans that the operator can implement. */
export const isOperatorKind = (kind: string): kind is StubKind => Object.hasOwn(conventionalMethods, kind) || kind === "idempotent-repository";

/** The operator's function with this name, or the object for a repository; undefined when there is none. */
export function operatorBean(name: string, kind: string, find: FindOperatorBean): unknown {
  const exact = find(name);
  if (exact !== undefined) return exact.kind === "function" ? exact.instance : memberFor(exact.instance, name, kind);
  const dot = name.lastIndexOf(".");
  if (dot <= 0 || kind !== "function") return undefined;
  const [owner, method] = [name.slice(0, dot), name.slice(dot + 1)];
  const found = find(owner);
  if (found === undefined) return undefined;
  if (found.kind === "function")
    throw new CompileError("bean-unknown", `unknown bean '${name}': '${owner}' is a function and has no methods`, { hint: `use '${owner}' without a method` });
  const called = found.instance.methods.get(method);
  if (called !== undefined) return called;
  throw new CompileError("bean-unknown", `unknown bean '${name}': ${methodsText(owner, found.instance)}`, {
    hint: `add to '${exportedName(owner)}' in the module of SERVICE_FUNCTIONS: ${method}(exchange) { return exchange.message.body; }`,
  });
}

/** The method of an object that a bean of this kind needs; all methods for a repository. */
function memberFor(object: BeanObject, name: string, kind: string): unknown {
  if (kind === "idempotent-repository") return Object.fromEntries(object.methods);
  const conventional = conventionalMethods[kind]?.map((method) => object.methods.get(method)).find((method) => method !== undefined);
  if (conventional !== undefined) return conventional;
  const [only] = object.methods.values();
  if (only !== undefined && object.methods.size === 1) return only;
  throw new CompileError("bean-method", `'${name}' needs a method: ${methodsText(name, object)}`, {
    hint: object.methods.size === 0 ? "add a method to it" : "specify one of them as the method",
  });
}

const methodsText = (name: string, { methods }: BeanObject): string =>
  methods.size === 0 ? `'${name}' has no methods` : `'${name}' has the methods ${[...methods.keys()].join(", ")}`;

/** How to fix a missing bean. `owner` is the class of the flow's bean and the requested method, if the name has the form `bean.method`. */
export function missingBeanHint(name: string, kind: string, owner?: { readonly type: string; readonly method: string | undefined }): string {
  if (!isOperatorKind(kind) && kind !== "class") return "define it under beans, or use one of the built-in names";
  const dot = isClassName(name) || kind !== "function" ? -1 : name.lastIndexOf(".");
  const parts =
    owner === undefined ? { bean: dot < 0 ? name : name.slice(0, dot), method: dot < 0 ? undefined : name.slice(dot + 1) } : { ...owner, bean: owner.type };
  const stub = { bean: parts.bean, method: parts.method, kind };
  return `export it from the module of SERVICE_FUNCTIONS: ${stubText(stub)} (${stubCommand(stub)} writes it)`;
}
