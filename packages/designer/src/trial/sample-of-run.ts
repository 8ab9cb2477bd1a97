// Converts a recorded run to a sample: its input message and the responses of external systems, if captured.
import type { CapturedMessage, RunDetail } from "@sluice/client";
import { allRunKinds, runtimeAt } from "../api-client/runtime-client.ts";
import { strings } from "../strings.ts";
import { bodyText } from "./message-text.ts";
import { headerText, type SampleDraft } from "./sample-draft.ts";
import type { RecordedStep } from "./recorded-run.ts";
import { responseKey, type MockResponse, type MockResponses } from "./trial.ts";

export interface RunSample {
  readonly sample: Partial<SampleDraft>;
  readonly responses: MockResponses;
  /** Differences from the original run. */
  readonly note: string | undefined;
}

export async function sampleOfLastRun(routeId: string, target: string | undefined): Promise<RunSample> {
  const { runs } = await runtimeAt(target).call("GET /runs", { query: { routeId, kind: allRunKinds, limit: 20 } });
  const last = runs.find(({ parentRunId, sessionId }) => parentRunId === null && sessionId === null) ?? runs[0];
  if (last === undefined) throw new Error(strings.trial.noLastRun);
  return sampleOfRun(await runtimeAt(target).call("GET /runs/:id", { params: { id: last.id } }));
}

export function sampleOfRun(run: RunDetail): RunSample {
  const [first] = run.messages ?? [];
  const headers = Object.entries(first?.headers ?? {}).filter(([name]) => !name.startsWith("Camel"));
  const contentType = run.request?.contentType ?? undefined;
  const sampleHeaders = first === undefined ? (contentType === undefined ? {} : { "Content-Type": contentType }) : Object.fromEntries(headers);
  return {
    sample: {
      body: first === undefined ? (run.request?.preview ?? "") : bodyText(first.body),
      bodyKind: typeof first?.body === "object" && first.body !== null ? "json" : "text",
      bytes: undefined,
      headers: headerText(sampleHeaders),
      ...(run.trigger.method === undefined ? {} : { method: run.trigger.method }),
      origin: strings.trial.fromRun(run.id),
      start: undefined,
    },
    responses: responsesOf(run),
    note: first === undefined ? strings.trial.noInput : undefined,
  };
}

/** A sample that starts at a step of the run, with the message it had there and the recorded responses of external systems. */
export function sampleAtStep(run: RunDetail, { stepId, before }: RecordedStep): RunSample {
  const base = sampleOfRun(run);
  if (before === undefined) return base;
  const { body, headers = {}, properties = {}, variables = {} } = before;
  return {
    ...base,
    sample: {
      ...base.sample,
      body: bodyText(body),
      bodyKind: typeof body === "object" && body !== null ? "json" : "text",
      headers: headerText(headers),
      origin: strings.trial.fromStep(run.id, stepId),
      start: { stepId, properties, variables },
    },
  };
}

/** The message after each sending step, which is the message before the next one. */
function responsesOf({ routeId, steps, messages = [] }: RunDetail): MockResponses {
  const kinds = new Map(steps.map(({ stepId, kind }) => [stepId, kind]));
  const entries = messages.flatMap(({ stepId }, index): (readonly [string, MockResponse])[] => {
    const next: CapturedMessage | undefined = messages[index + 1];
    if (next === undefined || !/^(to|toD|enrich|pollEnrich|poll|serviceCall)$/.test(kinds.get(stepId) ?? "")) return [];
    const status = Number(next.headers["CamelHttpResponseCode"]);
    return [
      [responseKey(routeId, stepId), { body: next.body, headers: {}, status: Number.isInteger(status) && status >= 100 ? status : undefined, origin: "run" }],
    ];
  });
  return Object.fromEntries(entries);
}
