// What is known of one run, as data: it holds no message, exchange or error object, can be handed to another process, and is
// made when somebody asks.
import type { Run, StepRecord } from "@sluice/engine";
import { maskUris } from "../masking/secret-uris.ts";
import type { SecretValues } from "../masking/secret-values.ts";

/** How much of a body is kept. */
export const previewLimit = 1_024;

export interface RunError {
  readonly type: string;
  readonly message: string;
  readonly stepId: string | null;
}

export interface RunFacts {
  readonly id: string;
  readonly route: Run["route"];
  readonly exchangeId: string;
  readonly parentRunId: string | undefined;
  readonly sessionId: string | undefined;
  readonly trigger: Run["trigger"];
  readonly startedAt: number;
  /** 0 while it goes on. */
  readonly endedAt: number;
  readonly isOver: boolean;
  readonly contentType: string | undefined;
  readonly requestSize: number | undefined;
  /** The beginning of the body it began with. */
  readonly preview: string;
  readonly status: Run["status"];
  readonly correlationId: string | undefined;
  readonly traceId: string | undefined;
  readonly redeliveries: number;
  readonly handled: boolean;
  readonly steps: readonly StepRecord[];
  readonly error: RunError | undefined;
  readonly replyStatus: number | undefined;
  readonly replySize: number | undefined;
  readonly replayOf: string | undefined;
}

/** What is known of a run from outside its process. */
export type LostRun = Pick<RunFacts, "id" | "route" | "exchangeId" | "trigger" | "startedAt" | "parentRunId" | "traceId">;

/** A run whose process ended before it did. */
export function lostRun(lost: LostRun, error: RunError, endedAt: number): RunFacts {
  return {
    ...lost,
    sessionId: undefined,
    endedAt,
    isOver: true,
    contentType: undefined,
    requestSize: undefined,
    preview: "",
    status: "failed",
    correlationId: undefined,
    redeliveries: 0,
    handled: false,
    steps: [],
    error,
    replyStatus: undefined,
    replySize: undefined,
    replayOf: undefined,
  };
}

const isoOrNull = (time: number): string | null => (time === 0 ? null : new Date(time).toISOString());

/** A run as the API shows it. */
export function runJson(run: RunFacts, secrets: SecretValues): Readonly<Record<string, unknown>> {
  const { route, status, error } = run;
  const hide = (text: string): string => secrets.scrub(maskUris(text));
  const failed = status === "failed" || status === "cancelled";
  return {
    id: run.id,
    routeId: route.id,
    flowId: route.flowId,
    flowHash: route.flowHash,
    status,
    startedAt: isoOrNull(run.startedAt),
    endedAt: isoOrNull(run.endedAt),
    durationMs: run.endedAt === 0 ? null : Math.max(0, Math.round(run.endedAt - run.startedAt)),
    trigger: { ...run.trigger, uri: hide(run.trigger.uri).replace(/:$/, "") },
    exchangeId: run.exchangeId,
    correlationId: run.correlationId ?? null,
    parentRunId: run.parentRunId ?? null,
    traceId: run.traceId ?? null,
    redeliveries: run.redeliveries,
    handled: run.handled,
    steps: run.steps.map(stepJson),
    error: error === undefined ? null : { ...error, message: hide(error.message) },
    request: { contentType: run.contentType ?? null, size: run.requestSize ?? null, preview: hide(run.preview) },
    reply:
      run.endedAt === 0 ? null : { status: run.replyStatus ?? (run.trigger.method === undefined ? null : failed ? 500 : 200), size: run.replySize ?? null },
    sessionId: run.sessionId ?? null,
    replayOf: run.replayOf ?? null,
  };
}

function stepJson(step: StepRecord): Readonly<Record<string, unknown>> {
  return { ...step, startedAt: new Date(step.startedAt).toISOString(), durationMs: Math.round(step.durationMs * 1_000) / 1_000 };
}
