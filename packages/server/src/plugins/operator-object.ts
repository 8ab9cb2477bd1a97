import type { BeanFunction, BeanObject } from "@sluice/engine";

export type OperatorClass = new (properties: Readonly<Record<string, string>>) => object;

export const isClass = (value: unknown): value is OperatorClass => typeof value === "function" && /^class\b/.test(Function.prototype.toString.call(value));

/** The methods of an object and of its class, bound to the object, except the constructor and names that begin with `_`. */
export function methodsOf(object: object): ReadonlyMap<string, BeanFunction> {
  const methods = new Map<string, BeanFunction>();
  for (let owner: object | null = object; owner !== null && owner !== Object.prototype; owner = Object.getPrototypeOf(owner) as object | null) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
      if (typeof value !== "function" || isClass(value) || name === "constructor" || name.startsWith("_") || methods.has(name)) continue;
      methods.set(name, (value as BeanFunction).bind(object));
    }
  }
  return methods;
}

/** The bean of an object that was created for a flow; its `start` and `stop` are called when the flow starts and stops. */
export function objectOf(instance: object): BeanObject {
  const methods = methodsOf(instance);
  const [start, stop] = [methods.get("start"), methods.get("stop")] as (BeanObject["start"] | undefined)[];
  return { methods, ...(start === undefined ? {} : { start }), ...(stop === undefined ? {} : { stop }) };
}
