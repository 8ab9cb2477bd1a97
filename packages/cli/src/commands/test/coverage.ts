// Step and branch coverage of flow tests. A branch is a list of nested steps; a step that may skip all nested steps has one additional branch.
import type { RunView } from "@sluice/flow-tests";
import type { FlowDocument, StepNode } from "@sluice/model";

interface CoveredStep {
  readonly id: string;
  readonly kind: string;
  readonly line: number;
  readonly routeId: string;
  readonly hits: number;
}

interface CoveredBranch {
  /** `choice1: when 2`, `filter1: skipped`. */
  readonly name: string;
  readonly line: number;
  readonly routeId: string;
  readonly hits: number;
}

export interface FlowCoverage {
  readonly flowId: string;
  readonly file: string | undefined;
  readonly steps: readonly CoveredStep[];
  readonly branches: readonly CoveredBranch[];
}

interface Branch {
  readonly name: string;
  readonly line: number;
  readonly steps: readonly StepNode[];
}

/** `maySkipSteps` returns true for steps that may skip all their nested steps without an error. */
export function coverageOf(
  subject: { readonly flowId: string; readonly file: string | undefined },
  flow: FlowDocument,
  runs: readonly RunView[],
  maySkipSteps: (step: string) => boolean,
): FlowCoverage {
  const steps: CoveredStep[] = [];
  const branches: CoveredBranch[] = [];
  for (const route of flow.routes) {
    const visitedByRun = runs.filter(({ routeId }) => routeId === route.id).map((run) => new Set(run.steps.map(({ stepId }) => stepId)));
    const hits = (id: string): number => visitedByRun.filter((visited) => visited.has(id)).length;
    for (const node of allSteps(route.steps)) {
      steps.push({ id: node.id, kind: node.name, line: node.span.line, routeId: route.id, hits: hits(node.id) });
      const inner = branchesOf(node);
      for (const branch of inner) {
        const first = branch.steps[0] as StepNode;
        branches.push({ name: `${node.id}: ${branch.name}`, line: branch.line, routeId: route.id, hits: hits(first.id) });
      }
      if (maySkipSteps(node.name) && !inner.some(({ name }) => name === "otherwise")) {
        const firstSteps = inner.map(({ steps: nested }) => (nested[0] as StepNode).id);
        const skipped = visitedByRun.filter((visited) => visited.has(node.id) && !firstSteps.some((id) => visited.has(id))).length;
        branches.push({ name: `${node.id}: skipped`, line: node.span.line, routeId: route.id, hits: skipped });
      }
    }
  }
  return { ...subject, steps, branches };
}

function* allSteps(steps: readonly StepNode[]): Generator<StepNode> {
  for (const node of steps) {
    yield node;
    for (const { steps: inner } of branchesOf(node)) yield* allSteps(inner);
  }
}

/** The lists of nested steps of a step, each with a display name. */
function branchesOf(node: StepNode): readonly Branch[] {
  const found: Branch[] = [];
  const collect = (value: unknown, name: string): void => {
    if (Array.isArray(value)) {
      if (isStepList(value)) found.push({ name, line: value[0].span.line, steps: value });
      else value.forEach((item, index) => collect(item, value.length === 1 ? name : `${name} ${index + 1}`));
    } else if (typeof value === "object" && value !== null && !isStep(value)) {
      for (const [key, inner] of Object.entries(value))
        if (key !== "span") collect(inner, key === "steps" ? name : name === "steps" ? key : name === "" ? key : `${name} ${key}`.trim());
    }
  };
  for (const [key, value] of Object.entries(node.options)) collect(value, key);
  return found;
}

const isStepList = (value: readonly unknown[]): value is [StepNode, ...StepNode[]] => value.length > 0 && value.every(isStep);

function isStep(value: unknown): value is StepNode {
  return typeof value === "object" && value !== null && "id" in value && "name" in value && "options" in value && "span" in value;
}

export interface Share {
  readonly hit: number;
  readonly of: number;
}

export const shareOf = (items: readonly { readonly hits: number }[]): Share => ({ hit: items.filter(({ hits }) => hits > 0).length, of: items.length });
export const percent = ({ hit, of }: Share): string => (of === 0 ? "100.0%" : `${((hit / of) * 100).toFixed(1)}%`);
