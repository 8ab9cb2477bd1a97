import { stringify } from "yaml";
import { expect, test } from "vitest";
import { openFlow } from "../document/open-flow.ts";
import { simulate } from "../simulation/simulate.ts";
import { simulateTests } from "../simulation/simulate-tests.ts";
import { emptySample, sampleOf } from "./sample-draft.ts";
import { draftData, draftOfTrial } from "./test-draft.ts";
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

test.each(Object.entries(sources))("a test made of a trial holds: %s", async (_, source) => {
  const routes = openFlow("f", source, undefined).good?.outline.routes ?? [];
  const sample = { ...emptySample, body: '{"n": 7}', bodyKind: "json" as const, headers: "X-Kind: urgent" };
  const answers = { "hook/ask": { status: 201, headers: { "X-Seen": "yes" }, body: "known", origin: "typed" as const } };
  const mocks = [{ id: "hook/ask", match: { stepId: "ask" }, respond: { status: 201, headers: { "X-Seen": "yes" }, body: "known" } }];
  const result = await simulate({ flowId: "f", source, sample: sampleOf(sample, routes[0] as never), mocks: routes[0]?.id === "hook" ? mocks : [] });
  const steps = result.steps.map((step) => ({ ...step, path: undefined }));
  const draft = draftOfTrial("f", routes, { sample, answers, result, steps } as unknown as TrialState);
  const text = stringify(
    draftData(
      draft,
      draft.assertions.map(() => true),
    ),
  );
  const [verdict] = await simulateTests({ flowId: "f", source, files: [{ id: "t", text }] });
  expect(verdict).toMatchObject({ faults: [], tests: [{ faults: [] }] });
  const changed = source.replace(/setBody: \{(?:simple|constant): (?:"[^"]*"|'[^']*')\}/, "setBody: {constant: other}");
  const [other] = await simulateTests({ flowId: "f", source: changed, files: [{ id: "t", text }] });
  expect(other?.tests[0]?.faults).toEqual([expect.stringContaining("expected the reply")]);
});

test("what looks like a time or an id is not proposed", async () => {
  const source = sources.direct;
  const routes = openFlow("f", source, undefined).good?.outline.routes ?? [];
  const result = await simulate({ flowId: "f", source, sample: sampleOf(emptySample, routes[0] as never), mocks: [] });
  const draft = draftOfTrial("f", routes, { sample: emptySample, answers: {}, result, steps: [] } as unknown as TrialState);
  expect(draft.assertions.find(({ kind }) => kind === "body")?.isProposed).toBe(false);
});
