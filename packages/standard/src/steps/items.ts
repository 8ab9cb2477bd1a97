// What a value holds, one by one, as split and recipientList take it apart.
import { asText, Exchange, Message } from "@sluice/engine/spi";

export type Items = Iterator<unknown> | AsyncIterator<unknown>;

/** The items of a value and, where it can be told without taking it apart, their number. */
export interface Counted {
  readonly items: Items;
  readonly size: number | undefined;
}

/** How text is taken apart: at a delimiter, not at all ("false"), or never anything at all ("single"). */
export type Delimiter = string;

/** Lists and iterators give their items, text its parts, null nothing, anything else itself. */
export function itemsOf(value: unknown, delimiter: Delimiter): Items {
  return countedItems(value, delimiter).items;
}

/** As {@link itemsOf}; long text is counted but not yet cut, so that a million parts cost nothing until they are taken. */
export function countedItems(value: unknown, delimiter: Delimiter): Counted {
  if (value === null || value === undefined) return list([]);
  if (delimiter === "single") return list([value]);
  if (typeof value === "string") return textItems(value, delimiter);
  if (value instanceof Uint8Array) return delimiter === "false" ? list([value]) : textItems(asText(value), delimiter);
  if (Array.isArray(value)) return list(value);
  if (value instanceof Map || value instanceof Message || value instanceof Exchange) return list([value]);
  const items = iteratorOf(value);
  return items === undefined ? list([value]) : { items, size: undefined };
}

function list(values: readonly unknown[]): Counted {
  return { items: values.values(), size: values.length };
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

function textItems(text: string, delimiter: Delimiter): Counted {
  if (text === "") return list([]);
  if (delimiter === "false" || delimiter === "") return list([text]);
  let size = 0;
  let from = 0;
  for (let at = text.indexOf(delimiter); at >= 0; at = text.indexOf(delimiter, from)) {
    size++;
    from = at + delimiter.length;
  }
  return { items: parts(text, delimiter), size: from < text.length ? size + 1 : size };
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

/** Lists of `length` items each, the last one shorter. */
export function inGroups({ items, size }: Counted, length: number): Counted {
  return { items: isAsync(items) ? groupedLater(items, length) : grouped(items, length), size: size === undefined ? undefined : Math.ceil(size / length) };
}

function* grouped(items: Iterator<unknown>, size: number): Generator<readonly unknown[]> {
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

async function* groupedLater(items: AsyncIterator<unknown>, size: number): AsyncGenerator<readonly unknown[]> {
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
