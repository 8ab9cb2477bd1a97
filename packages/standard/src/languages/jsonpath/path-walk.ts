import type { Exchange } from "@sluice/engine/spi";
import type { Text } from "./path-tree.ts";

/** The state of one evaluation. */
export interface Walk {
  readonly root: unknown;
  /** The values of the `${…}` parts. */
  readonly placeholders: readonly ((exchange: Exchange) => unknown)[];
  readonly exchange: Exchange;
  visits: number;
  /** The object with many members that was read last. */
  large?: { readonly node: object; readonly values: Iterable<unknown> };
}

export interface CompiledPath {
  readonly definite: boolean;
  /** One value or `absent` for a definite path, a list for others. */
  read(node: unknown, walk: Walk): unknown;
  /** Like `read`, but a definite part without a match is an error that names it. */
  readStrict(node: unknown, walk: Walk): unknown;
}

/** A string of the path with its `${…}` parts filled in. */
export function readText(text: Text): (walk: Walk) => string {
  const [first] = text.parts;
  if (text.parts.length === 0) return () => "";
  if (text.parts.length === 1 && typeof first === "string") return () => first;
  return (walk) => text.parts.map((part) => (typeof part === "string" ? part : String(walk.placeholders[part]?.(walk.exchange) ?? ""))).join("");
}
