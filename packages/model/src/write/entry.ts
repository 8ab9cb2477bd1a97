// Edits of mappings: add an entry with any value, rename a key, turn a bare string into a mapping. Edits that would not read back as intended are
// rejected.
import type { MapTree, Tree } from "../flow/tree.ts";
import { readTree } from "../read/read-tree.ts";
import { combinedEdit, entriesOf, firstValidEdit, insert, notEditable, plainOf, rejectEdit, unreadableDocument } from "./edit.ts";
import type { Edit, Splice } from "./edit.ts";
import { dedentRest, indentRest, Layout } from "./layout.ts";
import type { Path } from "./layout.ts";
import { replaceAt } from "./replace-at.ts";
import { scalarTexts } from "./scalar-text.ts";
import { removeOption, setScalar } from "./splice.ts";

/**
 * Adds an entry, with a value written as YAML, to the mapping at `path`. An option goes before the first entry that contains steps, so that
 * it stays near its step's name; an entry that contains steps goes last. A key without a value gets a mapping.
 */
export function addEntry(source: string, path: Path, key: string, yaml: string): Edit {
  const layout = Layout.read(source);
  const map = layout?.find(path);
  const value = readTree(yaml).tree;
  if (layout === undefined) return unreadableDocument;
  if (value === undefined) return rejectEdit("the new value is not valid YAML");
  if (map === undefined) return notEditable;
  const entry = [key, plainOf(value)] as const;
  if (map.type === "scalar" && map.text === null) {
    return firstValidEdit(
      source,
      firstEntry(layout, path, map, key, yaml),
      replaceAt(plainOf(layout.root), path, () => ({ entries: [entry] })),
    );
  }
  if (map.type !== "map") return rejectEdit("this element has no options");
  if (map.entries.some((candidate) => candidate.key === key)) return rejectEdit(`'${key}' already exists`);
  const stepsIndex = containsSteps(value, key) ? -1 : map.entries.findIndex((candidate) => containsSteps(candidate.value, candidate.key));
  const index = stepsIndex === -1 ? map.entries.length : stepsIndex;
  const expected = replaceAt(plainOf(layout.root), path, (old) => ({ entries: entriesOf(old).toSpliced(index, 0, entry) }));
  const last = replaceAt(plainOf(layout.root), path, (old) => ({ entries: [...entriesOf(old), entry] }));
  const edit = firstValidEdit(source, newEntry(layout, map, index, key, yaml), expected);
  return edit.ok || index === map.entries.length ? edit : firstValidEdit(source, newEntry(layout, map, map.entries.length, key, yaml), last);
}

/** Renames a key; its value and position do not change. */
export function renameKey(source: string, path: Path, key: string, name: string): Edit {
  const layout = Layout.read(source);
  const map = layout?.find(path);
  if (layout === undefined) return unreadableDocument;
  const entry = map?.type === "map" ? map.entries.find((candidate) => candidate.key === key) : undefined;
  if (map?.type !== "map" || entry === undefined) return notEditable;
  if (map.entries.some((candidate) => candidate.key === name)) return rejectEdit(`'${name}' already exists`);
  const { start, end } = entry.keySpan;
  const expected = replaceAt(plainOf(layout.root), path, (old) => ({
    entries: entriesOf(old).map(([entryKey, value]) => [entryKey === key ? name : entryKey, value] as const),
  }));
  const candidates = [...scalarTexts(name, source.slice(start, end), "", layout.lineEnd)].map((text) => ({ start, end, text }));
  return firstValidEdit(source, candidates, expected);
}

/** Turns the bare string at `path` into a mapping with the entry `key`: `log: x` becomes `log: {message: x}`, on separate lines where possible. */
export function expandScalar(source: string, path: Path, key: string): Edit {
  const layout = Layout.read(source);
  const scalar = layout?.find(path);
  if (layout === undefined) return unreadableDocument;
  if (scalar?.type !== "scalar" || scalar.text === null) return notEditable;
  const { start, end } = scalar.span;
  const written = source.slice(start, end);
  const trailing = /\r?\n$/.exec(written)?.[0] ?? "";
  const indent = " ".repeat(keyColumn(layout, path, start) + 2);
  const text = scalar.text;
  const expected = replaceAt(plainOf(layout.root), path, () => ({ entries: [[key, text] as const] }));
  const from = start - (/[ \t]*$/.exec(source.slice(0, start))?.[0].length ?? 0);
  const candidates: Splice[] = [];
  if (!isInFlowStyle(layout, path)) {
    const value = indentRest(written.slice(0, written.length - trailing.length), "  ", layout.lineEnd);
    candidates.push({ start: from, end, text: `${layout.lineEnd}${indent}${key}: ${value}${trailing}` });
    for (const candidate of scalarTexts(text, "", indent, layout.lineEnd))
      candidates.push({ start: from, end, text: `${layout.lineEnd}${indent}${key}: ${candidate}${trailing}` });
  }
  for (const candidate of scalarTexts(text, written.includes("\n") ? '"' : written, "", layout.lineEnd))
    candidates.push({ start, end, text: `{${key}: ${candidate}}${trailing}` });
  return firstValidEdit(source, candidates, expected);
}

/**
 * Writes `text` at a path whose end may not exist yet: a value is replaced, missing mappings are created. `shorthands` names, by path
 * length, the key that a bare string at that path sets.
 */
export function setAt(source: string, path: Path, text: string, shorthands: ReadonlyMap<number, string> = new Map()): Edit {
  return writeAt(source, path, { text, yaml: scalarYaml(text) }, shorthands);
}

/** Like `setAt`, with any value written as YAML. An existing value is replaced. */
export function setYamlAt(source: string, path: Path, yaml: string, shorthands: ReadonlyMap<number, string> = new Map()): Edit {
  return writeAt(source, path, { text: undefined, yaml }, shorthands);
}

/** A value as YAML, and as text when it is a scalar. */
interface NewValue {
  readonly text: string | undefined;
  readonly yaml: string;
}

function writeAt(source: string, path: Path, value: NewValue, shorthands: ReadonlyMap<number, string>): Edit {
  const layout = Layout.read(source);
  if (layout === undefined) return unreadableDocument;
  for (let depth = path.length; depth >= 0; depth--) {
    const found = layout.find(path.slice(0, depth));
    if (found === undefined) continue;
    if (depth === path.length) return replaceValue(source, path, found, value);
    const key = path[depth];
    if (typeof key !== "string") return notEditable;
    const shorthand = shorthands.get(depth);
    if (found.type === "scalar" && found.text !== null && shorthand !== undefined) {
      return applyBoth(source, expandScalar(source, path.slice(0, depth), shorthand), (next) => writeAt(next, path, value, shorthands));
    }
    return addEntry(source, path.slice(0, depth), key, nestYaml(path.slice(depth + 1), value.yaml));
  }
  return notEditable;
}

function replaceValue(source: string, path: Path, found: Tree, { text, yaml }: NewValue): Edit {
  if (text !== undefined && found.type === "scalar") return setScalar(source, path, text);
  const key = path.at(-1);
  if (typeof key !== "string") return notEditable;
  return applyBoth(source, removeOption(source, path.slice(0, -1), key), (next) => addEntry(next, path.slice(0, -1), key, yaml));
}

/** Applies two edits in succession, as one edit. */
function applyBoth(source: string, first: Edit, then: (source: string) => Edit): Edit {
  if (!first.ok) return first;
  const second = then(first.source);
  return second.ok ? combinedEdit(source, second.source) : second;
}

/** A string as a YAML scalar. */
export function scalarYaml(text: string): string {
  for (const candidate of scalarTexts(text, "", "", "\n")) {
    const { tree } = readTree(`a: ${candidate}\n`);
    if (tree?.type === "map" && tree.entries.length === 1 && tree.entries[0]?.value.type === "scalar" && tree.entries[0].value.text === text) return candidate;
  }
  return JSON.stringify(text);
}

function nestYaml(keys: Path, yaml: string): string {
  return keys.reduceRight<string>((inner, key) => (typeof key === "number" ? `- ${indentRest(inner, "  ", "\n")}` : entryText(key, inner, "")), yaml);
}

/** `key: value`, with the value below when it needs several lines. */
function entryText(key: string, yaml: string, indent: string): string {
  const body = yaml.trimEnd();
  const isBlock = (/^- |^-$/.test(body) || readTree(body).tree?.type === "map") && !/^[[{]/.test(body);
  return isBlock ? `${key}:\n${indent}  ${indentRest(body, `${indent}  `, "\n")}` : `${key}: ${indentRest(body, indent, "\n")}`;
}

function* newEntry(layout: Layout, map: MapTree, index: number, key: string, yaml: string): Generator<Splice> {
  const name = scalarYaml(key);
  const { source, lineEnd } = layout;
  if (layout.isFlowStyle(map)) {
    const previous = map.entries[index - 1];
    const next = map.entries[index];
    for (const candidate of flowValues(yaml)) {
      const entry = `${name}: ${candidate}`;
      if (next !== undefined) yield insert(next.keySpan.start, `${entry}, `);
      else if (previous !== undefined) yield insert(layout.entryEnd(previous), `, ${entry}`);
      else yield* emptyMap(layout, map, name, yaml, entry);
    }
    return;
  }
  const first = map.entries[0];
  const indent = " ".repeat(layout.column((first?.keySpan ?? map.span).start));
  const lines = indentRest(entryText(name, yaml, ""), indent, lineEnd);
  const next = map.entries[index];
  if (next !== undefined) {
    // The line of the key itself, so that comments above it stay with it.
    const start = layout.lineStart(next.keySpan.start);
    if (source.slice(start, next.keySpan.start).trim() === "") yield insert(start, `${indent}${lines}${lineEnd}`);
    else yield insert(next.keySpan.start, `${lines}${lineEnd}${indent}`);
    return;
  }
  const last = map.entries.at(-1);
  if (last === undefined) return;
  const at = layout.lineAfter(layout.entryEnd(last));
  const endsLine = at === 0 || source[at - 1] === "\n";
  yield insert(at, endsLine ? `${indent}${lines}${lineEnd}` : `${lineEnd}${indent}${lines}`);
}

/** The first entry of `{}`: on lines below the key where possible, otherwise between the braces. */
function* emptyMap(layout: Layout, map: MapTree, name: string, yaml: string, entry: string): Generator<Splice> {
  const { start, end } = map.span;
  const lineBegin = layout.lineStart(start);
  const head = /^( *)((?:- +)*)([^\s].*:)[ \t]+$/.exec(layout.source.slice(lineBegin, start));
  if (head !== null && /^\s*(?:#|$)/.test(layout.source.slice(end, layout.lineAfter(end)))) {
    const indent = " ".repeat((head[1] as string).length + (head[2] as string).length + 2);
    const from = start - (/[ \t]*$/.exec(layout.source.slice(0, start))?.[0].length ?? 0);
    yield { start: from, end, text: `${layout.lineEnd}${indent}${indentRest(entryText(name, yaml, ""), indent, layout.lineEnd)}` };
  }
  yield insert(start + 1, entry);
}

/** The first entry of a key without a value, such as `otherwise:`. */
function* firstEntry(layout: Layout, path: Path, emptyValue: Tree, key: string, yaml: string): Generator<Splice> {
  const { source, lineEnd } = layout;
  const { start, end } = emptyValue.span;
  const name = scalarYaml(key);
  const parent = layout.find(path.slice(0, -1));
  const owner = parent?.type === "map" ? parent.entries.find((candidate) => candidate.key === path.at(-1)) : undefined;
  const from = owner === undefined ? start : source.indexOf(":", owner.keySpan.end) + 1;
  const indent = " ".repeat(keyColumn(layout, path, start) + 2);
  const lines = indentRest(entryText(name, yaml, ""), indent, lineEnd);
  if (!isInFlowStyle(layout, path)) {
    yield { start: from, end: Math.max(end, from), text: `${lineEnd}${indent}${lines}` };
    if (owner === undefined) yield { start: from, end: Math.max(end, from), text: ` ${lines}` };
  }
  for (const candidate of flowValues(yaml)) yield { start: from, end: Math.max(end, from), text: ` {${name}: ${candidate}}` };
}

/** Ways to write a value between braces. */
function flowValues(yaml: string): string[] {
  const { tree } = readTree(yaml);
  return tree === undefined ? [] : [...(yaml.includes("\n") ? [] : [yaml.trimEnd()]), flowText(tree)];
}

function flowText(tree: Tree): string {
  if (tree.type === "scalar") return tree.text === null ? "null" : JSON.stringify(tree.text);
  if (tree.type === "list") return `[${tree.items.map(flowText).join(", ")}]`;
  return `{${tree.entries.map(({ key, value }) => `${scalarYaml(key)}: ${flowText(value)}`).join(", ")}}`;
}

/** The column of the key or `-` that a value belongs to. */
function keyColumn(layout: Layout, path: Path, start: number): number {
  const parent = layout.find(path.slice(0, -1));
  const entry = parent?.type === "map" ? parent.entries.find((candidate) => candidate.key === path.at(-1)) : undefined;
  if (entry !== undefined) return layout.column(entry.keySpan.start);
  const line = layout.lineStart(start);
  return /^ */.exec(layout.source.slice(line, line + 500))?.[0].length ?? 0;
}

function isInFlowStyle(layout: Layout, path: Path): boolean {
  return path.some((_, depth) => {
    const ancestor = layout.find(path.slice(0, depth));
    return ancestor !== undefined && layout.isFlowStyle(ancestor);
  });
}

/** True for `steps` and for anything that contains `steps`: branches are kept after the options. */
function containsSteps(tree: Tree, key: string): boolean {
  if (key === "steps" && tree.type !== "map") return true;
  if (tree.type === "map") return tree.entries.some((entry) => entry.key === "steps");
  return tree.type === "list" && tree.items.some((item) => item.type === "map" && item.entries.some((entry) => entry.key === "steps"));
}

/** The YAML of a value without indentation. */
export function valueText(source: string, path: Path): string | undefined {
  const layout = Layout.read(source);
  const tree = layout?.find(path);
  if (layout === undefined || tree === undefined) return undefined;
  const key = typeof path.at(-1) === "string" && tree.type === "scalar" ? keyColumn(layout, path, tree.span.start) : layout.column(tree.span.start);
  return dedentRest(source.slice(tree.span.start, layout.contentEnd(tree)), key).trimEnd();
}
