// The source path of a value, computed only when an error needs it: nothing is tracked while mapping.
import type { Frame } from "./frame.ts";

/** A path expression: where it starts, and the names after that, as in `unit` (current item) and `$.a.b` (root). */
export interface Origin {
  readonly base: "item" | "root";
  /** Levels up from the frame the expression runs in. */
  readonly hops: number;
  /** The rest as written, without a leading dot. */
  readonly text: string;
}

const maxVisited = 200_000;

export function sourceText(origin: Origin, frame: Frame): string {
  const base = origin.base === "root" ? "" : itemPath(frameAt(frame, origin.hops));
  if (origin.text === "") return base === "" ? "$" : base;
  return base === "" || base === "$" ? origin.text : `${base}${origin.text.startsWith("[") ? "" : "."}${origin.text}`;
}

export function frameAt(frame: Frame, hops: number): Frame {
  let found = frame;
  for (let count = 0; count < hops; count++) found = found.up as Frame;
  return found;
}

/** The path of a level's item: by identity when it is an object, else from the list that the level iterates over. */
function itemPath(frame: Frame): string {
  const { item, run } = frame;
  if (item === run.root) return "";
  if (typeof item === "object" && item !== null) {
    const found = pathOf(run.root, item);
    if (found !== undefined) return found;
  }
  return frame.origin === undefined ? "" : `${frame.origin}[${frame.sourceIndex}]`;
}

/** Breadth-first, to find the shortest path; gives up on very large sources. */
function pathOf(root: unknown, target: object): string | undefined {
  const queue: { readonly value: unknown; readonly path: string }[] = [{ value: root, path: "" }];
  for (let at = 0; at < queue.length && at < maxVisited; at++) {
    const { value, path } = queue[at] as { value: unknown; path: string };
    if (value === target) return path;
    if (typeof value !== "object" || value === null) continue;
    if (Array.isArray(value)) {
      for (const [index, inner] of value.entries()) if (typeof inner === "object" && inner !== null) queue.push({ value: inner, path: `${path}[${index}]` });
    } else {
      const entries = value instanceof Map ? [...value] : Object.entries(value);
      for (const [name, inner] of entries) if (typeof inner === "object" && inner !== null) queue.push({ value: inner, path: joinPath(path, String(name)) });
    }
  }
  return undefined;
}

/** Appends a name to a path, in brackets when it is not a plain name. */
export function joinPath(path: string, name: string): string {
  if (!/^[\p{L}_$@#][\p{L}\p{N}_:.-]*$/u.test(name) || name.includes("."))
    return `${path}[${JSON.stringify(name).replaceAll("'", "\\'").replaceAll('"', "'")}]`;
  return path === "" ? name : `${path}.${name}`;
}
