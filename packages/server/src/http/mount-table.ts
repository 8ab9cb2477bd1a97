// Finds the mount that serves a path and method. Fixed paths are one Map lookup; patterns and prefixes are a tree of segments.
//
// Precedence does not depend on mount order. Among all matching paths that serve the method, the first differing segment decides: a
// literal wins over a mix of text and names, such as `{id}.json`, which wins over `{name}`; an exact end wins over a prefix. Two mounts
// with the same path and method are the old and new version of a flow: the newest serves, and when it is removed, the older one serves
// again if it still exists.
import type { HttpMount } from "@sluice/engine/spi";
import { claimsReservedPath } from "@sluice/model";
import { readTarget } from "./target.ts";

/** A registered mount. */
export interface Mounted {
  readonly mount: HttpMount;
  /** Names of the `{name}` segments, in order. */
  readonly names: readonly string[];
  /** Active requests, counted over all mounts of the route. */
  readonly load: RouteLoad;
}

export interface RouteLoad {
  active: number;
}

export interface MountMatch {
  readonly mounted: Mounted;
  readonly params: Readonly<Record<string, string>>;
}

/** Mounts of one path by method, newest last; `*` matches every method. */
type MountsByMethod = Map<string, Mounted[]>;

interface Branch {
  readonly literals: Map<string, Branch>;
  readonly end: MountsByMethod;
  readonly below: MountsByMethod;
  /** Segments that mix text and names, such as `{id}.json`, longest text first. */
  mixed: readonly MixedBranch[];
  parameter: Branch | undefined;
}

interface MixedBranch {
  /** The text around the names: one piece more than names. */
  readonly pieces: readonly string[];
  readonly branch: Branch;
}

const noParams: Readonly<Record<string, string>> = Object.freeze({});
const everyMethod = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

export class MountTable {
  readonly #exact = new Map<string, MountsByMethod>();
  readonly #patterns = branch();
  readonly #loads = new Map<string, { load: RouteLoad; mounts: number }>();

  /** Registers a mount; the returned function removes it. */
  add(mount: HttpMount): () => void {
    const segments = segmentsOf(mount.path, mount.prefix);
    const names = segments.flatMap((segment) => segment.names);
    const mounted: Mounted = { mount, names, load: this.#loadOf(mount.routeId) };
    const path = `/${segments.map((segment) => segment.text).join("/")}`;
    const byMethod = names.length === 0 && !mount.prefix ? exactMounts(this.#exact, path) : patternMounts(this.#patterns, segments, mount.prefix);
    const methods = mount.methods?.map((method) => method.toUpperCase()) ?? ["*"];
    for (const method of methods) byMethod.set(method, [...(byMethod.get(method) ?? []), mounted]);
    let isMounted = true;
    return () => {
      if (!isMounted) return;
      isMounted = false;
      for (const method of methods) removeFrom(byMethod, method, mounted);
      if (byMethod.size === 0 && this.#exact.get(path) === byMethod) this.#exact.delete(path);
      prune(this.#patterns, segments, 0);
      this.#releaseLoad(mount.routeId);
    };
  }

  /** The mount of a fixed path; a pattern may still match when the result is undefined. */
  exact(path: string, method: string): Mounted | undefined {
    const byMethod = this.#exact.get(path);
    return byMethod === undefined ? undefined : servingMount(byMethod, method);
  }

  /** Like `exact`, but includes patterns and prefixes. */
  find(path: string, method: string): MountMatch | undefined {
    const exact = this.exact(path, method);
    if (exact !== undefined) return { mounted: exact, params: noParams };
    const segments = path === "/" ? [] : path.slice(1).split("/");
    const values: string[] = [];
    const mounted = search(this.#patterns, segments, 0, method, values);
    return mounted === undefined ? undefined : { mounted, params: paramsOf(mounted.names, values) };
  }

  /** Like `find`, but only for mounts that list the method explicitly. Others get the default OPTIONS reply. */
  findExplicit(path: string, method: string): MountMatch | undefined {
    const found = this.find(path, method);
    return found?.mounted.mount.methods?.some((name) => name.toUpperCase() === method) === true ? found : undefined;
  }

  /** All methods served on this path, in the format of `Allow`; undefined when nothing is served. */
  allowed(path: string): string | undefined {
    const methods = new Set<string>();
    const exact = this.#exact.get(path);
    if (exact !== undefined) collect(exact, methods);
    collectPatterns(this.#patterns, path === "/" ? [] : path.slice(1).split("/"), 0, methods);
    if (methods.size === 0) return undefined;
    if (methods.has("*")) return everyMethod.join(", ");
    if (methods.has("GET")) methods.add("HEAD");
    methods.add("OPTIONS");
    return [...methods].sort().join(", ");
  }

  /** A mount that serves this path with any method. */
  any(path: string): Mounted | undefined {
    for (const method of this.allowed(path)?.split(", ") ?? []) {
      const found = this.find(path, method);
      if (found !== undefined) return found.mounted;
    }
    return undefined;
  }

  #loadOf(routeId: string): RouteLoad {
    const entry = this.#loads.get(routeId) ?? { load: { active: 0 }, mounts: 0 };
    entry.mounts++;
    this.#loads.set(routeId, entry);
    return entry.load;
  }

  #releaseLoad(routeId: string): void {
    const entry = this.#loads.get(routeId);
    if (entry !== undefined && --entry.mounts === 0) this.#loads.delete(routeId);
  }
}

interface Segment {
  readonly text: string;
  /** The names in it; empty for a literal segment. */
  readonly names: readonly string[];
  /** The text around the names, if any. */
  readonly pieces: readonly string[] | undefined;
}

/** Replaces a `{name}` while the rest of the path is parsed. A private-use character, which URLs cannot contain. */
const namePlaceholder = "\uE000";

/** The decoded segments of a mount's path; throws for invalid and reserved paths. */
function segmentsOf(path: string, prefix: boolean): readonly Segment[] {
  const parts = path.split("/");
  const encoded = parts.map((part) => part.replaceAll(namePattern, namePlaceholder).replaceAll("#", "%23"));
  const target = readTarget(encoded.join("/"));
  if (target.kind !== "route")
    throw new Error(`path '${path}' cannot be served: ${target.kind === "management" ? "paths under /_api belong to the management API" : target.problem}`);
  const segments = target.path === "/" ? [] : target.path.slice(1).split("/").map(segmentReader(path));
  const [first] = segments;
  const matchesApi = first !== undefined && first.names.length > 0 && (first.pieces === undefined || claimsReservedPath(path));
  if (matchesApi || (segments.length === 0 && prefix)) throw new Error(`path '${path}' cannot be served: it would match /_api; begin it with a fixed segment`);
  return segments;
}

const namePattern = /\{[^{}/]+\}/g;

/** Returns a function that parses the path's segments in order and assigns the names to them. */
function segmentReader(path: string): (text: string) => Segment {
  const names = [...path.matchAll(namePattern)].map(([name]) => name.slice(1, -1));
  let next = 0;
  return (text) => {
    const pieces = text.split(namePlaceholder);
    const namesHere = names.slice(next, (next += pieces.length - 1));
    const gap = pieces.slice(1, -1).indexOf("");
    if (gap >= 0) throw new Error(`path '${path}' cannot be served: put text between '{${namesHere[gap]}}' and '{${namesHere[gap + 1]}}'`);
    return { text, names: namesHere, pieces: namesHere.length === 0 || pieces.join("") === "" ? undefined : pieces };
  };
}

/** The values at the positions of the names; undefined when the surrounding text does not match. Values are never empty. */
function valuesBetween(pieces: readonly string[], segment: string): readonly string[] | undefined {
  const [first, ...others] = pieces as [string, ...string[]];
  const last = others.pop() as string;
  if (!segment.startsWith(first) || !segment.endsWith(last)) return undefined;
  const values: string[] = [];
  let from = first.length;
  for (const piece of others) {
    const at = segment.indexOf(piece, from + 1);
    if (at < 0) return undefined;
    values.push(segment.slice(from, at));
    from = at + piece.length;
  }
  const end = segment.length - last.length;
  if (end <= from) return undefined;
  values.push(segment.slice(from, end));
  return values;
}

function branch(): Branch {
  return { literals: new Map(), end: new Map(), below: new Map(), mixed: [], parameter: undefined };
}

function exactMounts(byPath: Map<string, MountsByMethod>, path: string): MountsByMethod {
  const byMethod = byPath.get(path) ?? new Map<string, Mounted[]>();
  byPath.set(path, byMethod);
  return byMethod;
}

function patternMounts(root: Branch, segments: readonly Segment[], prefix: boolean): MountsByMethod {
  let at = root;
  for (const segment of segments) {
    if (segment.pieces !== undefined) at = mixedBranch(at, segment.pieces);
    else if (segment.names.length > 0) at = at.parameter ??= branch();
    else {
      const next = at.literals.get(segment.text) ?? branch();
      at.literals.set(segment.text, next);
      at = next;
    }
  }
  return prefix ? at.below : at.end;
}

function mixedBranch(at: Branch, pieces: readonly string[]): Branch {
  const existing = findMixed(at, pieces);
  if (existing !== undefined) return existing.branch;
  const created = { pieces, branch: branch() };
  const textLength = (mixed: MixedBranch): number => mixed.pieces.join("").length;
  at.mixed = [...at.mixed, created].sort((a, b) => textLength(b) - textLength(a));
  return created.branch;
}

function findMixed(at: Branch, pieces: readonly string[]): MixedBranch | undefined {
  const key = pieces.join(namePlaceholder);
  return at.mixed.find((mixed) => mixed.pieces.join(namePlaceholder) === key);
}

/** Removes empty branches along the path of a removed mount. */
function prune(at: Branch, segments: readonly Segment[], index: number): boolean {
  const segment = segments[index];
  if (segment?.pieces !== undefined) {
    const mixed = findMixed(at, segment.pieces);
    if (mixed !== undefined && prune(mixed.branch, segments, index + 1)) at.mixed = at.mixed.filter((other) => other !== mixed);
  } else if (segment !== undefined && segment.names.length > 0) {
    if (at.parameter !== undefined && prune(at.parameter, segments, index + 1)) at.parameter = undefined;
  } else if (segment !== undefined) {
    const literal = at.literals.get(segment.text);
    if (literal !== undefined && prune(literal, segments, index + 1)) at.literals.delete(segment.text);
  }
  return at.literals.size === 0 && at.mixed.length === 0 && at.parameter === undefined && at.end.size === 0 && at.below.size === 0;
}

function removeFrom(byMethod: MountsByMethod, method: string, mounted: Mounted): void {
  const rest = byMethod.get(method)?.filter((other) => other !== mounted) ?? [];
  if (rest.length === 0) byMethod.delete(method);
  else byMethod.set(method, rest);
}

function servingMount(byMethod: MountsByMethod, method: string): Mounted | undefined {
  const mounts =
    byMethod.get(method) ??
    (method === "HEAD" ? byMethod.get("GET") : undefined) ??
    (method === "TRACE" || method === "CONNECT" ? undefined : byMethod.get("*"));
  return mounts?.[mounts.length - 1];
}

function search(at: Branch, segments: readonly string[], index: number, method: string, values: string[]): Mounted | undefined {
  if (index === segments.length) return servingMount(at.end, method) ?? servingMount(at.below, method);
  const segment = segments[index] as string;
  const literal = at.literals.get(segment);
  const byLiteral = literal === undefined ? undefined : search(literal, segments, index + 1, method, values);
  if (byLiteral !== undefined) return byLiteral;
  for (const { pieces, branch: child } of at.mixed) {
    const found = valuesBetween(pieces, segment);
    if (found === undefined) continue;
    values.push(...found);
    const byText = search(child, segments, index + 1, method, values);
    if (byText !== undefined) return byText;
    values.length -= found.length;
  }
  if (at.parameter !== undefined) {
    values.push(segment);
    const byName = search(at.parameter, segments, index + 1, method, values);
    if (byName !== undefined) return byName;
    values.pop();
  }
  return servingMount(at.below, method);
}

function collect(byMethod: MountsByMethod, methods: Set<string>): void {
  for (const method of byMethod.keys()) methods.add(method);
}

function collectPatterns(at: Branch, segments: readonly string[], index: number, methods: Set<string>): void {
  collect(at.below, methods);
  if (index === segments.length) {
    collect(at.end, methods);
    return;
  }
  const literal = at.literals.get(segments[index] as string);
  if (literal !== undefined) collectPatterns(literal, segments, index + 1, methods);
  for (const { pieces, branch: child } of at.mixed)
    if (valuesBetween(pieces, segments[index] as string) !== undefined) collectPatterns(child, segments, index + 1, methods);
  if (at.parameter !== undefined) collectPatterns(at.parameter, segments, index + 1, methods);
}

function paramsOf(names: readonly string[], values: readonly string[]): Readonly<Record<string, string>> {
  if (names.length === 0) return noParams;
  const params = Object.create(null) as Record<string, string>;
  for (let index = 0; index < names.length; index++) params[names[index] as string] = values[index] as string;
  return params;
}
