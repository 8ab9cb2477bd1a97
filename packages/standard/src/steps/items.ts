// Iterates over the items of a value, for split and recipientList.
import { isExchange, isMessage } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";

export type Items = Iterator<unknown> | AsyncIterator<unknown>;

/** The items of a value and, when known without iterating, their number. */
export interface CountedItems {
  readonly items: Items;
  readonly size: number | undefined;
}

/** The delimiter of text; "false" does not split text, and "single" treats any value as one item. */
export type Delimiter = string;

/** The items of a value. */
export function itemsOf(value: unknown, delimiter: Delimiter): Items {
  return countedItems(value, delimiter).items;
}

/** Like {@link itemsOf}, with the number of items. Text is split on demand, so that parts take memory only when they are read. */
export function countedItems(value: unknown, delimiter: Delimiter): CountedItems {
  if (value === null || value === undefined) return list([]);
  if (delimiter === "single") return list([value]);
  if (typeof value === "string") return textItems(value, delimiter);
  if (value instanceof Uint8Array) return delimiter === "false" ? list([value]) : textItems(asText(value), delimiter);
  if (Array.isArray(value)) return list(value);
  if (value instanceof Map || isMessage(value) || isExchange(value)) return list([value]);
  const items = iteratorOf(value);
  return items === undefined ? list([value]) : { items, size: undefined };
}

function list(values: readonly unknown[]): CountedItems {
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

function textItems(text: string, delimiter: Delimiter): CountedItems {
  if (text === "") return list([]);
  if (delimiter === "false" || delimiter === "") return list([text]);
  const [count, end] = countDelimiters(text, delimiter);
  return { items: parts(text, delimiter), size: end < text.length ? count + 1 : count };
}

/** The number of delimiters and the end of the last one. Reads each character: a call to `indexOf` per part takes 25 times as long. */
function countDelimiters(text: string, delimiter: string): readonly [count: number, end: number] {
  const first = delimiter.charCodeAt(0);
  let count = 0;
  let end = 0;
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) !== first || (delimiter.length > 1 && !text.startsWith(delimiter, at))) continue;
    count++;
    end = at + delimiter.length;
    at = end - 1;
  }
  return [count, end];
}

/** Keeps spaces and empty parts; a trailing delimiter adds no part. Lazy, so that long text is not copied. */
function* parts(text: string, delimiter: string): Generator<string> {
  let from = 0;
  for (let at = text.indexOf(delimiter); at >= 0; at = text.indexOf(delimiter, from)) {
    yield text.slice(from, at);
    from = at + delimiter.length;
  }
  if (from < text.length) yield text.slice(from);
}

/** Groups the items into lists of `length` items; the last list may be shorter. */
export function inGroups({ items, size }: CountedItems, length: number): CountedItems {
  return {
    items: isAsync(items) ? groupItemsAsync(items, length) : groupItems(items, length),
    size: size === undefined ? undefined : Math.ceil(size / length),
  };
}

function* groupItems(items: Iterator<unknown>, size: number): Generator<readonly unknown[]> {
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

async function* groupItemsAsync(items: AsyncIterator<unknown>, size: number): AsyncGenerator<readonly unknown[]> {
  let group: unknown[] = [];
  try {
    for (let next = await items.next(); next.done !== true; next = await items.next()) {
      group.push(next.value);
      if (group.length === size) {
        yield group;
        group = [];
      }
    }
    if (group.length > 0) yield group;
  } finally {
    await items.return?.();
  }
}
