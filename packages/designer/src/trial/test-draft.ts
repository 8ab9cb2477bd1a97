// Creates a test from a run or trial: input, responses and result. The user selects which assertions to include.
import { type RouteOutline, slug } from "@sluice/model";
import type { RunDetail } from "@sluice/client";
import type { FlowCatalog } from "../catalog/flow-catalog.ts";
import { referenceKey, type StepReference } from "../commands/write-ids.ts";
import { headersOf, routeOf, sampleOf, type SampleDraft } from "./sample-draft.ts";
import type { MockResponse, MockResponses, TrialState } from "./trial.ts";

type Data = Readonly<Record<string, unknown>>;

/** An assertion, and the value in its description. */
export interface ProposedAssertion {
  readonly kind: "status" | "replyStatus" | "body" | "mockCalled" | "visited";
  readonly value: string | number;
  /** The steps that it refers to. */
  readonly steps: readonly StepReference[];
  /** The assertion as written in the file; created from `steps` for assertions that refer to steps. */
  readonly then: Data;
  /** False for values that tend to differ between runs. */
  readonly isSelectedByDefault: boolean;
}

interface DraftMock extends StepReference {
  readonly respond: Data;
}

export interface TestDraft {
  readonly flowId: string;
  readonly name: string;
  readonly mocks: readonly DraftMock[];
  readonly when: Data;
  readonly assertions: readonly ProposedAssertion[];
}

/** Creates the test of a trial: the result of the sample with its responses. */
export function draftOfTrial(
  flowId: string,
  routes: readonly RouteOutline[],
  { sample, responses, result, steps }: TrialState,
  catalog: FlowCatalog | undefined,
): TestDraft {
  const route = routeOf(routes, sample);
  const outcome = result?.outcome;
  const used = new Set(steps.filter(({ mock, unmocked }) => mock !== undefined || unmocked).map(referenceKey));
  const mocks = mocksFor(steps.filter((step) => used.has(referenceKey(step))).map((step) => ({ ...step, response: responseOf(responses, step) })));
  const reply = outcome?.reply;
  return {
    flowId,
    name: `${route?.id ?? flowId} ${outcome?.status ?? ""}`.trim(),
    mocks,
    when: whenOf(sample, route, catalog),
    assertions: [
      ...(outcome === undefined ? [] : [assertion("status", outcome.status, { status: outcome.status })]),
      ...(reply === undefined ? [] : [assertion("replyStatus", reply.status, { reply: { status: reply.status } })]),
      ...(outcome === undefined || outcome.status !== "completed" ? [] : [bodyAssertion(reply === undefined ? outcome.body : dataOf(reply.body))]),
      ...mocks.map((mock) => mockAssertion(mock, mocks)),
      visitedAssertion(steps),
    ],
  };
}

/** Creates the test of a recorded run, as far as its messages were captured. */
export function draftOfRun(
  run: RunDetail,
  route: RouteOutline | undefined,
  sample: SampleDraft,
  responses: MockResponses,
  catalog: FlowCatalog | undefined,
): TestDraft {
  const mocks = mocksFor(
    Object.entries(responses).map(([key, response]) => {
      const slash = key.indexOf("/");
      return { routeId: key.slice(0, slash), stepId: key.slice(slash + 1), response };
    }),
  );
  const reply = run.reply?.status;
  return {
    flowId: run.flowId,
    name: `${run.routeId} ${run.status}`,
    mocks,
    when: whenOf(sample, route, catalog),
    assertions: [
      assertion("status", run.status, { status: run.status }),
      ...(reply === undefined || reply === null ? [] : [assertion("replyStatus", reply, { reply: { status: reply } })]),
      ...mocks.map((mock) => mockAssertion(mock, mocks)),
      visitedAssertion(run.steps.map(({ stepId }) => ({ routeId: run.routeId, stepId }))),
    ],
  };
}

/** The steps that the test refers to. */
export function referencedSteps({ mocks, assertions }: TestDraft, selected: readonly boolean[]): readonly StepReference[] {
  return [...mocks, ...assertions.flatMap(({ steps }, index) => (selected[index] === true ? steps : []))];
}

/** The test with the ids that `writeIds` assigned to its steps. */
export function withStepIds(draft: TestDraft, ids: ReadonlyMap<string, string>): TestDraft {
  const renamed = <T extends StepReference>(step: T): T => ({ ...step, stepId: ids.get(referenceKey(step)) ?? step.stepId });
  const mocks = draft.mocks.map(renamed);
  return {
    ...draft,
    mocks,
    assertions: draft.assertions.map((original) => {
      const steps = original.steps.map(renamed);
      const [first] = steps;
      if (first === undefined) return original;
      return original.kind === "mockCalled" ? mockAssertion(first, mocks) : { ...original, ...visitedAssertion(steps) };
    }),
  };
}

export const draftFileId = ({ name }: Pick<TestDraft, "name">, isTaken: (id: string) => boolean): string => slug(name, isTaken);

/** The data of the file, to be written as YAML. */
export function draftData({ flowId, name, mocks, when, assertions }: TestDraft, selected: readonly boolean[]): Data {
  const then = assertions.filter((_, index) => selected[index] === true).map((selectedAssertion) => selectedAssertion.then);
  const written = mocks.map((mock) => ({ id: mockId(mock, mocks), match: matchOf(mock, mocks), respond: mock.respond }));
  return { flowId, tests: [{ name, ...(written.length === 0 ? {} : { mocks: written }), when, then: then.length === 0 ? [{ status: "completed" }] : then }] };
}

const assertion = (kind: ProposedAssertion["kind"], value: string | number, then: Data, steps: readonly StepReference[] = []): ProposedAssertion => ({
  kind,
  value,
  steps,
  then,
  isSelectedByDefault: true,
});

/** False when steps of several routes have the same id. */
const isUnique = ({ stepId }: StepReference, mocks: readonly DraftMock[]): boolean => mocks.filter((mock) => mock.stepId === stepId).length < 2;

const mockId = (step: StepReference, mocks: readonly DraftMock[]): string => (isUnique(step, mocks) ? step.stepId : `${step.routeId}-${step.stepId}`);

const matchOf = ({ routeId, stepId }: DraftMock, mocks: readonly DraftMock[]): Data =>
  isUnique({ routeId, stepId }, mocks) ? { stepId } : { routeId, stepId };

function mockAssertion({ routeId, stepId }: StepReference, mocks: readonly DraftMock[]): ProposedAssertion {
  const mock = mockId({ routeId, stepId }, mocks);
  return assertion("mockCalled", mock, { mockCalled: { mock } }, [{ routeId, stepId }]);
}

function bodyAssertion(body: unknown): ProposedAssertion {
  const isVolatile = /\d{4}-\d\d-\d\dT\d\d:\d\d|[0-9a-f]{8}-[0-9a-f]{4}-|\b[0-9A-HJKMNP-TV-Z]{26}\b/.test(JSON.stringify(body) ?? "");
  return { ...assertion("body", "", { reply: { bodyEquals: body } }), isSelectedByDefault: !isVolatile };
}

function visitedAssertion(steps: readonly StepReference[]): ProposedAssertion {
  const distinct = [...new Map(steps.map(({ routeId, stepId }) => [referenceKey({ routeId, stepId }), { routeId, stepId }])).values()];
  const visited = [...new Set(distinct.map(({ stepId }) => stepId))];
  return { ...assertion("visited", visited.length, { visited }, distinct), isSelectedByDefault: false };
}

interface RespondingStep extends StepReference {
  readonly response: MockResponse | undefined;
}

/** One mock per step, named after it; a step without a response gets an empty one, because a test must not call external systems. */
function mocksFor(steps: readonly RespondingStep[]): readonly DraftMock[] {
  const byStep = new Map(steps.map((step) => [referenceKey(step), step]));
  return [...byStep.values()].map(({ routeId, stepId, response }) => ({
    routeId,
    stepId,
    respond: {
      ...(response?.status === undefined ? {} : { status: response.status }),
      ...(response === undefined || Object.keys(response.headers).length === 0 ? {} : { headers: response.headers }),
      ...(response?.body === undefined ? {} : { body: response.body }),
    },
  }));
}

function responseOf(responses: MockResponses, { routeId, stepId, mock, after }: TrialState["steps"][number]): MockResponse | undefined {
  const existing = responses[`${routeId}/${stepId}`];
  if (existing !== undefined) return existing;
  return mock === undefined ? undefined : { status: undefined, headers: {}, body: after?.body, origin: "typed" };
}

function whenOf(sample: SampleDraft, route: RouteOutline | undefined, catalog: FlowCatalog | undefined): Data {
  const headers = headersOf(sample.headers);
  const withHeaders = Object.keys(headers).length === 0 ? {} : { headers };
  const uri = route?.from.uri ?? "";
  const routeId = route?.id ?? "";
  if (catalog?.isHttpTrigger(uri) === true) {
    const body = sample.method === "GET" ? {} : { body: dataOf(sample.body) };
    return { webhook: routeId, ...(sample.method === "POST" ? {} : { method: sample.method }), ...withHeaders, ...body };
  }
  const body = route === undefined ? sample.body : sampleOf(sample, route, catalog).body;
  const direct = /^direct:(?:\/\/)?([^?]+)/.exec(uri)?.[1];
  return { ...(direct === undefined ? { route: routeId } : { direct }), ...withHeaders, body };
}

function dataOf(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
