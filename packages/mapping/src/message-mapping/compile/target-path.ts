// The `to` of a rule: names separated by dots, special names in brackets and quotes, positions in brackets, `[]` at the end for a list.
import { setEntry } from "@sluice/engine/values";

export interface TargetPath {
  readonly segments: readonly (string | number)[];
  /** Ends in `[]`: values are appended to a list. */
  readonly isList: boolean;
  /** As shown in messages, without the `[]`. */
  readonly text: string;
}

const segment = /(?:^|\.)([^.[\]'"\s](?:[^.[\]'"]*[^.[\]'"\s])?)|\['((?:[^'\\]|\\.)*)'\]|\[(\d{1,4})\]/y;
const maxSegments = 50;

/** Undefined when the text is not a target path. */
export function parseTargetPath(text: string): TargetPath | undefined {
  const isList = text.endsWith("[]");
  const plain = isList ? text.slice(0, -2) : text;
  const segments: (string | number)[] = [];
  let at = 0;
  while (at < plain.length) {
    segment.lastIndex = at;
    const match = segment.exec(plain);
    if (match === null || segments.length >= maxSegments) return undefined;
    const [, name, quoted, position] = match;
    segments.push(position !== undefined ? Number(position) : (name ?? (quoted as string).replaceAll(/\\(.)/g, "$1")));
    at = segment.lastIndex;
  }
  return segments.length === 0 || typeof segments[0] === "number" ? undefined : { segments, isList, text: plain };
}

export type Target = Record<string, unknown>;

/** Writes a value at the path; a path that ends in `[]` appends it to the list. */
export function targetSetter({ segments, isList }: TargetPath): (target: Target, value: unknown) => void {
  const [only] = segments;
  const put = isList ? appendTo : setAt;
  if (segments.length === 1 && typeof only === "string") {
    if (!isList && only !== "__proto__") {
      return (target, value) => {
        target[only] = value;
      };
    }
    return (target, value) => put(target, only, value);
  }
  const last = segments[segments.length - 1] as string | number;
  const parents = segments.slice(0, -1);
  return (target, value) => put(holderOf(target, parents, last, true) as Target, last, value);
}

/** How many items the list at the path already has. */
export function listLength({ segments }: TargetPath, target: Target): number {
  const last = segments[segments.length - 1] as string | number;
  const holder = segments.length === 1 ? target : holderOf(target, segments.slice(0, -1), last, false);
  const existing = holder === undefined ? undefined : read(holder, last);
  return Array.isArray(existing) ? existing.length : 0;
}

function holderOf(target: Target, parents: readonly (string | number)[], last: string | number, create: boolean): Target | undefined {
  let holder: Target = target;
  for (const [index, name] of parents.entries()) {
    const existing = read(holder, name);
    if (typeof existing === "object" && existing !== null) holder = existing as Target;
    else if (!create) return undefined;
    else {
      const created = (typeof (parents[index + 1] ?? last) === "number" ? [] : {}) as Target;
      setAt(holder, name, created);
      holder = created;
    }
  }
  return holder;
}

const read = (holder: Target, name: string | number): unknown => (Object.hasOwn(holder, name) ? holder[name as string] : undefined);

function setAt(holder: Target, name: string | number, value: unknown): void {
  if (name === "__proto__") setEntry(holder, name, value);
  else holder[name as string] = value;
}

function appendTo(holder: Target, name: string | number, value: unknown): void {
  const existing = read(holder, name);
  const items = Array.isArray(value) ? value : [value];
  if (Array.isArray(existing)) for (const item of items) existing.push(item);
  else setAt(holder, name, items);
}
