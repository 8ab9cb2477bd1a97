// The meaning of names at one position of a document, known at compile time. One scope corresponds to one frame at run time.
import type { Shape } from "./shape.ts";

export interface Scope {
  /** The enclosing level whose names are visible; undefined at the boundaries of parts and functions. */
  readonly up: Scope | undefined;
  /** The name set with `as`, without its dollar sign. */
  readonly as: string | undefined;
  readonly isGrouped: boolean;
  /** True for levels that iterate and so define `$index`. */
  readonly isItem: boolean;
  /** The shape of the level's item, if a schema or sample defines it. */
  readonly shape: Shape | undefined;
  /** The name of the level's item where items are elements; undefined for the message itself. */
  readonly element: string | undefined;
  /** The arguments of a function; apart from them, a function can read only `$`, `$params`, `$headers` and variables. */
  readonly args: readonly string[] | undefined;
}

export function rootScope(shape: Shape | undefined, element?: string): Scope {
  return { up: undefined, as: undefined, isGrouped: false, isItem: false, shape, element, args: undefined };
}

/** Reserved names, without their dollar sign: a document must not define them. */
export const reservedNames: readonly string[] = ["item", "index", "key", "group", "headers", "params", "vars"];

/** A name defined by a document, without its dollar sign; undefined when it is not a valid name. */
export function validName(text: unknown): string | undefined {
  return typeof text === "string" ? /^\$?([\p{L}_][\p{L}\p{N}_]*)$/u.exec(text)?.[1] : undefined;
}

interface ItemNames {
  readonly as?: string | undefined;
  readonly isGrouped?: boolean;
  readonly element?: string | undefined;
}

export function itemScope(up: Scope, shape: Shape | undefined, { as, isGrouped = false, element }: ItemNames = {}): Scope {
  return { up, as, isGrouped, isItem: true, shape, element, args: undefined };
}

/** The scope this many levels up. */
export function levelAt(scope: Scope, hops: number): Scope {
  let level = scope;
  for (let count = 0; count < hops; count++) level = level.up as Scope;
  return level;
}

/** How many levels up the nearest matching scope is; undefined when there is none. */
export function hopsTo(scope: Scope, matches: (scope: Scope) => boolean): number | undefined {
  let hops = 0;
  for (let at: Scope | undefined = scope; at !== undefined; at = at.up) {
    if (matches(at)) return hops;
    hops++;
  }
  return undefined;
}
