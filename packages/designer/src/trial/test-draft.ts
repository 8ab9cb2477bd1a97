// Creates a test from a run or trial: input, responses and result. The user selects which checks to include.
import { type RouteOutline, slug } from "@sluice/model";
import type { RunDetail } from "@sluice/client";
import type { FlowCatalog } from "../catalog/flow-catalog.ts";
import { headersOf, routeOf, sampleOf, type SampleDraft } from "./sample-draft.ts";
import type { MockResponse, MockResponses, TrialState } from "./trial.ts";

type Data = Readonly<Record<string, unknown>>;

/** One check with its description. */
export interface ProposedAssertion {
  readonly kind: "status" | "replyStatus" | "body" | "mockCalled" | "visited";
  readonly about: string | number;
  readonly then: Data;
  /** False for values that tend to differ between runs. */
  readonly isProposed: boolean;
}

export interface TestDraft {
  readonly flowId: string;
  readonly name: string;
  readonly mocks: readonly Data[];
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
  const used = new Set(steps.flatMap(({ routeId, stepId, mock, unmocked }) => (mock !== undefined || unmocked ? [`${routeId}/${stepId}`] : [])));
  const mocks = mocksFor(
    steps.filter(({ routeId, stepId }) => used.has(`${routeId}/${stepId}`)).map((step) => ({ ...step, response: responseOf(responses, step) })),
  );
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
      ...mocks.map(({ id }) => assertion("mockCalled", String(id), { mockCalled: { mock: id } })),
      visitedAssertion(steps.map(({ stepId }) => stepId)),
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
      ...mocks.map(({ id }) => assertion("mockCalled", String(id), { mockCalled: { mock: id } })),
      visitedAssertion(run.steps.map(({ stepId }) => stepId)),
    ],
  };
}

/** The steps that the test names. */
export function namedSteps({ mocks, assertions }: TestDraft, chosen: readonly boolean[]): readonly string[] {
  const visited = assertions.flatMap(({ then }, index) => (chosen[index] === true ? ((then["visited"] as readonly string[] | undefined) ?? []) : []));
  return [...mocks.map((mock) => (mock["match"] as { readonly stepId: string }).stepId), ...visited];
}

/** The test with other ids for its steps. */
export function withStepIds(draft: TestDraft, ids: ReadonlyMap<string, string>): TestDraft {
  const idOf = (stepId: string): string => ids.get(stepId) ?? stepId;
  return {
    ...draft,
    mocks: draft.mocks.map((mock) => {
      const stepId = idOf((mock["match"] as { readonly stepId: string }).stepId);
      return { ...mock, id: stepId, match: { stepId } };
    }),
    assertions: draft.assertions.map((one) => {
      const { mockCalled, visited } = one.then as { readonly mockCalled?: { readonly mock: string }; readonly visited?: readonly string[] };
      if (mockCalled !== undefined) return assertion(one.kind, idOf(mockCalled.mock), { mockCalled: { mock: idOf(mockCalled.mock) } });
      return visited === undefined ? one : { ...one, then: { visited: visited.map(idOf) } };
    }),
  };
}

export const draftFileId = ({ name }: Pick<TestDraft, "name">, isTaken: (id: string) => boolean): string => slug(name, isTaken);

/** The data of the file, to be written as YAML. */
export function draftData({ flowId, name, mocks, when, assertions }: TestDraft, chosen: readonly boolean[]): Data {
  const then = assertions.filter((_, index) => chosen[index] === true).map((one) => one.then);
  return { flowId, tests: [{ name, ...(mocks.length === 0 ? {} : { mocks }), when, then: then.length === 0 ? [{ status: "completed" }] : then }] };
}

const assertion = (kind: ProposedAssertion["kind"], about: string | number, then: Data): ProposedAssertion => ({ kind, about, then, isProposed: true });

function bodyAssertion(body: unknown): ProposedAssertion {
  const volatile = /\d{4}-\d\d-\d\dT\d\d:\d\d|[0-9a-f]{8}-[0-9a-f]{4}-|\b[0-9A-HJKMNP-TV-Z]{26}\b/.test(JSON.stringify(body) ?? "");
  return { kind: "body", about: "", then: { reply: { bodyEquals: body } }, isProposed: !volatile };
}

const visitedAssertion = (steps: readonly string[]): ProposedAssertion => {
  const visited = [...new Set(steps)];
  return { kind: "visited", about: visited.length, then: { visited }, isProposed: false };
};

interface RespondingStep {
  readonly routeId: string;
  readonly stepId: string;
  readonly response: MockResponse | undefined;
}

/** One mock per step, named after it; a step without a response gets an empty one, because a test must not call external systems. */
function mocksFor(steps: readonly RespondingStep[]): readonly (Data & { readonly id: string })[] {
  const byStep = new Map(steps.map((step) => [step.stepId, step]));
  return [...byStep.values()].map(({ stepId, response }) => ({
    id: stepId,
    match: { stepId },
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
