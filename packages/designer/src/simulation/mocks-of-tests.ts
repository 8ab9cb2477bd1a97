// Mock responses from a flow's tests, for steps without another response.
import { readFlowTests } from "@sluice/flow-tests/portable";
import type { MockBody } from "@sluice/model";
import type { SimulatedRuntime } from "./simulated-runtime.ts";
import type { TestFile } from "./test-result.ts";

/** The first mock of each step or endpoint that returns a response; `explicitMocks` take precedence. */
export function mocksOfTests(files: readonly TestFile[], explicitMocks: readonly MockBody[], { deployment }: SimulatedRuntime): readonly MockBody[] {
  const steps = new Set(deployment.routes.flatMap((route) => route.steps.map(({ node }) => node.id)));
  const mockedSteps = new Set(explicitMocks.map(({ match }) => match.stepId));
  const selected = new Map<string, MockBody>();
  for (const mock of files.flatMap(mocksIn)) {
    const { stepId } = mock.match;
    if (stepId !== undefined && (mockedSteps.has(stepId) || (!/[*/]/.test(stepId) && !steps.has(stepId)))) continue;
    const key = JSON.stringify(mock.match);
    if (mock.throw === undefined && !selected.has(key)) selected.set(key, { ...mock, id: `test:${mock.id ?? stepId ?? mock.match.uri ?? selected.size}` });
  }
  const byId = new Map([...selected.values()].map((mock) => [mock.id, mock]));
  return [...byId.values()];
}

function mocksIn({ text }: TestFile): readonly MockBody[] {
  try {
    return readFlowTests(text).tests.flatMap(({ mocks }) => mocks);
  } catch {
    return [];
  }
}
