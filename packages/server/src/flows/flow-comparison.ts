// Finds the changes that a deployment would make, for the dry run: by route and step, for callers, and for the flow's tests.
import type { Deployment } from "@sluice/engine";
import { affectedTests, readFlowTests, type AffectedTest } from "@sluice/flow-tests";
import { flowDifference, webhookDifference, type FlowDifference, type OptionChange, type WebhookDifference } from "@sluice/model";

export interface FlowComparison {
  readonly routes: readonly { readonly change: string; readonly id: string; readonly options: readonly OptionChange[] }[];
  readonly steps: readonly {
    readonly change: string;
    readonly routeId: string;
    readonly id: string;
    readonly name: string;
    readonly options: readonly OptionChange[];
  }[];
  readonly elements: readonly { readonly change: string; readonly name: string; readonly options: readonly OptionChange[] }[];
  readonly webhooks: WebhookDifference;
  /** Null when the tests cannot be read. */
  readonly tests: readonly AffectedTest[] | null;
}

interface Version {
  readonly source: string;
  readonly deployment: Deployment | undefined;
}

/** Undefined when one of the versions cannot be read. `shown` masks secrets. */
export function compareVersions(
  flowId: string,
  { before, after, tests }: { readonly before: Version; readonly after: Version; readonly tests: string | null },
  shown: (text: string) => string,
): FlowComparison | undefined {
  const difference = flowDifference(before.source, after.source, flowId);
  if (difference === undefined) return undefined;
  const texts = (options: readonly OptionChange[]): readonly OptionChange[] =>
    options.map((option) => ({ name: option.name, before: option.before && shown(option.before), after: option.after && shown(option.after) }));
  const operationsOf = ({ deployment }: Version) => deployment?.routes.flatMap(({ operations }) => operations) ?? [];
  return {
    routes: difference.routes.map(({ change, route, options }) => ({ change, id: route.id, options: texts(options) })),
    steps: difference.steps.map(({ change, routeId, step, options }) => ({ change, routeId, id: step.id, name: step.name, options: texts(options) })),
    elements: difference.elements.map(({ change, element, options }) => ({ change, name: element.name, options: texts(options) })),
    webhooks: webhookDifference(operationsOf(before), operationsOf(after)),
    tests: testsConcerned(tests, difference),
  };
}

function testsConcerned(tests: string | null, difference: FlowDifference): readonly AffectedTest[] | null {
  if (tests === null) return [];
  try {
    return affectedTests(readFlowTests(tests), difference);
  } catch {
    return null;
  }
}
