// What names mean at one place of a document, known while compiling. One scope stands for one frame while running.
import type { Shape } from "./shape.ts";

export interface Scope {
  /** The level whose names are seen from here too; undefined at the borders of parts and functions. */
  readonly up: Scope | undefined;
  /** The name given with `as`, without its dollar sign. */
  readonly as: string | undefined;
  readonly isGrouped: boolean;
  /** True for levels that iterate and so know `$index`. */
  readonly isItem: boolean;
  /** What the level's item looks like, when schema or sample say so. */
  readonly shape: Shape | undefined;
  /** What the level's item is called where items are elements; undefined for the message itself. */
  readonly element: string | undefined;
  /** The arguments of a function; a function sees nothing else of the message but its root. */
  readonly args: readonly string[] | undefined;
}

export function rootScope(shape: Shape | undefined, element?: string): Scope {
  return { up: undefined, as: undefined, isGrouped: false, isItem: false, shape, element, args: undefined };
}

/** Names with a meaning of their own, without their dollar sign: nothing in a document may be called so. */
export const reservedNames: readonly string[] = ["item", "index", "key", "group", "headers", "params", "vars"];

/** The name a document gives to something, without its dollar sign; undefined when it cannot be one. */
export function givenName(text: unknown): string | undefined {
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

/** The scope so many levels up. */
export function levelAt(scope: Scope, hops: number): Scope {
  let level = scope;
  for (let count = 0; count < hops; count++) level = level.up as Scope;
  return level;
}

/** How many levels up a scope with a property is; undefined when none is. */
export function hopsTo(scope: Scope, found: (scope: Scope) => boolean): number | undefined {
  let hops = 0;
  for (let at: Scope | undefined = scope; at !== undefined; at = at.up) {
    if (found(at)) return hops;
    hops++;
  }
  return undefined;
}
