// Data about a run without references to messages, exchanges or errors. It can be sent to another process and is created on demand.
import type { Run, StepRecord, StepTry } from "@sluice/engine";
import { maskMembers } from "../masking/secret-members.ts";
import { maskUris } from "../masking/secret-uris.ts";
import type { SecretValues } from "../masking/secret-values.ts";

/** Maximum length of a body preview. */
export const previewLimit = 1_024;
/** Maximum length of an error message. */
export const maxMessageLength = 2_000;

/** `test`: in a test session. `replay`: of a run or a dead letter, with the runs that it starts. `live`: all others. */
export const runKinds = ["live", "replay", "test"] as const;
export type RunKind = (typeof runKinds)[number];

export interface RunError {
  readonly type: string;
  readonly message: string;
  readonly stepId: string | null;
}

export interface RunMetadata {
  readonly id: string;
  readonly route: Run["route"];
  readonly exchangeId: string;
  readonly parentRunId: string | undefined;
  readonly sessionId: string | undefined;
  readonly trigger: Run["trigger"];
  readonly startedAt: number;
  /** 0 while it is running. */
  readonly endedAt: number;
  readonly isOver: boolean;
  readonly contentType: string | undefined;
  readonly requestSize: number | undefined;
  /** The start of the input body. */
  readonly preview: string;
  readonly status: Run["status"];
  readonly correlationId: string;
  readonly traceId: string | undefined;
  readonly redeliveries: number;
  readonly handled: boolean;
  readonly steps: readonly StepRecord[];
  readonly error: RunError | undefined;
  readonly replyStatus: number | undefined;
  readonly replySize: number | undefined;
  readonly replayOf: string | undefined;
  readonly kind: RunKind;
}

/** The data of a run that other processes have. */
export type LostRun = Pick<RunMetadata, "id" | "route" | "exchangeId" | "trigger" | "startedAt" | "parentRunId" | "traceId" | "correlationId">;

/** A run whose process exited before it ended. */
export function lostRun(lost: LostRun, error: RunError, endedAt: number): RunMetadata {
  return {
    ...lost,
    sessionId: undefined,
    endedAt,
    isOver: true,
    contentType: undefined,
    requestSize: undefined,
    preview: "",
    status: "failed",
    redeliveries: 0,
    handled: false,
    steps: [],
    error,
    replyStatus: undefined,
    replySize: undefined,
    replayOf: undefined,
    kind: "live",
  };
}

const isoOrNull = (time: number): string | null => (time === 0 ? null : new Date(time).toISOString());

/** The strings of a run that may contain secrets, masked. */
function maskedStrings(
  { trigger, error, preview, requestSize }: RunMetadata,
  secrets: SecretValues,
): { uri: string; message: string | undefined; preview: string } {
  const mask = (text: string, isTruncated = false): string => secrets.records.scrub(maskUris(isTruncated ? secrets.records.scrubEnd(text) : text));
  return {
    uri: mask(trigger.uri).replace(/:$/, ""),
    message: error === undefined ? undefined : mask(error.message, error.message.length >= maxMessageLength),
    // The size of a truncated structure is unknown.
    preview: mask(maskMembers(preview), requestSize === undefined || requestSize > previewLimit),
  };
}

/** The run with masked strings. Masking them again does not change them. */
export function maskMetadata(run: RunMetadata, secrets: SecretValues): RunMetadata {
  const { uri, message, preview } = maskedStrings(run, secrets);
  return { ...run, trigger: { ...run.trigger, uri }, preview, ...(run.error === undefined ? {} : { error: { ...run.error, message: message ?? "" } }) };
}

/** Masking inserts these characters only, so any other text that is shown is in the unmasked text as well. */
const maskCharacters = /["\\*]/;

/** True when the shown data of a run contains all words, which must be in lower case. Masking is slow, so it is skipped where no match is possible. */
export function containsWords(run: RunMetadata, words: readonly string[], secrets: SecretValues): boolean {
  const { trigger, route, error } = run;
  const other = [run.id, route.id, route.flowId, run.correlationId, trigger.method, trigger.path, error?.type, error?.stepId].join("\n");
  const contains = (searched: readonly string[], uri: string, message: string | undefined, preview: string): boolean => {
    const text = `${other}\n${uri}\n${message ?? ""}\n${preview}`.toLowerCase();
    return searched.every((word) => text.includes(word));
  };
  const plain = words.filter((word) => !maskCharacters.test(word));
  if (!contains(plain, trigger.uri, error?.message, run.preview)) return false;
  const shown = maskedStrings(run, secrets);
  return contains(words, shown.uri, shown.message, shown.preview);
}

/** A run as the API returns it. */
export function runJson(run: RunMetadata, secrets: SecretValues): Readonly<Record<string, unknown>> {
  const { route, status, error } = run;
  const shown = maskedStrings(run, secrets);
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
    trigger: { ...run.trigger, uri: shown.uri },
    exchangeId: run.exchangeId,
    correlationId: run.correlationId,
    parentRunId: run.parentRunId ?? null,
    traceId: run.traceId ?? null,
    redeliveries: run.redeliveries,
    handled: run.handled,
    steps: run.steps.map(stepJson),
    error: error === undefined ? null : { ...error, message: shown.message },
    request: { contentType: run.contentType ?? null, size: run.requestSize ?? null, preview: shown.preview },
    reply:
      run.endedAt === 0 ? null : { status: run.replyStatus ?? (run.trigger.method === undefined ? null : failed ? 500 : 200), size: run.replySize ?? null },
    sessionId: run.sessionId ?? null,
    replayOf: run.replayOf ?? null,
    kind: run.kind,
  };
}

function stepJson({ tries, ...step }: StepRecord): Readonly<Record<string, unknown>> {
  return { ...step, ...timeJson(step), ...(tries === undefined ? {} : { tries: tries.map(timeJson) }) };
}

const timeJson = ({ startedAt, durationMs }: StepTry): Readonly<Record<string, unknown>> => ({
  startedAt: new Date(startedAt).toISOString(),
  durationMs: Math.round(durationMs * 1_000) / 1_000,
});
