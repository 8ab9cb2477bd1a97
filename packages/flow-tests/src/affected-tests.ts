// Finds the tests that a change to their flow affects: those that run a changed route, and those that name a removed step.
import { everyStep, type FlowDifference, type Outline, type RouteOutline } from "@sluice/model";
import type { FlowTest, FlowTestFile, When } from "./flow-test-shape.ts";

export interface AffectedTest {
  readonly name: string;
  /** In the test file. */
  readonly line: number;
  /** The changed routes that the test runs. */
  readonly routes: readonly string[];
  /** Removed steps that the test names. */
  readonly missingSteps: readonly string[];
}

export function affectedTests({ tests }: Pick<FlowTestFile, "tests">, difference: FlowDifference): readonly AffectedTest[] {
  const changed = changedRoutes(difference);
  const removed = removedSteps(difference);
  return tests.flatMap((test) => {
    const run = new Set(test.when.flatMap((when) => [...routesRunBy(when, difference.before), ...routesRunBy(when, difference.after)]));
    const routes = changed.filter((id) => run.has(id));
    const missingSteps = [...stepsNamedBy(test)].filter((id) => removed.has(id));
    return routes.length + missingSteps.length === 0 ? [] : [{ name: test.name, line: test.line, routes, missingSteps }];
  });
}

/** A change to an element such as `onException` affects all routes of the flow. */
function changedRoutes({ routes, steps, elements, after }: FlowDifference): readonly string[] {
  const everywhere = elements.length === 0 ? [] : after.routes.map(({ id }) => id);
  return [...new Set([...routes.map(({ route }) => route.id), ...steps.map(({ routeId }) => routeId), ...everywhere])];
}

function removedSteps({ before, after }: FlowDifference): ReadonlySet<string> {
  const idsOf = ({ routes }: Outline): Set<string> => new Set(routes.flatMap(({ steps }) => [...everyStep(steps)].map(({ id }) => id)));
  const current = idsOf(after);
  return new Set([...idsOf(before)].filter((id) => !current.has(id)));
}

function stepsNamedBy({ mocks, then }: FlowTest): ReadonlySet<string> {
  const asserted = then.flatMap((assertion): readonly (string | undefined)[] =>
    "visited" in assertion ? assertion.visited : "notVisited" in assertion ? assertion.notVisited : "error" in assertion ? [assertion.error.stepId] : [],
  );
  return new Set([...mocks.map(({ match }) => match.stepId), ...asserted].filter((id) => id !== undefined));
}

/** The called route and all routes that it calls, directly or indirectly; all routes when the call cannot be attributed to one. */
function routesRunBy(when: When, { routes }: Outline): readonly string[] {
  const first = routes.find((route) => isCalled(route, when));
  if (first === undefined) return routes.map(({ id }) => id);
  const reached = new Set([first]);
  // The set grows while it is iterated.
  for (const route of reached) for (const called of routes) if (!reached.has(called) && calls(route, called)) reached.add(called);
  return [...reached].map(({ id }) => id);
}

function isCalled({ id, from }: RouteOutline, when: When): boolean {
  if ("route" in when) return when.route === id;
  if ("direct" in when) return addressOf(from.uri) === `direct:${when.direct.replace(/^direct:/, "")}`;
  return when.path === undefined ? when.webhook === id : addressOf(from.uri).endsWith(`:${when.path}`);
}

function calls({ steps }: RouteOutline, { from }: RouteOutline): boolean {
  const address = addressOf(from.uri);
  return [...everyStep(steps)].some(({ detail, options }) =>
    [detail, ...Object.values(options)].some((text) => text.split(",").some((part) => addressOf(part.trim()) === address)),
  );
}

const addressOf = (uri: string): string => (uri.split("?", 1)[0] ?? "").replace(/^(\w[\w+.-]*):\/\//, "$1:");
