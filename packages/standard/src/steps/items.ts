// What a value holds, one by one, as split and recipientList take it apart.
import { asText, Exchange, Message } from "@sluice/engine/spi";

export type Items = Iterator<unknown> | AsyncIterator<unknown>;

/** How text is taken apart: at a delimiter, not at all ("false"), or never anything at all ("single"). */
export type Delimiter = string;

/** Lists and iterators give their items, text its parts, null nothing, anything else itself. */
export function itemsOf(value: unknown, delimiter: Delimiter): Items {
  if (value === null || value === undefined) return [].values();
  if (delimiter === "single") return [value].values();
  if (typeof value === "string") return textItems(value, delimiter);
  if (value instanceof Uint8Array) return delimiter === "false" ? [value].values() : textItems(asText(value), delimiter);
  if (Array.isArray(value)) return value.values();
  if (value instanceof Map || value instanceof Message || value instanceof Exchange) return [value].values();
  return iteratorOf(value) ?? [value].values();
}

export function isAsync<T>(items: Iterator<T> | AsyncIterator<T>): items is AsyncIterator<T> {
  return Symbol.asyncIterator in items;
}

function iteratorOf(value: unknown): Items | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (Symbol.asyncIterator in value) {
    const items = (value as AsyncIterable<unknown>)[Symbol.asyncIterator]();
    return isAsync(items) ? items : Object.assign(items, { [Symbol.asyncIterator]: () => items });
  }
  if (Symbol.iterator in value) return (value as Iterable<unknown>)[Symbol.iterator]();
  return "next" in value && typeof value.next === "function" ? (value as Iterator<unknown>) : undefined;
}

function textItems(text: string, delimiter: Delimiter): Iterator<string> {
  if (text === "") return ([] as string[]).values();
  return delimiter === "false" || delimiter === "" ? [text].values() : parts(text, delimiter);
}

/** Blanks and empty parts are kept; a delimiter at the very end adds no further part. Lazy, so that long text stays one text. */
function* parts(text: string, delimiter: string): Generator<string> {
  let from = 0;
  for (let at = text.indexOf(delimiter); at >= 0; at = text.indexOf(delimiter, from)) {
    yield text.slice(from, at);
    from = at + delimiter.length;
  }
  if (from < text.length) yield text.slice(from);
}

/** Lists of `size` items each, the last one shorter. */
export function* grouped(items: Iterator<unknown>, size: number): Generator<readonly unknown[]> {
  let group: unknown[] = [];
  for (let next = items.next(); next.done !== true; next = items.next()) {
    group.push(next.value);
    if (group.length === size) {
      yield group;
      group = [];
    }
  }
  if (group.length > 0) yield group;
}

export async function* groupedLater(items: AsyncIterator<unknown>, size: number): AsyncGenerator<readonly unknown[]> {
  let group: unknown[] = [];
  for (let next = await items.next(); next.done !== true; next = await items.next()) {
    group.push(next.value);
    if (group.length === size) {
      yield group;
      group = [];
    }
  }
  if (group.length > 0) yield group;
}
