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
  return (target, value) => put(containerOf(target, parents, last, true) as Target, last, value);
}

/** How many items the list at the path already has. */
export function listLength({ segments }: TargetPath, target: Target): number {
  const last = segments[segments.length - 1] as string | number;
  const container = segments.length === 1 ? target : containerOf(target, segments.slice(0, -1), last, false);
  const existing = container === undefined ? undefined : read(container, last);
  return Array.isArray(existing) ? existing.length : 0;
}

function containerOf(target: Target, parents: readonly (string | number)[], last: string | number, create: boolean): Target | undefined {
  let container: Target = target;
  for (const [index, name] of parents.entries()) {
    const existing = read(container, name);
    if (typeof existing === "object" && existing !== null) container = existing as Target;
    else if (!create) return undefined;
    else {
      const created = (typeof (parents[index + 1] ?? last) === "number" ? [] : {}) as Target;
      setAt(container, name, created);
      container = created;
    }
  }
  return container;
}

const read = (container: Target, name: string | number): unknown => (Object.hasOwn(container, name) ? container[name as string] : undefined);

function setAt(container: Target, name: string | number, value: unknown): void {
  if (name === "__proto__") setEntry(container, name, value);
  else container[name as string] = value;
}

function appendTo(container: Target, name: string | number, value: unknown): void {
  const existing = read(container, name);
  const items = Array.isArray(value) ? value : [value];
  if (Array.isArray(existing)) for (const item of items) existing.push(item);
  else setAt(container, name, items);
}
