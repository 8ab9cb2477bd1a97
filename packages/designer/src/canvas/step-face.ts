// Titles of steps, triggers and elements on their cards.
import type { FlowCatalog, StepKind } from "../catalog/flow-catalog.ts";
import { kindOfStep } from "../catalog/flow-catalog.ts";
import type { BlockOutline, EntityOutline, RouteOutline, StepOutline } from "../document/outline.ts";
import { strings } from "../strings.ts";

export interface Face {
  readonly title: string;
  readonly subtitle: string;
  readonly kind: StepKind;
  readonly icon: string | undefined;
}

const words = strings.canvas;

/** Splits `setBody` into words, for steps without a declaration. */
const spoken = (name: string): string => {
  const text = name.replaceAll(/([a-z])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`);
  return text.charAt(0).toUpperCase() + text.slice(1);
};

export function stepFace(step: StepOutline, catalog: FlowCatalog | undefined): Face {
  const view = catalog?.step(step.name);
  const kind = kindOfStep(step.name, view);
  const connector = kind === "endpoint" ? catalog?.connector(step.detail) : undefined;
  const named = step.blocks.filter((block) => block.name !== "").length;
  const detail = step.detail === "" && named > 0 ? words.branches(named) : step.detail;
  const order = step.isParallel ? words.inParallel : view?.lanes === "all" ? words.inOrder : "";
  return {
    title: step.description ?? connector?.title ?? view?.title ?? spoken(step.name),
    subtitle: [detail, order].filter((text) => text !== "").join(" · "),
    kind: view === undefined && catalog === undefined ? "routing" : kind,
    icon: connector?.icon ?? view?.icon,
  };
}

export function triggerFace(route: RouteOutline, catalog: FlowCatalog | undefined): Face {
  const connector = catalog?.connector(route.from.uri);
  return { title: connector?.title ?? route.description ?? route.id, subtitle: route.from.uri, kind: "trigger", icon: connector?.icon };
}

export function entityFace(entity: EntityOutline, catalog: FlowCatalog | undefined): Face {
  const view = catalog?.entity(entity.name);
  const isError = /exception|error/i.test(entity.name);
  return { title: view?.title ?? spoken(entity.name), subtitle: entity.detail, kind: isError ? "error" : "other", icon: view?.icon };
}

export const branchTitle = (block: BlockOutline): string => (block.detail === "" ? block.name : `${block.name} ${block.detail}`);
