// The route templates of a document and the Kamelets it uses. A template is bound when it is used, because its {{parameters}} get their values
// then. A Kamelet file is read when a flow first names it.
import {
  closest,
  isTemplateEndpoint,
  kameletUse,
  readKamelet,
  readTree,
  type Diagnostic,
  type EntityNode,
  type KameletUse,
  type RouteNode,
  type Span,
  type StepNode,
  type Tree,
  type Values,
  type Vocabulary,
} from "@sluice/model";
import type { templatedRouteFields } from "../entities/template-entities.ts";
import { CompileError, isCompileError } from "../spi/compiler.ts";
import type { KameletFile, KameletFiles } from "../spi/host.ts";
import type { FlowInput } from "./flow-input.ts";
import type { BeanRegistry } from "./flow-scope.ts";
import { withSteps } from "./kamelet-sink.ts";
import { faultWithin, relocate } from "./relocate.ts";
import { bindBeans, bindTemplate, entryOf, fillDefaults, fillProperties, kameletWarnings, readParameters, textOf, type Template } from "./template.ts";

/** A template bound with placeholder values, to check it. */
export interface TemplateSample {
  readonly tree: Tree;
  readonly route: RouteNode | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** The beans of the template and those of the flow. */
  readonly beans: BeanRegistry;
  /** The names of the parameters that have a default value. */
  readonly defaults: ReadonlySet<string>;
}

/** The value of parameters without a default: valid as text and as a number. Other errors caused by this value are not reported (see check-templates.ts). */
const placeholderValue = "1";

/** Maximum chain of Kamelets whose source is a Kamelet. */
const maxSourceDepth = 10;

type TemplatedRoute = Values<typeof templatedRouteFields>;

interface TemplateHost {
  readonly beans: BeanRegistry;
  readonly kamelets: KameletFiles | undefined;
  report(found: readonly Diagnostic[]): void;
  /** Called with each value of a parameter that is declared secret. */
  secret(value: string): void;
}

export class TemplateLibrary {
  readonly #templates = new Map<string, Template>();
  /** Kamelets looked up so far, by name; undefined when the file does not exist. */
  readonly #kamelets = new Map<string, Template | undefined>();
  readonly #files = new Map<string, KameletFile>();
  readonly #vocabulary: Vocabulary;
  readonly #input: FlowInput;
  readonly #host: TemplateHost;

  constructor(entities: readonly EntityNode[], vocabulary: Vocabulary, input: FlowInput, host: TemplateHost) {
    this.#vocabulary = vocabulary;
    this.#input = input;
    this.#host = host;
    for (const entity of entities) if (entity.name === "routeTemplate") this.#read(entity);
  }

  /** The files of the Kamelets that were used so far, by name. */
  get usedKamelets(): ReadonlyMap<string, KameletFile> {
    return this.#files;
  }

  /** The route of a templatedRoute; undefined after reporting an error. */
  route(entity: EntityNode, usedIds: ReadonlySet<string>): RouteNode | undefined {
    const options = entity.options as TemplatedRoute;
    const { report } = this.#host;
    const template = this.#templates.get(options.routeTemplateRef);
    if (template === undefined) {
      const suggestion = closest(options.routeTemplateRef, this.#templates.keys());
      const message = `unknown route template '${options.routeTemplateRef}'${suggestion === undefined ? "" : ` (did you mean '${suggestion}'?)`}`;
      report([fault("template-unknown", message, entity, "define it under routeTemplate in this flow")]);
      return undefined;
    }
    const values = new Map(options.parameters.map(({ name, value }) => [name, value]));
    const missing = fillDefaults(template, values);
    if (missing !== undefined) {
      const hint = `add {name: ${missing}, value: …} to its parameters`;
      report([fault("template-parameter", `templatedRoute of '${options.routeTemplateRef}' has no value for parameter '${missing}'`, entity, hint)]);
      return undefined;
    }
    const route = entryOf(template.tree, "route");
    const id = options.routeId ?? (route === undefined ? undefined : textOf(entryOf(route, "id"))) ?? nextFreeId(this.#input.id, usedIds);
    try {
      for (const bean of options.beans) if (!values.has(bean.name)) values.set(bean.name, this.#host.beans.declare(bean, id));
      this.#declareBeans(template, values, id);
    } catch (error) {
      if (!isCompileError(error)) throw error;
      report([fault(error.code, error.message, entity, error.hint)]);
      return undefined;
    }
    if (usedIds.has(id)) report([fault("route-id-twice", `two routes have the id '${id}'`, entity, "change one of the ids")]);
    const bound = this.#bind(template, id, undefined, values);
    report(bound.diagnostics);
    // Incomplete routes must not be compiled: steps rely on their required options.
    return bound.diagnostics.some(({ severity }) => severity === "error") ? undefined : bound.route;
  }

  /** Each template as a route with placeholder values for missing parameters, so that unused templates are checked too. */
  samples(newBeans: () => BeanRegistry): readonly TemplateSample[] {
    return [...this.#templates].map(([id, template]) => {
      const values = new Map<string, string>();
      fillDefaults(template, values);
      const defaults = new Set(values.keys());
      const value = (name: string): string => values.get(name) ?? this.#input.property(name) ?? placeholderValue;
      const beans = newBeans();
      const diagnostics: Diagnostic[] = [];
      for (const { bean, span, diagnostics: faults } of bindBeans(template, this.#vocabulary, this.#input.id, value)) {
        diagnostics.push(...faults);
        if (bean === undefined) continue;
        try {
          values.set(bean.name, beans.declare(bean, id));
        } catch (error) {
          if (!isCompileError(error)) throw error;
          const { code, message, hint } = error;
          diagnostics.push(fault(code, message, { span }, hint));
          values.set(bean.name, bean.name);
        }
      }
      const bound = bindTemplate(template, id, undefined, this.#vocabulary, this.#input.id, value);
      return { tree: template.tree, route: bound.route, diagnostics: [...diagnostics, ...bound.diagnostics], beans, defaults };
    });
  }

  /** The steps of a template or Kamelet, inlined where it is used; throws a CompileError when that is not possible. */
  steps(use: KameletUse, prefix: string, at: Span): readonly StepNode[] {
    const { name } = use;
    const route = this.#use(use, prefix, at);
    if (this.#find(name)?.kamelet !== undefined && !isTemplateEndpoint(route.from.uri))
      throw new CompileError("kamelet-role", `Kamelet '${name}' is a source and cannot be used as a destination`, {
        hint: `use it in 'from': kamelet:${name}`,
      });
    return route.steps;
  }

  /** A route whose `from` is a Kamelet, with the Kamelet's own trigger and steps; any other route is returned unchanged. */
  withSource(route: RouteNode, depth = 0): RouteNode {
    const use = kameletUse(route.from.uri, route.from.parameters);
    if (use === undefined) return route;
    const { name, fault: problem } = use;
    if (problem !== undefined) throw new CompileError("endpoint-uri-invalid", `the query of Kamelet '${name}' is not valid: ${problem}`);
    if (depth >= maxSourceDepth) throw new CompileError("kamelet-circular", `Kamelet '${name}' uses itself as its source`);
    const kameletRoute = this.#use(use, `${name}-`, route.from.span);
    if (isTemplateEndpoint(kameletRoute.from.uri))
      throw new CompileError("kamelet-role", `Kamelet '${name}' is not a source: it cannot be used in 'from'`, {
        hint: "use it with 'to' or the step 'kamelet'",
      });
    const steps = withSteps(kameletRoute.steps, route.steps);
    const routeOptions = Object.fromEntries(Object.entries(route.fromOptions).filter(([, value]) => value !== undefined));
    return this.withSource({ ...route, from: kameletRoute.from, fromOptions: { ...kameletRoute.fromOptions, ...routeOptions }, steps }, depth + 1);
  }

  /** The route of a template or Kamelet with these values, located at `at`. */
  #use({ name, configuration, parameters }: KameletUse, prefix: string, at: Span): RouteNode {
    const template = this.#find(name);
    if (template === undefined) throw this.#unknown(name);
    const { kamelet } = template;
    const label = kamelet === undefined ? `template '${name}'` : `Kamelet '${name}'`;
    const values = new Map(Object.entries(parameters));
    fillProperties(template, configuration, values, this.#input.property);
    const warnings = kameletWarnings(template, values);
    for (const { name: parameter, secret } of kamelet?.parameters ?? []) {
      const value = secret ? values.get(parameter) : undefined;
      if (value !== undefined && value !== "") this.#host.secret(value);
    }
    const missing = fillDefaults(template, values);
    if (missing !== undefined)
      throw new CompileError("template-parameter", `${label} needs a value for parameter '${missing}'`, { hint: `add ${missing} to its parameters` });
    this.#host.report(warnings.map((message) => ({ ...fault("kamelet-parameter", message, { span: at }), severity: "warning" as const })));
    this.#declareBeans(template, values, prefix);
    const { route, diagnostics } = this.#bind(template, name, prefix, values);
    const first = diagnostics.find(({ severity }) => severity === "error");
    if (first !== undefined)
      throw kamelet === undefined ? new CompileError(first.code, `${label}, line ${first.span.line}: ${first.message}`) : faultWithin(first, kamelet);
    if (route === undefined) throw new CompileError("template-shape", `${label} defines no route`);
    return kamelet === undefined ? route : relocate(route, at, { kamelet: kamelet.kamelet, file: kamelet.file });
  }

  /** Declares the beans of a template; `{{name}}` then refers to the declared name. */
  #declareBeans(template: Template, values: Map<string, string>, owner: string): void {
    const { kamelet } = template;
    const property = (name: string): string | undefined => values.get(name) ?? this.#input.property(name);
    for (const { bean, span, diagnostics } of bindBeans(template, this.#vocabulary, this.#input.id, property)) {
      const firstError = diagnostics.find(({ severity }) => severity === "error");
      if (firstError !== undefined && kamelet !== undefined) throw faultWithin(firstError, kamelet);
      this.#host.report(diagnostics);
      if (bean === undefined || values.has(bean.name)) continue;
      try {
        values.set(bean.name, this.#host.beans.declare(bean, owner));
      } catch (error) {
        throw isCompileError(error) && kamelet !== undefined
          ? faultWithin({ code: error.code, message: error.message, span, ...(error.hint === undefined ? {} : { hint: error.hint }) }, kamelet)
          : error;
      }
    }
  }

  #bind(template: Template, routeId: string, prefix: string | undefined, values: { get(name: string): string | undefined }) {
    return bindTemplate(template, routeId, prefix, this.#vocabulary, this.#input.id, (name) => values.get(name) ?? this.#input.property(name));
  }

  /** A template of the flow takes precedence over a Kamelet of the same name. */
  #find(name: string): Template | undefined {
    const template = this.#templates.get(name);
    if (template !== undefined || this.#kamelets.has(name)) return template ?? this.#kamelets.get(name);
    const file = this.#host.kamelets?.find(name);
    if (file !== undefined) this.#files.set(name, file);
    const kamelet = file === undefined ? undefined : this.#readKamelet(name, file);
    this.#kamelets.set(name, kamelet);
    return kamelet;
  }

  #readKamelet(name: string, { file, text }: KameletFile): Template {
    const origin = { kamelet: name, file };
    const { tree, diagnostics } = readTree(text);
    const firstError = diagnostics[0];
    if (tree === undefined || firstError !== undefined) throw faultWithin({ ...(firstError ?? emptyFile), code: "kamelet-invalid" }, origin);
    const read = readKamelet(tree);
    if ("code" in read) throw faultWithin(read, origin);
    const { parameters, diagnostics: faults } = readParameters(read.template, name, this.#vocabulary, this.#input, text);
    const [first] = faults;
    if (first !== undefined) throw faultWithin(first, origin);
    return { name, tree: read.template, source: text, parameters, kamelet: { ...origin, parameters: read.parameters } };
  }

  #unknown(name: string): CompileError {
    const { kamelets } = this.#host;
    const suggestion = closest(name, [...this.#templates.keys(), ...(kamelets?.names() ?? [])]);
    const message = `unknown route template or Kamelet '${name}'${suggestion === undefined ? "" : ` (did you mean '${suggestion}'?)`}`;
    const definition = `define it under routeTemplate in this flow, or put ${name}.kamelet.yaml into a kamelets folder`;
    return new CompileError("template-unknown", message, { hint: suggestion === undefined ? definition : `did you mean '${suggestion}'?` });
  }

  #read(entity: EntityNode): void {
    const tree = entity.options["tree"] as Tree;
    const id = textOf(entryOf(tree, "id"));
    const { report } = this.#host;
    if (tree.type !== "map" || id === undefined || (entryOf(tree, "from") === undefined && entryOf(tree, "route") === undefined)) {
      report([fault("template-shape", "a routeTemplate needs 'id', and 'from' or 'route'", entity, "write {id: …, from: {uri: …, steps: […]}}")]);
      return;
    }
    if (this.#templates.has(id)) report([fault("template-twice", `two route templates have the id '${id}'`, entity, "change one of the ids")]);
    const { parameters, diagnostics } = readParameters(tree, id, this.#vocabulary, this.#input, this.#input.source);
    report(diagnostics);
    this.#templates.set(id, { name: id, tree, source: this.#input.source, parameters });
  }
}

const emptyFile = { code: "kamelet-invalid", message: "the file is empty", span: { line: 1, column: 1, endLine: 1, endColumn: 1, start: 0, end: 0 } };

function nextFreeId(flowId: string, usedIds: ReadonlySet<string>): string {
  if (!usedIds.has(flowId)) return flowId;
  for (let number = 2; ; number++) if (!usedIds.has(`${flowId}-${number}`)) return `${flowId}-${number}`;
}

function fault(code: string, message: string, { span }: { readonly span: Span }, hint?: string): Diagnostic {
  return { code, severity: "error", message, path: "", span, ...(hint === undefined ? {} : { hint }) };
}
