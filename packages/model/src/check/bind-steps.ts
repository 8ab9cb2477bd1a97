import type { StepNode } from "../flow/flow-document.ts";
import type { MapEntry, MapTree, Tree } from "../flow/tree.ts";
import { describe } from "../schema/field.ts";
import type { StepShape, Vocabulary } from "../schema/shape.ts";
import { absent, kindOf } from "./bind-scalar.ts";
import type { Absent } from "./bind-scalar.ts";
import { asMap } from "./as-map.ts";
import { clip, withHint } from "./binding.ts";
import type { Binding, Owner, StepDraft } from "./binding.ts";
import { commonNames, commonText, isDisabled } from "./common-fields.ts";
import { closest } from "./did-you-mean.ts";
import { camelCaseEntry, inCamelCase } from "./kebab-case.ts";

/** Blocks that adopt their siblings nest without nesting in the text, so the reader's depth limit does not cover them. */
const maxDepth = 100;

/** Binds a list of steps; an empty value is an empty list. */
export function bindSteps(binding: Binding, tree: Tree, path: string): readonly StepNode[] | Absent {
  if (tree.type === "list") return bindItems(binding, tree.items, 0, path);
  if (tree.type === "scalar" && tree.text === null) return [];
  binding.report(
    "steps-shape",
    `'steps' in ${binding.scopeLabel}: expected a list of steps, got ${kindOf(tree)}`,
    { path, span: tree.span },
    "start each step with '- '",
  );
  return absent;
}

function bindItems(binding: Binding, items: readonly Tree[], first: number, path: string): StepNode[] {
  const steps: StepNode[] = [];
  if (binding.depth >= maxDepth) {
    const span = (items[first] as Tree).span;
    binding.report("limit", `limit exceeded: steps in ${binding.scopeLabel} are nested deeper than ${maxDepth} levels`, { path, span });
    return steps;
  }
  const outer = binding.step;
  binding.depth++;
  for (let index = first; index < items.length; index++) {
    const bound = bindItem(binding, items, index, path);
    binding.step = outer;
    if (bound?.step !== undefined) steps.push(bound.step);
    if (bound?.adopted === true) break;
  }
  binding.depth--;
  return steps;
}

interface BoundStep {
  /** Undefined when the step is disabled, or lacks a required option. */
  readonly step: StepNode | undefined;
  /** True when the step adopted all following steps. */
  readonly adopted: boolean;
}

function bindItem(binding: Binding, items: readonly Tree[], index: number, path: string): BoundStep | undefined {
  const item = items[index] as Tree;
  const at = `${path}[${index}]`;
  if (item.type !== "map" || item.entries.length !== 1) {
    reportShape(binding, item, at);
    return undefined;
  }
  const entry = camelCaseEntry(binding, item.entries[0] as MapEntry, at, (name) => binding.vocabulary.steps.has(name));
  const owner: Owner = { label: `step '${clip(entry.key)}'`, path: `${at}.${entry.key}`, span: entry.keySpan };
  const shape = binding.vocabulary.steps.get(entry.key);
  if (shape === undefined) {
    reportUnknown(binding, entry.key, owner);
    return undefined;
  }
  const map = asMap(entry.value, shape.shorthand);
  if (map === undefined) {
    reportNoMap(binding, shape, entry.value, owner);
    return undefined;
  }
  return bindStep(binding, shape, withClauses(binding, map, shape, owner.path), owner, { items, index, path });
}

function bindStep(binding: Binding, shape: StepShape, map: MapTree, owner: Owner, rest: { items: readonly Tree[]; index: number; path: string }): BoundStep {
  const draftCount = binding.drafts.length;
  const description = commonText(binding, map, "description", owner);
  const draft: StepDraft = {
    node: {
      id: commonText(binding, map, "id", owner) ?? "",
      name: shape.name,
      options: {},
      span: owner.span,
      ...(description === undefined ? {} : { description }),
    },
    path: owner.path,
  };
  binding.drafts.push(draft);
  binding.step = draft;
  const adopts = shape.adoptsSiblings === true && hasNoSteps(map);
  const options = binding.bindMap(binding, map, shape.options, owner, { ignore: adopts ? commonNamesAndSteps : commonNames });
  if (adopts) options["steps"] = rest.index + 1 < rest.items.length ? bindItems(binding, rest.items, rest.index + 1, rest.path) : [];
  Object.assign(draft.node, { options });
  if (!isDisabled(binding, map, owner)) return { step: binding.incomplete.has(options) ? undefined : draft.node, adopted: adopts };
  binding.drafts.length = draftCount;
  return { step: undefined, adopted: adopts };
}

/** Moves clauses written among the steps to the option they belong to; a clause whose option is already a list is appended to it. */
function withClauses(binding: Binding, map: MapTree, { clausesInSteps: names = [], options }: StepShape, path: string): MapTree {
  const steps = map.entries.find((entry) => entry.key === "steps");
  if (steps?.value.type !== "list") return map;
  const isClause = (item: Tree): item is MapTree =>
    item.type === "map" && item.entries.length === 1 && names.includes(inCamelCase((item.entries[0] as MapEntry).key));
  const clauses = steps.value.items
    .filter(isClause)
    .map((item) => camelCaseEntry(binding, item.entries[0] as MapEntry, `${path}.steps`, (name) => names.includes(name)));
  if (clauses.length === 0) return map;
  const inner: MapEntry = { ...steps, value: { ...steps.value, items: steps.value.items.filter((item) => !isClause(item)) } };
  const entries = map.entries.map((entry) => (entry === steps ? inner : entry));
  for (const clause of clauses) {
    const at = entries.findIndex((entry) => entry.key === clause.key);
    const isList = describe(options[clause.key] as never).kind === "list";
    const value: Tree = isList ? { type: "list", items: [clause.value], span: clause.value.span } : clause.value;
    const existing = entries[at];
    if (existing === undefined || !isList || existing.value.type !== "list") entries.push({ ...clause, value });
    else entries[at] = { ...existing, value: { ...existing.value, items: [...existing.value.items, clause.value] } };
  }
  return { ...map, entries };
}

const commonNamesAndSteps: ReadonlySet<string> = new Set([...commonNames, "steps"]);

function hasNoSteps(map: MapTree): boolean {
  const steps = map.entries.find((entry) => entry.key === "steps")?.value;
  return steps === undefined || (steps.type === "list" && steps.items.length === 0) || (steps.type === "scalar" && steps.text === null);
}

function reportShape(binding: Binding, item: Tree, path: string): void {
  const at = { path, span: item.span };
  if (item.type === "scalar" && item.text !== null) {
    const hint = binding.vocabulary.steps.has(item.text) ? `write '${item.text}: {}'` : "write 'name: {…}'";
    return binding.report("step-shape", `a step in ${binding.scopeLabel} must be a mapping, got '${clip(item.text)}' (${hint})`, at, hint);
  }
  const got = item.type === "map" ? `${item.entries.length} keys` : kindOf(item);
  const keys = item.type === "map" ? item.entries.map((entry) => entry.key) : [];
  const hint =
    keys.length > 1 && binding.vocabulary.steps.has(keys[0] as string)
      ? `indent '${clip(keys[1] as string)}' below '${keys[0]}', or start it with '- '`
      : undefined;
  binding.report("step-shape", withHint(`a step in ${binding.scopeLabel} must be a mapping with exactly one key, got ${got}`, hint), at, hint);
}

function reportUnknown(binding: Binding, name: string, owner: Owner): void {
  const { vocabulary } = binding;
  const reason = vocabulary.refused.get(name);
  if (reason !== undefined) return binding.report("refused", reason, owner);
  const suggestion = closest(name, vocabulary.steps.keys());
  const hint =
    suggestion !== undefined
      ? `did you mean '${suggestion}'?`
      : vocabulary.languages.has(name)
        ? `'${name}' is an expression language: use it inside a step, e.g. setBody: {${name}: …}`
        : vocabulary.formats.has(name)
          ? `'${name}' is a data format: write marshal: {${name}: {}}`
          : vocabulary.entities.has(name)
            ? `'${name}' is a top-level element: move it out of the steps`
            : ownerOf(vocabulary, name);
  binding.report(
    "step-unknown",
    withHint(`unknown step '${clip(name)}' in ${binding.scopeLabel}`, hint),
    owner,
    hint ?? "see the step reference for all names",
  );
}

/** Names that are not steps but part of one, such as `doCatch`. */
function ownerOf({ steps }: Vocabulary, name: string): string | undefined {
  for (const shape of steps.values()) if (Object.hasOwn(shape.options, name)) return `'${name}' belongs inside '${shape.name}'`;
  return undefined;
}

function reportNoMap(binding: Binding, shape: StepShape, value: Tree, owner: Owner): void {
  const inline = Object.values(shape.options).some((field) => describe(field).inline === true);
  const hint = inline ? `write '${shape.name}: {simple: …}'` : `write '${shape.name}: {}' with its options inside the braces or on lines below`;
  binding.report(
    "step-shape",
    `${owner.label} in ${binding.scopeLabel} needs a mapping, got ${kindOf(value)} (${hint})`,
    { path: owner.path, span: owner.span },
    hint,
  );
}
