import type { Exchange } from "@sluice/engine/spi";
import type { Text } from "./path-tree.ts";

/** What one evaluation carries along. */
export interface Walk {
  readonly root: unknown;
  /** The values of the `${…}` pieces. */
  readonly places: readonly ((exchange: Exchange) => unknown)[];
  readonly exchange: Exchange;
  visits: number;
}

export interface CompiledPath {
  readonly definite: boolean;
  /** One value or `absent` for a definite path, a list for others. */
  read(node: unknown, walk: Walk): unknown;
  /** As `read`, but a definite part that leads nowhere is an error that names it. */
  readStrict(node: unknown, walk: Walk): unknown;
}

/** A text of the path, its `${…}` pieces filled in. */
export function readText(text: Text): (walk: Walk) => string {
  const [first] = text.parts;
  if (text.parts.length === 0) return () => "";
  if (text.parts.length === 1 && typeof first === "string") return () => first;
  return (walk) => text.parts.map((part) => (typeof part === "string" ? part : String(walk.places[part]?.(walk.exchange) ?? ""))).join("");
}
