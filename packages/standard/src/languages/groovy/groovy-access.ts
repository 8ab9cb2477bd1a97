// Reads and sets properties, items and entries of values.
import { Closure } from "./groovy-closure.ts";
import { bodyOf, exchangeMembers, ExchangeView, HeadersView, messageMembers, MessageView } from "./groovy-exchange.ts";
import { isMap, valueAt } from "./groovy-maps.ts";
import * as operators from "./groovy-operators.ts";

/** Views of the exchange are converted before they leave the script. */
export function plain(value: unknown): unknown {
  if (value instanceof HeadersView) return value.toObject();
  if (value instanceof MessageView) return bodyOf(value.exchange);
  return value instanceof ExchangeView || value instanceof Closure ? null : value;
}

export function asList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === null || value === undefined ? [] : [value];
}

export function memberOf(receiver: unknown, name: string, safe: boolean): unknown {
  if (receiver === null || receiver === undefined) {
    if (safe) return null;
    throw operators.fault("java.lang.NullPointerException", `Cannot get property '${name}' on null object`);
  }
  if (receiver instanceof HeadersView) return receiver.get(name);
  if (receiver instanceof ExchangeView && Object.hasOwn(exchangeMembers, name)) return exchangeMembers[name]?.(receiver);
  if (receiver instanceof MessageView && Object.hasOwn(messageMembers, name)) return messageMembers[name]?.(receiver);
  // Reading a property of a list reads it from each item.
  if (Array.isArray(receiver)) return receiver.map((item) => memberOf(item, name, true));
  if (isMap(receiver)) return valueAt(receiver, name);
  if (receiver instanceof Error && name === "message") return receiver.message;
  if (typeof receiver === "string" && name === "bytes") return new TextEncoder().encode(receiver);
  if (receiver instanceof Date && name === "time") return receiver.getTime();
  throw operators.fault("groovy.lang.MissingPropertyException", `groovy: ${operators.typeName(receiver)} has no property '${name}'`);
}

export function itemAt(receiver: unknown, index: unknown, safe: boolean): unknown {
  if (receiver === null || receiver === undefined) {
    if (safe) return null;
    throw operators.fault("java.lang.NullPointerException", "Cannot invoke method getAt() on null object");
  }
  if (receiver instanceof HeadersView) return receiver.get(operators.groovyText(index));
  if (Array.isArray(index))
    return typeof receiver === "string" ? index.map((at) => receiver.at(Number(at)) ?? "").join("") : index.map((at) => itemAt(receiver, at, safe));
  if (Array.isArray(receiver)) return operators.isNumber(index) ? (receiver.at(Number(index)) ?? null) : memberOf(receiver, operators.groovyText(index), safe);
  if (typeof receiver === "string") return receiver.at(Number(index)) ?? null;
  return isMap(receiver) ? valueAt(receiver, operators.groovyText(index)) : null;
}

export function assignEntry(container: unknown, key: string, value: unknown): void {
  if (container instanceof HeadersView) container.set(key, value);
  else if (container instanceof MessageView && key === "body") container.exchange.message.body = value;
  else if (container instanceof Map) container.set(key, value);
  else {
    const reason = isMap(container)
      ? `parsed JSON is shared; create a new map with + [${key}: …]`
      : "only headers, the body of the message and entries of maps can be set";
    throw operators.fault("groovy.lang.ReadOnlyPropertyException", `groovy: '${key}' of ${operators.typeName(container)} cannot be set: ${reason}`);
  }
}

export function isOfType(value: unknown, type: string): boolean {
  const name = type.slice(type.lastIndexOf(".") + 1);
  const actual = operators.typeName(value);
  if (name === "Number") return operators.isNumber(value);
  if (name === "Collection" || name === "Iterable" || name === "ArrayList") return actual === "List";
  if (name === "CharSequence") return actual === "String";
  return actual === name || (name === "Long" && actual === "Integer") || (name === "Object" && actual !== "null");
}
