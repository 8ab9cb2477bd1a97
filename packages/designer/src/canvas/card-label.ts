// Titles of steps, triggers and elements on their cards.
import type { FlowCatalog, StepKind } from "../catalog/flow-catalog.ts";
import { kindOfStep } from "../catalog/flow-catalog.ts";
import type { BlockOutline, ConnectorView, EntityOutline, OptionTexts, RouteOutline, StepOutline } from "@sluice/model";
import { strings } from "../strings.ts";
import { endpointValues, fillTemplate, stepValues, withDefaults } from "./card-text.ts";

export interface CardLabel {
  readonly title: string;
  readonly subtitle: string;
  readonly kind: StepKind;
  readonly icon: string | undefined;
}

const labels = strings.canvas;

/** Splits a name such as `setBody` into words, for steps and elements without a declaration. */
const titleOfName = (name: string): string => {
  const text = name.replaceAll(/([a-z])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`);
  return text.charAt(0).toUpperCase() + text.slice(1);
};

export function stepLabel(step: StepOutline, catalog: FlowCatalog | undefined): CardLabel {
  const view = catalog?.step(step.name);
  const kind = kindOfStep(step.name, view);
  const values = stepValues(step, view, catalog);
  const uri = withDefaults(values["uri"] ?? "");
  const connector = kind === "endpoint" ? catalog?.connector(uri) : undefined;
  const endpoint = connector === undefined ? undefined : endpointText(connector, endpointValues(uri, values, connector));
  const ownTitle = fillTemplate(view?.card?.title, values);
  const title = ownTitle ?? endpoint?.title ?? view?.title ?? titleOfName(step.name);
  const order = step.isParallel ? labels.inParallel : view?.lanes === "all" ? labels.inOrder : "";
  const detail = fillTemplate(view?.card?.subtitle, values) ?? endpoint?.subtitle ?? (view?.card === undefined ? plainDetail(step) : "");
  // If the step has its own name or title, the subtitle shows the kind of step or connector.
  const kindName = step.description !== undefined ? title : ownTitle !== undefined && endpoint !== undefined ? (endpoint.title ?? "") : "";
  return {
    title: step.description ?? title,
    subtitle: [kindName, detail, order].filter((text) => text !== "").join(" · "),
    kind: view === undefined && catalog === undefined ? "routing" : kind,
    icon: connector?.icon ?? view?.icon,
  };
}

function plainDetail(step: StepOutline): string {
  const branchCount = step.blocks.filter((block) => block.name !== "").length;
  return step.detail === "" && branchCount > 0 ? labels.branches(branchCount) : step.detail;
}

function endpointText(connector: ConnectorView, values: OptionTexts): Pick<CardLabel, "title" | "subtitle"> {
  return {
    title: fillTemplate(connector.card?.title, values) ?? connector.title,
    subtitle: fillTemplate(connector.card?.subtitle ?? "{address}", values) ?? "",
  };
}

export function triggerLabel(route: RouteOutline, catalog: FlowCatalog | undefined): CardLabel {
  const { uri: written, options } = route.from;
  const uri = withDefaults(written);
  const connector = catalog?.connector(uri);
  if (connector === undefined) return { title: route.description ?? route.id, subtitle: written, kind: "trigger", icon: undefined };
  return { ...endpointText(connector, { ...endpointValues(uri, options, connector), routeId: route.id }), kind: "trigger", icon: connector.icon };
}

export function entityLabel(entity: EntityOutline, catalog: FlowCatalog | undefined): CardLabel {
  const view = catalog?.entity(entity.name);
  const isError = /exception|error/i.test(entity.name);
  return { title: view?.title ?? titleOfName(entity.name), subtitle: entity.detail, kind: isError ? "error" : "other", icon: view?.icon };
}

export const branchTitle = (block: BlockOutline): string => (block.detail === "" ? block.name : `${block.name} ${block.detail}`);
