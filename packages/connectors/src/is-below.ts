import { isAbsolute, relative, sep } from "node:path";

/** True when a path is inside a folder, at any depth. Links are not resolved. */
export function isBelow(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return inside !== "" && inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}
