// Converts flat sequences of tagged records (EDI segments, fixed-width lines) to trees: the first record of a loop contains the following
// records with the loop's tags, until another tag appears.
import { isPlainObject, setEntry } from "@sluice/engine/values";
import type { SideReport } from "./message-format.ts";

export type Loops = ReadonlyMap<string, ReadonlySet<string>>;

export interface TaggedRecord {
  readonly tag: string;
  readonly fields: Record<string, unknown>;
}

export function readLoops(value: unknown, report: SideReport): Loops {
  if (value === undefined) return new Map();
  const entries = isPlainObject(value) ? Object.entries(value) : undefined;
  if (entries === undefined || entries.some(([, tags]) => !Array.isArray(tags) || tags.some((tag) => typeof tag !== "string"))) {
    report("loops", 'expected an object such as {"LIN": ["QTY", "PRI"]}');
    return new Map();
  }
  return new Map(entries.map(([tag, tags]) => [tag, new Set(tags as readonly string[])]));
}

/** The records as a tree; a tag that leads a loop is always a list, any other only when it repeats. */
export function nestRecords(records: readonly TaggedRecord[], loops: Loops): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  const openLoops: { readonly members: ReadonlySet<string>; readonly node: Record<string, unknown> }[] = [];
  for (const { tag, fields } of records) {
    while (openLoops.length > 0 && openLoops.at(-1)?.members.has(tag) !== true) openLoops.pop();
    add(openLoops.at(-1)?.node ?? root, tag, fields, loops.has(tag));
    const members = loops.get(tag);
    if (members !== undefined) openLoops.push({ members, node: fields });
  }
  return root;
}

function add(node: Record<string, unknown>, tag: string, fields: unknown, isLoop: boolean): void {
  const existing = Object.hasOwn(node, tag) ? node[tag] : undefined;
  if (Array.isArray(existing)) existing.push(fields);
  else if (existing !== undefined) setEntry(node, tag, [existing, fields]);
  else setEntry(node, tag, isLoop ? [fields] : fields);
}
