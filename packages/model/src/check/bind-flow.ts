// Binds the YAML tree to a flow: every option is bound by its declaration, every error collected.
import type { Diagnostic } from "../flow/diagnostic.ts";
import type { EntityNode, FlowDocument, RouteNode } from "../flow/flow-document.ts";
import type { MapEntry, MapTree, Tree } from "../flow/tree.ts";
import type { Fields } from "../schema/field.ts";
import type { Vocabulary } from "../schema/shape.ts";
import { bindEntity } from "./bind-entity.ts";
import { bindMap } from "./bind-map.ts";
import { bindBareFrom, bindRouteTree } from "./bind-route.ts";
import { kindOf } from "./bind-scalar.ts";
import { Binding, clip, withHint } from "./binding.ts";
import type { BindOptions, Owner } from "./binding.ts";
import { closest } from "./did-you-mean.ts";
import { camelCaseEntry } from "./kebab-case.ts";
import { RouteIds } from "./route-ids.ts";

export interface BindResult {
  /** The part of the document that could be bound; compile it only when the diagnostics contain no error. */
  readonly flow: FlowDocument;
  /** In text order. */
  readonly diagnostics: readonly Diagnostic[];
  /** The placeholder names the document uses, functions with their prefix. */
  readonly usedProperties: readonly string[];
}

export function bindFlow(tree: Tree, vocabulary: Vocabulary, options: BindOptions): BindResult {
  const binding = new Binding(vocabulary, options, bindMap);
  const flow = new FlowBinding(binding);
  if (tree.type === "list") flow.items(tree.items);
  else reportDocument(binding, tree);
  const { routes, entities } = flow;
  return { flow: { routes, entities, source: options.source }, diagnostics: binding.diagnostics, usedProperties: binding.placeholders.used };
}

export interface RouteResult {
  readonly route: RouteNode | undefined;
  readonly diagnostics: readonly Diagnostic[];
  readonly usedProperties: readonly string[];
}

/** Binds a single route, such as a template's: `tree` is the mapping below `route`, or one that contains `from`. */
export function bindRoute(tree: Tree, vocabulary: Vocabulary, options: BindOptions & { readonly routeId: string; readonly path?: string }): RouteResult {
  const binding = new Binding(vocabulary, options, bindMap);
  const route = bindRouteTree(binding, tree, { label: "route", path: options.path ?? "", span: tree.span }, options.routeId);
  return { route, diagnostics: binding.diagnostics, usedProperties: binding.placeholders.used };
}

/** Binds a single mapping by fields; keys in `ignore` are left to the caller. */
export function bindOptions(
  tree: MapTree,
  fields: Fields,
  vocabulary: Vocabulary,
  options: BindOptions & { readonly label: string; readonly path?: string; readonly ignore?: readonly string[] },
) {
  const binding = new Binding(vocabulary, options, bindMap);
  const owner: Owner = { label: options.label, path: options.path ?? "", span: tree.span };
  const values = bindMap(binding, tree, fields, owner, { ignore: new Set(options.ignore) });
  return { values, diagnostics: binding.diagnostics, usedProperties: binding.placeholders.used };
}

function reportDocument(binding: Binding, tree: Tree): void {
  const at = { path: "", span: tree.span };
  if (tree.type === "scalar" && tree.text === null)
    return binding.report("flow-empty", "flow defines no routes", at, "add a route, such as - from: {uri: …, steps: […]}");
  const first = tree.type === "map" ? tree.entries[0]?.key : undefined;
  const hint =
    first === undefined
      ? "start each route with '- '"
      : first === "yaml"
        ? "send a flow wrapped in JSON with Content-Type: application/json"
        : `write '- ${clip(first)}:'`;
  binding.report("flow-shape", `a flow must be a list of routes, got ${kindOf(tree)} (${hint})`, at, hint);
}

class FlowBinding {
  readonly routes: RouteNode[] = [];
  readonly entities: EntityNode[] = [];
  readonly #binding: Binding;
  readonly #counts = new Map<string, number>();
  #routesSeen = 0;

  constructor(binding: Binding) {
    this.#binding = binding;
  }

  items(items: readonly Tree[]): void {
    const ids = new RouteIds(this.#binding, items);
    items.forEach((item, index) => {
      this.#binding.routeId = undefined;
      this.#binding.step = undefined;
      this.#binding.scopeLabel = "this flow";
      const path = `[${index}]`;
      if (item.type === "map" && item.entries.length === 1) return this.#item(item.entries[0] as MapEntry, path, ids, index);
      const got = item.type === "map" ? `${item.entries.length} keys` : kindOf(item);
      this.#binding.report("flow-item", `an item of a flow must be a mapping with exactly one key, such as 'route', got ${got}`, { path, span: item.span });
    });
    ids.checkStartupOrder(this.routes, items);
  }

  #item(mapEntry: MapEntry, path: string, ids: RouteIds, index: number): void {
    const entry = camelCaseEntry(this.#binding, mapEntry, path, (name) => this.#binding.vocabulary.entities.has(name));
    const { key, value } = entry;
    const owner: Owner = { label: `'${clip(key)}'`, path: `${path}.${key}`, span: entry.keySpan };
    if (key === "route" || key === "from") {
      this.#routesSeen++;
      const id = ids.of(index);
      const route = key === "route" ? bindRouteTree(this.#binding, value, owner, id) : bindBareFrom(this.#binding, value, owner, id);
      if (route !== undefined) this.routes.push(route);
      return;
    }
    this.#entity(entry, owner);
  }

  #entity({ key, value }: MapEntry, owner: Owner): void {
    const { vocabulary } = this.#binding;
    const shape = vocabulary.entities.get(key);
    if (shape === undefined) return this.#unknown(key, owner);
    if (shape.beforeRoutes === true && this.#routesSeen > 0)
      this.#binding.report("entity-order", `'${key}' must come before the first route`, owner, `move '${key}' to the top`);
    const nth = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, nth);
    this.entities.push(...bindEntity(this.#binding, shape, value, owner, nth));
  }

  #unknown(key: string, owner: Owner): void {
    const { vocabulary } = this.#binding;
    const reason = vocabulary.refused.get(key);
    if (reason !== undefined) return this.#binding.report("refused", reason, owner);
    const suggestion = closest(key, ["route", "from", ...vocabulary.entities.keys()]);
    const hint =
      suggestion !== undefined
        ? `did you mean '${suggestion}'?`
        : vocabulary.steps.has(key)
          ? `'${key}' is a step: move it into the steps of a route`
          : "use 'route' or 'from' at the top level";
    this.#binding.report("entity-unknown", withHint(`unknown top-level element '${clip(key)}'`, hint), owner, hint);
  }
}
