// Creates the copies of a split on demand. Without streaming, the items of a synchronous iterator are read first, because each part has the property
// CamelSplitSize.
import { Exchange, isExchange, Message, isMessage, type Host, type Processor } from "@sluice/engine/spi";
import { copyExchange, each } from "@sluice/engine/tools";
import type { Branch, Branches } from "../branch.ts";
import { isAsync, type CountedItems } from "../items.ts";

/** Maximum number of parts that are counted without yielding. */
const maxCountedSync = 1000;

export interface PartOptions {
  readonly run: Processor;
  readonly host: Host;
  readonly streaming: boolean;
  readonly shareUnitOfWork: boolean;
}

export function splitParts(original: Exchange, { items, size }: CountedItems, options: PartOptions): Branches {
  if (isAsync(items)) return asyncParts(original, items, options);
  if (options.streaming) return parts(original, items, undefined, options);
  if (size !== undefined) return parts(original, items, size, options);
  const first: unknown[] = [];
  while (first.length < maxCountedSync) {
    const next = items.next();
    if (next.done === true) return parts(original, first.values(), first.length, options);
    first.push(next.value);
  }
  return countAndSplit(original, first, items, options);
}

/** Counts many parts in slices, so that other runs make progress. */
async function* countAndSplit(original: Exchange, all: unknown[], rest: Iterator<unknown>, options: PartOptions): AsyncGenerator<Branch> {
  await each(rest, (item) => void all.push(item), options.host.clock);
  yield* parts(original, all.values(), all.length, options);
}

function* parts(original: Exchange, items: Iterator<unknown>, size: number | undefined, options: PartOptions): Generator<Branch> {
  let index = 0;
  for (let current = items.next(); current.done !== true; index++) {
    const next = items.next();
    yield part(original, current.value, index, next.done === true, size, options);
    current = next;
  }
}

/** Closes the stream, such as an open file, even if the split stops before its end. */
async function* asyncParts(original: Exchange, items: AsyncIterator<unknown>, options: PartOptions): AsyncGenerator<Branch> {
  let index = 0;
  try {
    for (let current = await items.next(); current.done !== true; index++) {
      const next = await items.next();
      yield part(original, current.value, index, next.done === true, undefined, options);
      current = next;
    }
  } finally {
    await items.return?.();
  }
}

function part(original: Exchange, item: unknown, index: number, last: boolean, size: number | undefined, { run, host, shareUnitOfWork }: PartOptions): Branch {
  const copy = copyExchange(original, host.ids, { message: messageOf(item, original), branch: true });
  if (!shareUnitOfWork && original.original !== undefined) copy.original = copy.message.copy();
  copy.setProperty("CamelSplitIndex", index);
  copy.setProperty("CamelSplitComplete", last);
  const count = size ?? (last ? index + 1 : undefined);
  if (count === undefined) copy.removeProperty("CamelSplitSize");
  else copy.setProperty("CamelSplitSize", count);
  return { copy, run };
}

function messageOf(item: unknown, original: Exchange): Message {
  if (isMessage(item)) return item.copy();
  if (isExchange(item)) return item.message.copy();
  return new Message(item, original.message.headers.copy());
}
