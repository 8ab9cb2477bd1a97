// Finds the changes that a deployment would make, for the dry run: to routes and steps, to webhooks, and the affected tests.
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

/** Compares two versions; undefined when one of them cannot be read. */
export function compareVersions(
  flowId: string,
  { before, after, tests }: { readonly before: Version; readonly after: Version; readonly tests: string | null },
  maskSecrets: (text: string) => string,
): FlowComparison | undefined {
  const difference = flowDifference(before.source, after.source, flowId);
  if (difference === undefined) return undefined;
  const maskOptions = (options: readonly OptionChange[]): readonly OptionChange[] =>
    options.map(({ name, before: old, after: next }) => ({ name, before: old && maskSecrets(old), after: next && maskSecrets(next) }));
  const operationsOf = ({ deployment }: Version) => deployment?.routes.flatMap(({ operations }) => operations) ?? [];
  return {
    routes: difference.routes.map(({ change, route, options }) => ({ change, id: route.id, options: maskOptions(options) })),
    steps: difference.steps.map(({ change, routeId, step, options }) => ({ change, routeId, id: step.id, name: step.name, options: maskOptions(options) })),
    elements: difference.elements.map(({ change, element, options }) => ({ change, name: element.name, options: maskOptions(options) })),
    webhooks: webhookDifference(operationsOf(before), operationsOf(after)),
    tests: findAffectedTests(tests, difference),
  };
}

function findAffectedTests(tests: string | null, difference: FlowDifference): readonly AffectedTest[] | null {
  if (tests === null) return [];
  try {
    return affectedTests(readFlowTests(tests), difference);
  } catch {
    return null;
  }
}
