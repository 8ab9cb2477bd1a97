import { stringify } from "yaml";
import { expect, test } from "vitest";
import { connectorCatalog } from "../catalog/connectors.test-support.ts";
import { openFlow } from "../document/open-flow.ts";
import { simulate } from "../simulation/simulate.ts";
import { simulateTests } from "../simulation/simulate-tests.ts";
import { emptySample, sampleOf } from "./sample-draft.ts";
import { draftData, draftOfTrial, withStepIds } from "./test-draft.ts";
import type { TrialState } from "./trial.ts";

const sources = {
  webhook: `- route:
    id: hook
    from:
      uri: webhook
      steps:
        - to: {id: ask, uri: "http://erp.invalid/x"}
        - setBody: {simple: "\${body} and \${header.X-Kind}"}
`,
  direct: `- route:
    id: called
    from:
      uri: direct:start
      steps:
        - setHeader: {name: n, simple: "\${body[n]}"}
        - setBody: {simple: '{"got": \${header.n}, "on": "2026-01-01T10:00:00Z"}'}
`,
  timer: `- route:
    id: tick
    from:
      uri: timer:tick
      steps: [{setBody: {constant: "007"}}]
`,
};

test.each(Object.entries(sources))("a test created from a trial passes, and fails when the reply changes: %s", async (_, source) => {
  const routes = openFlow("f", source, undefined).lastValid?.outline.routes ?? [];
  const sample = { ...emptySample, body: '{"n": 7}', bodyKind: "json" as const, headers: "X-Kind: urgent" };
  const responses = { "hook/ask": { status: 201, headers: { "X-Seen": "yes" }, body: "known", origin: "typed" as const } };
  const mocks = [{ id: "hook/ask", match: { stepId: "ask" }, respond: { status: 201, headers: { "X-Seen": "yes" }, body: "known" } }];
  const result = await simulate({
    flowId: "f",
    source,
    sample: sampleOf(sample, routes[0] as never, connectorCatalog),
    mocks: routes[0]?.id === "hook" ? mocks : [],
  });
  const steps = result.steps.map((step) => ({ ...step, path: undefined }));
  const draft = draftOfTrial("f", routes, { sample, responses, result, steps } as unknown as TrialState, connectorCatalog);
  const text = stringify(
    draftData(
      draft,
      draft.assertions.map(() => true),
    ),
  );
  const [fileResult] = await simulateTests({ flowId: "f", source, files: [{ id: "t", text }] });
  expect(fileResult).toMatchObject({ problems: [], tests: [{ failures: [] }] });
  const changed = source.replace(/setBody: \{(?:simple|constant): (?:"[^"]*"|'[^']*')\}/, "setBody: {constant: other}");
  const [other] = await simulateTests({ flowId: "f", source: changed, files: [{ id: "t", text }] });
  expect(other?.tests[0]?.failures).toEqual([expect.stringContaining("expected the reply")]);
});

test("steps with the same id in two routes get separate mocks", () => {
  const step = (routeId: string, after: string) => ({ routeId, stepId: "ask", mock: "m", unmocked: false, after: { body: after } });
  const state = { sample: emptySample, responses: {}, result: undefined, steps: [step("one", "1"), step("two", "2")] } as unknown as TrialState;
  const draft = draftOfTrial("f", [], state, connectorCatalog);
  const selected = draft.assertions.map(({ kind }) => kind === "mockCalled");
  expect(draftData(draft, selected)).toMatchObject({
    tests: [
      {
        mocks: [
          { id: "one-ask", match: { routeId: "one", stepId: "ask" }, respond: { body: "1" } },
          { id: "two-ask", match: { routeId: "two", stepId: "ask" }, respond: { body: "2" } },
        ],
        then: [{ mockCalled: { mock: "one-ask" } }, { mockCalled: { mock: "two-ask" } }],
      },
    ],
  });
  const renamed = withStepIds(draft, new Map([["two/ask", "ask-again"]]));
  expect(draftData(renamed, selected)).toMatchObject({ tests: [{ mocks: [{ id: "ask" }, { id: "ask-again", match: { stepId: "ask-again" } }] }] });
});

test("a body that contains times or ids is not proposed as an assertion", async () => {
  const source = sources.direct;
  const routes = openFlow("f", source, undefined).lastValid?.outline.routes ?? [];
  const result = await simulate({ flowId: "f", source, sample: sampleOf(emptySample, routes[0] as never, connectorCatalog), mocks: [] });
  const draft = draftOfTrial("f", routes, { sample: emptySample, responses: {}, result, steps: [] } as unknown as TrialState, connectorCatalog);
  expect(draft.assertions.find(({ kind }) => kind === "body")?.isSelectedByDefault).toBe(false);
});

test("a route with its own path is called there, unless the path has parameters", () => {
  const pathOf = (uri: string): string | undefined => sampleOf(emptySample, { id: "r", from: { uri } } as never, connectorCatalog).path;
  expect(["hooks-at:/orders/new?x=1", "hooks-at:orders", "hooks-at:/orders/{id}", "hooks-at:/orders/*", "webhook", "direct:orders"].map(pathOf)).toEqual([
    "/orders/new",
    "/orders",
    ...[undefined, undefined, undefined, undefined],
  ]);
});
