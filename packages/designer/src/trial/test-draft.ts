// A test made of what happened: input, answers, and what came out. Which of it must hold is for the user to tick.
import { slug } from "@sluice/model";
import type { RunDetail } from "@sluice/client";
import type { RouteOutline } from "../document/outline.ts";
import { headersOf, isServed, routeOf, sampleOf, type SampleDraft } from "./sample-draft.ts";
import type { Answer, Answers, TrialState } from "./trial.ts";

type Data = Readonly<Record<string, unknown>>;

/** One thing that must hold, with the words that say so. */
export interface ProposedAssertion {
  readonly kind: "status" | "replyStatus" | "body" | "mockCalled" | "visited";
  readonly about: string | number;
  readonly then: Data;
  /** False for what tends to differ from run to run. */
  readonly isProposed: boolean;
}

export interface TestDraft {
  readonly flowId: string;
  readonly name: string;
  readonly mocks: readonly Data[];
  readonly when: Data;
  readonly assertions: readonly ProposedAssertion[];
}

/** The test of a trial: what the sample came to with the answers it got. */
export function draftOfTrial(flowId: string, routes: readonly RouteOutline[], { sample, answers, result, steps }: TrialState): TestDraft {
  const route = routeOf(routes, sample);
  const outcome = result?.outcome;
  const used = new Set(steps.flatMap(({ routeId, stepId, mock, unmocked }) => (mock !== undefined || unmocked ? [`${routeId}/${stepId}`] : [])));
  const mocks = mocksFor(steps.filter(({ routeId, stepId }) => used.has(`${routeId}/${stepId}`)).map((step) => ({ ...step, answer: answerOf(answers, step) })));
  const reply = outcome?.reply;
  return {
    flowId,
    name: `${route?.id ?? flowId} ${outcome?.status ?? ""}`.trim(),
    mocks,
    when: whenOf(sample, route),
    assertions: [
      ...(outcome === undefined ? [] : [assertion("status", outcome.status, { status: outcome.status })]),
      ...(reply === undefined ? [] : [assertion("replyStatus", reply.status, { reply: { status: reply.status } })]),
      ...(outcome === undefined || outcome.status !== "completed" ? [] : [bodyAssertion(reply === undefined ? outcome.body : dataOf(reply.body))]),
      ...mocks.map(({ id }) => assertion("mockCalled", String(id), { mockCalled: { mock: id } })),
      visitedAssertion(steps.map(({ stepId }) => stepId)),
    ],
  };
}

/** The test of a recorded run, as far as its messages were kept. */
export function draftOfRun(run: RunDetail, route: RouteOutline | undefined, sample: SampleDraft, answers: Answers): TestDraft {
  const mocks = mocksFor(
    Object.entries(answers).map(([key, answer]) => {
      const slash = key.indexOf("/");
      return { routeId: key.slice(0, slash), stepId: key.slice(slash + 1), answer };
    }),
  );
  const reply = run.reply?.status;
  return {
    flowId: run.flowId,
    name: `${run.routeId} ${run.status}`,
    mocks,
    when: whenOf(sample, route),
    assertions: [
      assertion("status", run.status, { status: run.status }),
      ...(reply === undefined || reply === null ? [] : [assertion("replyStatus", reply, { reply: { status: reply } })]),
      ...mocks.map(({ id }) => assertion("mockCalled", String(id), { mockCalled: { mock: id } })),
      visitedAssertion(run.steps.map(({ stepId }) => stepId)),
    ],
  };
}

export const draftFileId = ({ name }: Pick<TestDraft, "name">, taken: (id: string) => boolean): string => slug(name, taken);

/** The file's data, ready to be written as YAML. */
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

interface Answered {
  readonly routeId: string;
  readonly stepId: string;
  readonly answer: Answer | undefined;
}

/** One mock per step, named after it; a step without an answer gets an empty one, for a test must not reach outside. */
function mocksFor(steps: readonly Answered[]): readonly (Data & { readonly id: string })[] {
  const byStep = new Map(steps.map((step) => [step.stepId, step]));
  return [...byStep.values()].map(({ stepId, answer }) => ({
    id: stepId,
    match: { stepId },
    respond: {
      ...(answer?.status === undefined ? {} : { status: answer.status }),
      ...(answer === undefined || Object.keys(answer.headers).length === 0 ? {} : { headers: answer.headers }),
      ...(answer?.body === undefined ? {} : { body: answer.body }),
    },
  }));
}

function answerOf(answers: Answers, { routeId, stepId, mock, after }: TrialState["steps"][number]): Answer | undefined {
  const known = answers[`${routeId}/${stepId}`];
  if (known !== undefined) return known;
  return mock === undefined ? undefined : { status: undefined, headers: {}, body: after?.body, origin: "typed" };
}

function whenOf(sample: SampleDraft, route: RouteOutline | undefined): Data {
  const headers = headersOf(sample.headers);
  const withHeaders = Object.keys(headers).length === 0 ? {} : { headers };
  const uri = route?.from.uri ?? "";
  const routeId = route?.id ?? "";
  if (isServed(uri)) {
    const body = sample.method === "GET" ? {} : { body: dataOf(sample.body) };
    return { webhook: routeId, ...(sample.method === "POST" ? {} : { method: sample.method }), ...withHeaders, ...body };
  }
  const body = route === undefined ? sample.body : sampleOf(sample, route).body;
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
