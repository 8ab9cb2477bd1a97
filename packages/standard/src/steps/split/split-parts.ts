// The copies a split makes, one at a time: only the part at work and the one after it exist, however many there are.
import { copyExchange, each, Exchange, Message, type Host, type Processor } from "@sluice/engine/spi";
import type { Branch, Branches } from "../branch.ts";
import { isAsync, type Counted } from "../items.ts";

/** Parts that are counted without letting others have a turn. */
const countedAtOnce = 1000;

export interface PartOptions {
  readonly run: Processor;
  readonly host: Host;
  readonly streaming: boolean;
  readonly shareUnitOfWork: boolean;
}

export function splitParts(original: Exchange, { items, size }: Counted, options: PartOptions): Branches {
  if (isAsync(items)) return partsLater(original, items, options);
  if (options.streaming) return parts(original, items, undefined, options);
  if (size !== undefined) return parts(original, items, size, options);
  const first: unknown[] = [];
  while (first.length < countedAtOnce) {
    const next = items.next();
    if (next.done === true) return parts(original, first.values(), first.length, options);
    first.push(next.value);
  }
  return partsCounted(original, first, items, options);
}

/** Many parts whose number must be known first: counted in slices, so that others live meanwhile. */
async function* partsCounted(original: Exchange, all: unknown[], rest: Iterator<unknown>, options: PartOptions): AsyncGenerator<Branch> {
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

async function* partsLater(original: Exchange, items: AsyncIterator<unknown>, options: PartOptions): AsyncGenerator<Branch> {
  let index = 0;
  for (let current = await items.next(); current.done !== true; index++) {
    const next = await items.next();
    yield part(original, current.value, index, next.done === true, undefined, options);
    current = next;
  }
}

function part(original: Exchange, item: unknown, index: number, last: boolean, size: number | undefined, { run, host, shareUnitOfWork }: PartOptions): Branch {
  const copy = copyExchange(original, host.ids, { message: messageOf(item, original), branch: true });
  if (!shareUnitOfWork && original.original !== undefined) copy.original = copy.message.copy();
  copy.setProperty("CamelSplitIndex", index);
  copy.setProperty("CamelSplitComplete", last);
  const known = size ?? (last ? index + 1 : undefined);
  if (known === undefined) copy.removeProperty("CamelSplitSize");
  else copy.setProperty("CamelSplitSize", known);
  return { copy, run };
}

function messageOf(item: unknown, original: Exchange): Message {
  if (item instanceof Message) return item.copy();
  if (item instanceof Exchange) return item.message.copy();
  return new Message(item, original.message.headers.copy());
}
