// Edits of a mapping document, one target field at a time. Each function returns a new document.
import { isMembers, type Members } from "../data-panel/message-data.ts";
import { isList, loopPath, relativePath } from "./mapping-paths.ts";
import type { SourceField, TargetField } from "./mapping-fields.ts";

/** A target field and the position of the rule that fills it, if any. */
export type TargetReference = Pick<TargetField, "path" | "rule"> & Partial<Pick<TargetField, "isExpected">>;

/** The members that define where a value comes from. Setting a source removes the others. */
const valueSources = ["forEach", "from", "value", "expr", "lookup", "switch", "use", "with", "map"] as const;

type Change = (rule: Members, loops: readonly string[]) => Members | undefined;

/** Changes the rule of a field, or adds one; undefined removes it. `listSource` is the source list for the loop that is created if the enclosing target list has no rule yet. */
function changeRule(document: Members, target: TargetReference, change: Change, listSource?: string): Members {
  const rules = rulesOf(document);
  const map = target.rule === undefined ? addRule(rules, target.path.split("."), [], change, listSource) : replaceRule(rules, target.rule, [], change);
  return { ...document, map };
}

const rulesOf = (parent: Members): readonly unknown[] => (Array.isArray(parent["map"]) ? (parent["map"] as readonly unknown[]) : []);

function replaceRule(rules: readonly unknown[], [at = -1, ...inner]: readonly number[], loops: readonly string[], change: Change): readonly unknown[] {
  return rules.flatMap((rule, index) => {
    if (index !== at || !isMembers(rule)) return [rule];
    if (inner.length > 0) return [{ ...rule, map: replaceRule(rulesOf(rule), inner, loopsIn(rule, loops), change) }];
    const next = change(rule, loops);
    return next === undefined ? [] : [next];
  });
}

function addRule(
  rules: readonly unknown[],
  [name = "", ...inner]: readonly string[],
  loops: readonly string[],
  change: Change,
  listSource: string | undefined,
): readonly unknown[] {
  if (inner.length === 0) {
    const rule = change({ to: name }, loops);
    return rule === undefined ? rules : [...rules, rule];
  }
  const index = rules.findIndex((rule) => isMembers(rule) && Array.isArray(rule["map"]) && rule["to"] === name);
  const found = rules[index] as Members | undefined;
  const parent: Members =
    found ?? (isList(name) && listSource !== undefined ? { to: name, forEach: relativePath(listSource, loops), map: [] } : { to: name, map: [] });
  const next = { ...parent, map: addRule(rulesOf(parent), inner, loopsIn(parent, loops), change, undefined) };
  return found === undefined ? [...rules, next] : rules.map((rule, at) => (at === index ? next : rule));
}

/** The absolute paths of the lists whose items the inner rules read, outermost first. */
function loopsIn(rule: Members, loops: readonly string[]): readonly string[] {
  const { forEach } = rule;
  return typeof forEach === "string" ? [...loops, loopPath(forEach, loops)] : loops;
}

/** Fills a field from a source field. A list of objects creates a loop; a second source is joined to the first one. */
export function linkField(document: Members, source: SourceField, target: TargetReference): Members {
  const list = source.path.lastIndexOf("[*]");
  return changeRule(document, target, (rule, loops) => linkRule(rule, source, loops), list === -1 ? undefined : source.path.slice(0, list));
}

function linkRule(rule: Members, source: SourceField, loops: readonly string[]): Members {
  const path = relativePath(source.path, loops);
  if (rule["forEach"] !== undefined) return { ...rule, forEach: path };
  if (source.isObjectList) {
    const { to, ...others } = withoutSource(rule);
    return { to: isList(String(to)) ? to : `${String(to)}[]`, forEach: path, ...others, map: rulesOf(rule) };
  }
  const formula = formulaOf(rule);
  if (formula === "" || formula === path || rule["value"] !== undefined) return withSource(rule, { from: path });
  return withSource(rule, { expr: source.isNumber ? `${formula} + ${path}` : `${formula} + ' ' + ${path}` });
}

const withoutSource = (rule: Members): Members => Object.fromEntries(Object.entries(rule).filter(([key]) => !valueSources.some((name) => name === key)));

function withSource(rule: Members, source: Members): Members {
  const { to, ...others } = withoutSource(rule);
  return { to, ...source, ...others };
}

const plainPath = /^(?:\$|[A-Za-z_@][\w$@]*|\['[^']*'\])(?:\.[@#]?[A-Za-z_][\w$]*|\[\*\]|\[\d+\]|\['[^']*'\])*$/;
const literal = /^(?:-?\d+(?:\.\d+)?|true|false|null)$/;

/** The source of a rule as one line: a path, a constant or an expression. Empty for the constant null, which means no source. */
export function formulaOf(rule: Members): string {
  const { from, expr, value, lookup, forEach } = rule;
  if (typeof forEach === "string") return forEach;
  if (typeof from === "string") return from;
  if (typeof expr === "string") return expr;
  if (value !== undefined && value !== null) return typeof value === "string" ? quoted(value) : JSON.stringify(value);
  if (isMembers(lookup)) {
    const { table, from: column, to, key, onMissing } = lookup;
    const missing = typeof onMissing === "string" ? `, ${quoted(onMissing)}` : "";
    return `lookup(${quoted(String(table))}, ${quoted(String(column))}, ${quoted(String(to))}, ${String(key)}${missing})`;
  }
  return "";
}

/** Quotes text as a string literal for a formula. */
export const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/** Sets the source of a field from the text of a formula: a path, a constant, or else an expression. Empty text removes the source. */
export function withFormula(document: Members, target: TargetReference, text: string): Members {
  const formula = text.trim();
  // A field that only its rule defines is kept without a source.
  if (formula === "" && (target.rule === undefined || target.isExpected === true)) return unlinkField(document, target);
  if (formula === "") return changeRule(document, target, (rule) => withSource(rule, { value: null }));
  return changeRule(document, target, (rule) => {
    if (rule["forEach"] !== undefined) return { ...rule, forEach: formula };
    if (literal.test(formula)) return withSource(rule, { value: JSON.parse(formula) as unknown });
    const text = /^'((?:[^'\\]|\\.)*)'$/.exec(formula)?.[1];
    if (text !== undefined) return withSource(rule, { value: text.replaceAll(/\\(.)/g, "$1") });
    return withSource(rule, plainPath.test(formula) ? { from: formula } : { expr: formula });
  });
}

/** Sets one member of the rule, such as `when` or `required`; undefined or empty text removes it. */
export const withMember = (document: Members, target: TargetReference, name: string, value: unknown): Members =>
  changeRule(document, target, (rule) => {
    const { [name]: _, ...others } = rule;
    return value === undefined || value === "" ? others : { ...others, [name]: value };
  });

export interface Lookup {
  readonly table: string;
  readonly from: string;
  readonly to: string;
  readonly onMissing: string;
}

/** Translates the field's current source with a value-mapping table. */
export const withLookup = (document: Members, target: TargetReference, { onMissing, ...lookup }: Lookup): Members =>
  changeRule(document, target, (rule) => {
    const existing = rule["lookup"];
    const key = isMembers(existing) ? existing["key"] : formulaOf(rule);
    return withSource(rule, { lookup: { ...lookup, key, ...(onMissing === "" ? {} : { onMissing }) } });
  });

/** Removes the rule of a field. A field of the target's schema or sample remains visible without a rule. */
export const unlinkField = (document: Members, target: TargetReference): Members =>
  target.rule === undefined ? document : changeRule(document, target, () => undefined);

export const renameField = (document: Members, target: TargetReference, name: string): Members =>
  changeRule(document, target, (rule) => ({ ...rule, to: isList(String(rule["to"])) && !isList(name) ? `${name}[]` : name }));

/** Adds a field without a source inside another one, or at the top level. */
export function addField(document: Members, inside: TargetReference | undefined, name: string): Members {
  const start: Members = isList(name) ? { to: name, forEach: "$", map: [] } : { to: name, value: null };
  if (inside === undefined) return { ...document, map: [...rulesOf(document), start] };
  return changeRule(document, inside, (rule) => ({ ...rule, map: [...rulesOf(rule), start] }));
}

/** Moves a field up or down by one; undefined at the ends of the list. */
export function moveField(document: Members, { rule }: TargetReference, by: 1 | -1): Members | undefined {
  if (rule === undefined) return undefined;
  const parent = rule.slice(0, -1);
  const from = rule.at(-1) as number;
  const swap = (rules: readonly unknown[]): readonly unknown[] => {
    const next = [...rules];
    [next[from], next[from + by]] = [next[from + by], next[from]];
    return next;
  };
  const owner = parent.reduce<Members>((current, at) => (rulesOf(current)[at] ?? {}) as Members, document);
  if (from + by < 0 || from + by >= rulesOf(owner).length) return undefined;
  if (parent.length === 0) return { ...document, map: swap(rulesOf(document)) };
  return changeRule(document, { path: "", rule: parent }, (owner) => ({ ...owner, map: swap(rulesOf(owner)) }));
}

/** Moves a field to the position of another one in the same group; undefined for fields of different groups. */
export function reorderField(document: Members, { rule: from }: TargetReference, { rule: to }: TargetReference): Members | undefined {
  if (from === undefined || to === undefined || from.length !== to.length || from.slice(0, -1).join() !== to.slice(0, -1).join()) return undefined;
  const [first, last] = [from.at(-1) as number, to.at(-1) as number];
  if (first === last) return undefined;
  const move = (rules: readonly unknown[]): readonly unknown[] => rules.toSpliced(first, 1).toSpliced(last, 0, rules[first]);
  const parent = from.slice(0, -1);
  if (parent.length === 0) return { ...document, map: move(rulesOf(document)) };
  return changeRule(document, { path: "", rule: parent }, (owner) => ({ ...owner, map: move(rulesOf(owner)) }));
}

/** Sets or removes members of the source or target, such as its format or sample. */
export function withSide(document: Members, side: "source" | "target", members: Members): Members {
  const existing = isMembers(document[side]) ? document[side] : {};
  const next = Object.fromEntries(Object.entries({ ...existing, ...members }).filter(([, value]) => value !== undefined));
  return { ...document, [side]: next };
}
