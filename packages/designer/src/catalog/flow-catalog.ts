// The catalog of the runtime, prepared for rendering: kinds of steps, inner steps and branches. Everything is derived from the declarations; an
// undeclared step has the kind "other" and can still be displayed and edited.
import type { CatalogView, ConnectorRole, ConnectorView, EntityView, FormatView, KameletView, LanguageView, OptionView, StepView } from "@sluice/model";

/** The kind of a card, which determines its color and label. */
export type StepKind = "trigger" | "endpoint" | "transform" | "routing" | "script" | "error" | "other";

/** A named branch of a step: a `when`, an `otherwise`, a `doCatch`. */
export interface BranchView {
  readonly option: OptionView;
  /** True when there can be several. */
  readonly many: boolean;
  readonly fields: readonly OptionView[];
}

const scripts: ReadonlySet<string> = new Set(["script", "bean", "process"]);
const kinds: Readonly<Record<string, StepKind>> = { message: "transform", errors: "error", resilience: "error" };

export class FlowCatalog {
  readonly view: CatalogView;
  readonly #steps: ReadonlyMap<string, StepView>;
  readonly #languages: ReadonlyMap<string, LanguageView>;
  readonly #formats: ReadonlyMap<string, FormatView>;
  readonly #entities: ReadonlyMap<string, EntityView>;
  readonly #connectors: ReadonlyMap<string, ConnectorView>;

  constructor(view: CatalogView) {
    this.view = view;
    this.#steps = byName(view.steps);
    this.#languages = byName(view.languages);
    this.#formats = byName(view.formats);
    this.#entities = byName(view.entities);
    this.#connectors = new Map(view.connectors.flatMap((connector) => [connector.scheme, ...connector.aliases].map((scheme) => [scheme, connector] as const)));
  }

  step(name: string): StepView | undefined {
    return this.#steps.get(name);
  }

  language(name: string): LanguageView | undefined {
    return this.#languages.get(name);
  }

  format(name: string): FormatView | undefined {
    return this.#formats.get(name);
  }

  entity(name: string): EntityView | undefined {
    return this.#entities.get(name);
  }

  /** The connector of a URI such as `timer:tick?period=5s`. */
  connector(uri: string): ConnectorView | undefined {
    return this.#connectors.get(/^[a-z0-9+.-]*/i.exec(uri)?.[0] ?? "");
  }

  /** True for a URI through which routes of this runtime call each other. */
  isRouteCall(uri: string): boolean {
    const connector = this.connector(uri);
    return connector?.trigger === "route" && connector.roles.includes("sink");
  }

  /** True for the trigger of a route that is called over HTTP. */
  isHttpTrigger(uri: string): boolean {
    return this.connector(uri)?.trigger === "request";
  }

  connectorsWith(role: ConnectorRole): readonly ConnectorView[] {
    return this.view.connectors.filter(({ roles }) => roles.includes(role));
  }

  /** The Kamelets of the runtime that start a route, or those that run as a step. */
  kamelets(use: "trigger" | "step"): readonly KameletView[] {
    // A catalog of an older runtime, or one cached by the browser, has none.
    const kamelets = (this.view as Partial<CatalogView>).kamelets ?? [];
    return kamelets.filter(({ type }) => (type === "source") === (use === "trigger"));
  }

  /** Steps with inner steps, which can wrap other steps. */
  containers(): readonly StepView[] {
    return this.view.steps.filter((step) => holdsSteps(step) || branchesOf(step.options).length > 0);
  }

  branches(name: string): readonly BranchView[] {
    return branchesOf((this.step(name) ?? this.entity(name))?.options ?? []);
  }
}

export function kindOfStep(name: string, step: StepView | undefined): StepKind {
  if (step === undefined) return "other";
  if (scripts.has(name)) return "script";
  if (step.options.some(({ kind, required }) => kind === "uri" && required)) return "endpoint";
  return kinds[step.group] ?? "routing";
}

export const holdsSteps = (step: { readonly options: readonly OptionView[] }): boolean => step.options.some(({ kind }) => kind === "steps");

/** The options that are branches: objects with steps, or lists of such objects. */
export function branchesOf(options: readonly OptionView[]): readonly BranchView[] {
  return options.flatMap((option) => {
    const fields = option.kind === "object" ? option.fields : option.kind === "list" ? option.item?.fields : undefined;
    return fields?.some(({ kind }) => kind === "steps") === true ? [{ option, many: option.kind === "list", fields }] : [];
  });
}

const byName = <T extends { readonly name: string }>(list: readonly T[]): ReadonlyMap<string, T> => new Map(list.map((item) => [item.name, item]));
