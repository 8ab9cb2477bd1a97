// A recorded run as a sample: the message it began with, and what the outside world answered, as far as it was kept.
import type { CapturedMessage, RunDetail } from "@sluice/client";
import { runtimeAt } from "../../api-client/runtime-client.ts";
import { strings } from "../../strings.ts";
import { bodyText } from "../../trial/message-text.ts";
import { headerText, type SampleDraft } from "../../trial/sample-draft.ts";
import { answerKey, type Answer, type Answers } from "../../trial/trial.ts";

export interface RunSample {
  readonly sample: Partial<SampleDraft>;
  readonly answers: Answers;
  /** What is not as it was. */
  readonly note: string | undefined;
}

export async function sampleOfLastRun(routeId: string, target: string | undefined): Promise<RunSample> {
  const { runs } = await runtimeAt(target).call("GET /runs", { query: { routeId, limit: 20 } });
  const last = runs.find(({ parentRunId, sessionId }) => parentRunId === null && sessionId === null) ?? runs[0];
  if (last === undefined) throw new Error(strings.trial.noLastRun);
  return sampleOfRun(await runtimeAt(target).call("GET /runs/:id", { params: { id: last.id } }));
}

export function sampleOfRun(run: RunDetail): RunSample {
  const [first] = run.messages ?? [];
  const headers = Object.entries(first?.headers ?? {}).filter(([name]) => !name.startsWith("Camel"));
  const contentType = run.request?.contentType ?? undefined;
  const known = first === undefined ? (contentType === undefined ? {} : { "Content-Type": contentType }) : Object.fromEntries(headers);
  return {
    sample: {
      body: first === undefined ? (run.request?.preview ?? "") : bodyText(first.body),
      bodyKind: typeof first?.body === "object" && first.body !== null ? "json" : "text",
      bytes: undefined,
      headers: headerText(known),
      ...(run.trigger.method === undefined ? {} : { method: run.trigger.method }),
      origin: strings.trial.fromRun(run.id),
    },
    answers: answersOf(run),
    note: first === undefined ? strings.trial.noInput : undefined,
  };
}

/** What stood in the message after each step that sends: the message before the next one. */
function answersOf({ routeId, steps, messages = [] }: RunDetail): Answers {
  const kinds = new Map(steps.map(({ stepId, kind }) => [stepId, kind]));
  const entries = messages.flatMap(({ stepId }, index): (readonly [string, Answer])[] => {
    const next: CapturedMessage | undefined = messages[index + 1];
    if (next === undefined || !/^(to|toD|enrich|pollEnrich|poll|serviceCall)$/.test(kinds.get(stepId) ?? "")) return [];
    const status = Number(next.headers["CamelHttpResponseCode"]);
    return [
      [answerKey(routeId, stepId), { body: next.body, headers: {}, status: Number.isInteger(status) && status >= 100 ? status : undefined, origin: "run" }],
    ];
  });
  return Object.fromEntries(entries);
}
