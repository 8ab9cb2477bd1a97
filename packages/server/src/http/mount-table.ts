// Which mount serves a path and method. Fixed paths are one Map look-up; patterns and prefixes are a tree of segments.
//
// Precedence, whatever the order of mounting: of all paths that match and serve the method, the first differing
// segment decides, a literal before a `{name}`, and the exact end before a prefix. Two mounts on one path and method
// are old and new of one flow: the newest serves, and when it goes the older one, if still there, serves again.
import type { HttpMount } from "@sluice/engine/spi";
import { readTarget } from "./target.ts";

/** One mount in place. */
export interface Mounted {
  readonly mount: HttpMount;
  /** The names of the `{name}` segments, in order. */
  readonly names: readonly string[];
  /** Requests being served, counted over all mounts of the route. */
  readonly load: RouteLoad;
}

export interface RouteLoad {
  active: number;
}

export interface Found {
  readonly mounted: Mounted;
  readonly params: Readonly<Record<string, string>>;
}

/** The mounts of one path, newest last, by method; `*` serves every method. */
type Slot = Map<string, Mounted[]>;

interface Branch {
  readonly literals: Map<string, Branch>;
  readonly end: Slot;
  readonly below: Slot;
  parameter: Branch | undefined;
}

const noParams: Readonly<Record<string, string>> = Object.freeze({});
const everyMethod = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

export class MountTable {
  readonly #exact = new Map<string, Slot>();
  readonly #patterns = branch();
  readonly #loads = new Map<string, { load: RouteLoad; mounts: number }>();

  /** Puts a mount in place and returns the function that takes exactly this one out again. */
  add(mount: HttpMount): () => void {
    const segments = segmentsOf(mount.path, mount.prefix);
    const names = segments.filter((segment) => segment.name !== undefined).map((segment) => segment.name as string);
    const mounted: Mounted = { mount, names, load: this.#loadOf(mount.routeId) };
    const path = `/${segments.map((segment) => segment.text).join("/")}`;
    const slot = names.length === 0 && !mount.prefix ? exactSlot(this.#exact, path) : patternSlot(this.#patterns, segments, mount.prefix);
    const methods = mount.methods?.map((method) => method.toUpperCase()) ?? ["*"];
    for (const method of methods) slot.set(method, [...(slot.get(method) ?? []), mounted]);
    let mountedStill = true;
    return () => {
      if (!mountedStill) return;
      mountedStill = false;
      for (const method of methods) removeFrom(slot, method, mounted);
      if (slot.size === 0 && this.#exact.get(path) === slot) this.#exact.delete(path);
      prune(this.#patterns, segments, 0);
      this.#forgetLoad(mount.routeId);
    };
  }

  /** The mount of a fixed path; undefined does not mean that nothing serves it. */
  exact(path: string, method: string): Mounted | undefined {
    const slot = this.#exact.get(path);
    return slot === undefined ? undefined : serving(slot, method);
  }

  /** As `exact`, patterns and prefixes included. */
  find(path: string, method: string): Found | undefined {
    const exact = this.exact(path, method);
    if (exact !== undefined) return { mounted: exact, params: noParams };
    const segments = path === "/" ? [] : path.slice(1).split("/");
    const values: string[] = [];
    const mounted = search(this.#patterns, segments, 0, method, values);
    return mounted === undefined ? undefined : { mounted, params: paramsOf(mounted.names, values) };
  }

  /** As `find`, for mounts that name the method themselves: OPTIONS is answered for all others. */
  findExplicit(path: string, method: string): Found | undefined {
    const found = this.find(path, method);
    return found?.mounted.mount.methods?.some((name) => name.toUpperCase() === method) === true ? found : undefined;
  }

  /** Every method some mount serves on this path, as `Allow` lists them; undefined when nothing serves it at all. */
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

  /** A mount that serves this path with any method; for answers about the path itself. */
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

  #forgetLoad(routeId: string): void {
    const entry = this.#loads.get(routeId);
    if (entry !== undefined && --entry.mounts === 0) this.#loads.delete(routeId);
  }
}

interface Segment {
  readonly text: string;
  readonly name: string | undefined;
}

/** Stands for a `{name}` while the rest of the path is read as an address; a private-use character, which no address spells. */
const namePlaceholder = "\uE000";

/** The segments of a mount's path, decoded; throws for a path that no route may have, reserved ones among them. */
function segmentsOf(path: string, prefix: boolean): readonly Segment[] {
  const parts = path.split("/");
  const spelled = parts.map((part, index) => (isName(part) ? `${namePlaceholder}${index}` : part.replaceAll("#", "%23")));
  const target = readTarget(spelled.join("/"));
  if (target.kind !== "route")
    throw new Error(`path '${path}' cannot be served: ${target.kind === "management" ? "paths under /_api belong to the management API" : target.problem}`);
  const segments =
    target.path === "/"
      ? []
      : target.path
          .slice(1)
          .split("/")
          .map((text) => segmentOf(text, parts));
  if (segments[0]?.name !== undefined || (segments.length === 0 && prefix))
    throw new Error(`path '${path}' cannot be served: it would match /_api; name its first segment`);
  return segments;
}

function isName(part: string): boolean {
  return /^\{[^{}]+\}$/.test(part);
}

function segmentOf(text: string, parts: readonly string[]): Segment {
  if (!text.startsWith(namePlaceholder)) return { text, name: undefined };
  return { text, name: (parts[Number(text.slice(1))] as string).slice(1, -1) };
}

function branch(): Branch {
  return { literals: new Map(), end: new Map(), below: new Map(), parameter: undefined };
}

function exactSlot(slots: Map<string, Slot>, path: string): Slot {
  const slot = slots.get(path) ?? new Map<string, Mounted[]>();
  slots.set(path, slot);
  return slot;
}

function patternSlot(root: Branch, segments: readonly Segment[], prefix: boolean): Slot {
  let at = root;
  for (const segment of segments) {
    if (segment.name !== undefined) at = at.parameter ??= branch();
    else {
      const next = at.literals.get(segment.text) ?? branch();
      at.literals.set(segment.text, next);
      at = next;
    }
  }
  return prefix ? at.below : at.end;
}

/** Drops what is empty along the path of a mount that went. */
function prune(at: Branch, segments: readonly Segment[], index: number): boolean {
  const segment = segments[index];
  if (segment?.name !== undefined) {
    if (at.parameter !== undefined && prune(at.parameter, segments, index + 1)) at.parameter = undefined;
  } else if (segment !== undefined) {
    const literal = at.literals.get(segment.text);
    if (literal !== undefined && prune(literal, segments, index + 1)) at.literals.delete(segment.text);
  }
  return at.literals.size === 0 && at.parameter === undefined && at.end.size === 0 && at.below.size === 0;
}

function removeFrom(slot: Slot, method: string, mounted: Mounted): void {
  const rest = slot.get(method)?.filter((other) => other !== mounted) ?? [];
  if (rest.length === 0) slot.delete(method);
  else slot.set(method, rest);
}

function serving(slot: Slot, method: string): Mounted | undefined {
  const mounts =
    slot.get(method) ?? (method === "HEAD" ? slot.get("GET") : undefined) ?? (method === "TRACE" || method === "CONNECT" ? undefined : slot.get("*"));
  return mounts?.[mounts.length - 1];
}

function search(at: Branch, segments: readonly string[], index: number, method: string, values: string[]): Mounted | undefined {
  if (index === segments.length) return serving(at.end, method) ?? serving(at.below, method);
  const segment = segments[index] as string;
  const literal = at.literals.get(segment);
  const byLiteral = literal === undefined ? undefined : search(literal, segments, index + 1, method, values);
  if (byLiteral !== undefined) return byLiteral;
  if (at.parameter !== undefined) {
    values.push(segment);
    const byName = search(at.parameter, segments, index + 1, method, values);
    if (byName !== undefined) return byName;
    values.pop();
  }
  return serving(at.below, method);
}

function collect(slot: Slot, methods: Set<string>): void {
  for (const method of slot.keys()) methods.add(method);
}

function collectPatterns(at: Branch, segments: readonly string[], index: number, methods: Set<string>): void {
  collect(at.below, methods);
  if (index === segments.length) {
    collect(at.end, methods);
    return;
  }
  const literal = at.literals.get(segments[index] as string);
  if (literal !== undefined) collectPatterns(literal, segments, index + 1, methods);
  if (at.parameter !== undefined) collectPatterns(at.parameter, segments, index + 1, methods);
}

function paramsOf(names: readonly string[], values: readonly string[]): Readonly<Record<string, string>> {
  if (names.length === 0) return noParams;
  const params = Object.create(null) as Record<string, string>;
  for (let index = 0; index < names.length; index++) params[names[index] as string] = values[index] as string;
  return params;
}
