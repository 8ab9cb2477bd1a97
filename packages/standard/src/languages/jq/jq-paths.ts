// Reading, writing and deleting by path. Values are never changed in place, except containers that a running update copied itself: it passes them as
// `fresh`, so that updating every element of a list stays linear.
import type { JqMachine } from "./jq-machine.ts";
import { compare, copyMembers, describe, fail, kindOf, memberOf, setMember, type Members } from "./jq-values.ts";

/** A path as a linked list to its start: cheap to extend while walking. */
export interface PathLink {
  readonly key: unknown;
  readonly up: PathLink | undefined;
}

export function toPath(link: PathLink | undefined): unknown[] {
  const path: unknown[] = [];
  for (let at = link; at !== undefined; at = at.up) path.push(at.key);
  return path.toReversed();
}

interface SliceKey {
  readonly start: unknown;
  readonly end: unknown;
}

/** `value[key]` with jq's semantics. */
export function indexValue(value: unknown, key: unknown, machine: JqMachine): unknown {
  if (typeof key === "string") {
    if (value === null || value === undefined) return null;
    if (typeof value === "object" && !Array.isArray(value)) return memberOf(value, key);
    return fail(`Cannot index ${kindOf(value)} with "${key}"`);
  }
  if (typeof key === "number") {
    if (Array.isArray(value)) {
      const index = Math.floor(key);
      return (value as unknown[])[index < 0 ? value.length + index : index] ?? null;
    }
    if (value === null || value === undefined) return null;
    return fail(`Cannot index ${kindOf(value)} with number`);
  }
  if (isSliceKey(key) && (value === null || Array.isArray(value) || typeof value === "string")) return sliceValue(value, key.start, key.end, machine);
  if (Array.isArray(key) && Array.isArray(value)) return indicesOf(value, key, machine);
  return fail(`Cannot index ${kindOf(value)} with ${kindOf(key)}`);
}

function isSliceKey(key: unknown): key is SliceKey {
  return kindOf(key) === "object" && (Object.hasOwn(key as object, "start") || Object.hasOwn(key as object, "end"));
}

function bounds(length: number, from: unknown, to: unknown): readonly [number, number] {
  const toIndex = (bound: unknown, otherwise: number, round: (n: number) => number): number => {
    if (bound === null || bound === undefined) return otherwise;
    if (typeof bound !== "number") return fail("Start and end indices of an array slice must be numbers");
    const index = round(bound);
    return Math.min(length, Math.max(0, index < 0 ? length + index : index));
  };
  const start = toIndex(from, 0, Math.floor);
  return [start, Math.max(start, toIndex(to, length, Math.ceil))];
}

export function sliceValue(value: unknown, from: unknown, to: unknown, machine: JqMachine): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") {
    machine.spend(value.length / 16);
    const points = [...value];
    const [start, end] = bounds(points.length, from, to);
    return points.slice(start, end).join("");
  }
  if (!Array.isArray(value)) return fail(`Cannot index ${kindOf(value)} with object`);
  const [start, end] = bounds(value.length, from, to);
  machine.spend((end - start) / 32);
  return value.slice(start, end);
}

export function getPath(value: unknown, path: readonly unknown[], machine: JqMachine): unknown {
  let at = value;
  for (const key of path) {
    if (at === null || at === undefined) return null;
    at = indexValue(at, key, machine);
  }
  return at ?? null;
}

const maxArrayLength = 1_000_000;

/** `value` with the value at `path` replaced. */
export function setPath(value: unknown, path: readonly unknown[], replacement: unknown, machine: JqMachine, fresh?: Set<unknown>, depth = 0): unknown {
  if (depth === path.length) return replacement;
  machine.spend(3);
  const key = path[depth];
  const inner = (old: unknown): unknown => setPath(old, path, replacement, machine, fresh, depth + 1);
  if (typeof key === "string") {
    if (value !== null && value !== undefined && kindOf(value) !== "object") fail(`Cannot index ${kindOf(value)} with "${key}"`);
    const target = ownedCopy(value, fresh, () => (value === null || value === undefined ? {} : copyMembers(value, machine)));
    setMember(target, key, inner(memberOf(target, key)));
    return target;
  }
  if (value !== null && value !== undefined && !Array.isArray(value)) fail(`Cannot index ${kindOf(value)} with ${kindOf(key)}`);
  const list = (value ?? []) as readonly unknown[];
  if (typeof key === "number") return setIndex(value, list, Math.floor(key), inner, machine, fresh);
  if (!isSliceKey(key)) return fail(`Invalid path component: ${describe(key)}`);
  const [start, end] = bounds(list.length, key.start, key.end);
  const part = inner(value === null || value === undefined ? null : list.slice(start, end));
  if (!Array.isArray(part)) fail("A slice of an array can only be assigned another array");
  machine.spend((list.length + (part as unknown[]).length) / 32);
  return [...list.slice(0, start), ...(part as unknown[]), ...list.slice(end)];
}

function setIndex(
  value: unknown,
  list: readonly unknown[],
  key: number,
  inner: (old: unknown) => unknown,
  machine: JqMachine,
  fresh: Set<unknown> | undefined,
): unknown {
  const index = key < 0 ? list.length + key : key;
  if (index < 0) fail("Out of bounds negative array index");
  if (!(index < maxArrayLength + list.length)) fail("Array index too large");
  const target = ownedCopy(value, fresh, () => {
    machine.spend(list.length / 32);
    return [...list] as unknown as Members;
  }) as unknown as unknown[];
  machine.spend(Math.max(0, index - target.length) / 32);
  while (target.length < index) target.push(null);
  target[index] = inner(target[index] ?? null);
  return target;
}

function ownedCopy(value: unknown, fresh: Set<unknown> | undefined, copy: () => Members): Members {
  if (fresh?.has(value) === true) return value as Members;
  const target = copy();
  fresh?.add(target);
  return target;
}

/** `value` without the values at the paths. All paths refer to the original value. */
export function deletePaths(value: unknown, paths: readonly (readonly unknown[])[], machine: JqMachine): unknown {
  machine.spend(paths.length);
  if (paths.length === 0) return value;
  if (value === null || value === undefined || paths.some((path) => path.length === 0)) return null;
  const groups = new Map<unknown, { readonly key: unknown; readonly remainingPaths: (readonly unknown[])[] }>();
  for (const path of paths) {
    const [key] = path;
    const id = kindOf(key) === "object" ? JSON.stringify(key) : key;
    const group = groups.get(id);
    if (group === undefined) groups.set(id, { key, remainingPaths: [path.slice(1)] });
    else group.remainingPaths.push(path.slice(1));
  }
  let result: unknown = value;
  const keysToDelete: unknown[] = [];
  for (const { key, remainingPaths } of groups.values()) {
    if (remainingPaths.some((rest) => rest.length === 0)) {
      keysToDelete.push(key);
      continue;
    }
    const inner = indexValue(value, key, machine);
    if (inner !== null) result = setPath(result, [key], deletePaths(inner, remainingPaths, machine), machine);
  }
  return keysToDelete.length === 0 ? result : deleteKeys(result, keysToDelete, machine);
}

function deleteKeys(value: unknown, keys: readonly unknown[], machine: JqMachine): unknown {
  if (Array.isArray(value)) return deleteItems(value, keys, machine);
  const invalidKey = keys.find((key) => typeof key !== "string" || kindOf(value) !== "object");
  if (invalidKey !== undefined) fail(`Cannot delete field at ${kindOf(value)} index of ${kindOf(invalidKey)}`);
  const target = copyMembers(value as object, machine);
  for (const key of keys) delete target[key as string];
  return target;
}

function deleteItems(value: readonly unknown[], keys: readonly unknown[], machine: JqMachine): unknown[] {
  const deletedIndexes = new Set<number>();
  for (const key of keys) {
    if (typeof key === "number") {
      deletedIndexes.add(key < 0 ? value.length + Math.floor(key) : Math.floor(key));
    } else if (isSliceKey(key)) {
      const [start, end] = bounds(value.length, key.start, key.end);
      for (let index = start; index < end; index++) deletedIndexes.add(index);
    } else {
      fail(`Cannot delete field at array index of ${kindOf(key)}`);
    }
  }
  machine.spend(value.length / 16);
  return value.filter((_item, index) => !deletedIndexes.has(index));
}

/** Every index at which `part` starts in a list. */
export function indicesOf(value: readonly unknown[], part: readonly unknown[], machine: JqMachine): number[] {
  if (part.length === 0) return null as unknown as number[];
  machine.spend((value.length * part.length) / 8);
  const found: number[] = [];
  for (let index = 0; index + part.length <= value.length; index++) {
    if (part.every((item, offset) => compare(value[index + offset], item) === 0)) found.push(index);
  }
  return found;
}
