// Converts runs to OpenTelemetry spans in OTLP JSON. A run is a span, and each of its steps is a child span.
import { createHash } from "node:crypto";
import type { Run, StepRecord } from "@sluice/engine";

/** Data of a run kept until it is sent: no message and no error object. */
export interface FinishedRun {
  readonly id: string;
  readonly route: Run["route"];
  readonly trigger: Run["trigger"];
  readonly parentId: string | undefined;
  /** The run created by the trigger; all its descendants belong to its trace. */
  readonly rootId: string;
  /** The root run was triggered by an HTTP request. */
  readonly isHttpTriggered: boolean;
  readonly trace: Run["trace"];
  readonly startedAt: number;
  readonly endedAt: number;
  readonly status: Run["status"];
  readonly steps: readonly StepRecord[];
  readonly redeliveries: number;
  readonly error: { readonly type: string; readonly message: string; readonly stepId: string | undefined } | undefined;
}

const maxMessageLength = 1_000;

export function finishedRun(run: Run): FinishedRun {
  const { failure } = run;
  return {
    id: run.id,
    route: run.route,
    trigger: run.trigger,
    parentId: run.parent?.id,
    rootId: run.root.id,
    isHttpTriggered: run.root.trigger.method !== undefined,
    trace: run.trace,
    startedAt: run.startedAt,
    endedAt: run.endedAt,
    status: run.status,
    steps: run.trail?.records() ?? [],
    redeliveries: run.redeliveries,
    error: failure === undefined ? undefined : { type: failure.type, message: failure.message.slice(0, 2 * maxMessageLength), stepId: failure.stepId },
  };
}

/** The number of spans of a run. */
export const spanCount = (run: FinishedRun): number => 1 + run.steps.length;

type Json = Readonly<Record<string, unknown>>;

const internalKind = 1;
const serverKind = 2;
const failedStatus = 2;

/** Creates an OTLP request; `mask` masks secrets. */
export function exportRequest(runs: readonly FinishedRun[], resource: Readonly<Record<string, string>>, mask: (text: string) => string): Json {
  return {
    resourceSpans: [
      {
        resource: { attributes: attributes(resource) },
        scopeSpans: [{ scope: { name: "sluice", version: resource["service.version"] ?? "" }, spans: runs.flatMap((run) => spansOf(run, mask)) }],
      },
    ],
  };
}

function spansOf(run: FinishedRun, mask: (text: string) => string): readonly Json[] {
  // Truncated after masking, because the beginning of a secret would not be recognized.
  const shownMessage = run.error === undefined ? undefined : mask(run.error.message).slice(0, maxMessageLength);
  const { trace, route, error, trigger } = run;
  const traceId = trace?.traceId ?? digest(`trace ${run.rootId}`, 16);
  // The root run of a request uses the span id of its trace context, which its outgoing calls and queued messages carry as their parent.
  const idOf = (runId: string): string => (runId === run.rootId && run.isHttpTriggered && trace !== undefined ? trace.spanId : digest(runId, 8));
  const spanId = idOf(run.id);
  const inheritedSpan = run.isHttpTriggered ? trace?.parentSpanId : trace?.spanId;
  const parent = run.parentId === undefined ? inheritedSpan : idOf(run.parentId);
  const runSpan: Json = {
    traceId,
    spanId,
    ...(parent === undefined ? {} : { parentSpanId: parent }),
    name: route.id,
    kind: trigger.method === undefined ? internalKind : serverKind,
    startTimeUnixNano: nanoseconds(run.startedAt),
    endTimeUnixNano: nanoseconds(run.endedAt),
    attributes: attributes({
      "sluice.flow.id": route.flowId,
      "sluice.route.id": route.id,
      "sluice.run.id": run.id,
      "sluice.run.status": run.status,
      "sluice.redeliveries": run.redeliveries,
      "sluice.trigger": mask(trigger.uri),
      ...(trigger.method === undefined ? {} : { "http.request.method": trigger.method, "url.path": mask(trigger.path ?? "") }),
      ...(error === undefined ? {} : { "error.type": error.type }),
    }),
    ...(error === undefined ? {} : { status: { code: failedStatus, message: shownMessage } }),
  };
  const steps = run.steps.map((step, index): Json => {
    const failed = step.status === "failed";
    return {
      traceId,
      spanId: digest(`${run.id} ${index}`, 8),
      parentSpanId: spanId,
      name: step.stepId,
      kind: internalKind,
      startTimeUnixNano: nanoseconds(step.startedAt),
      endTimeUnixNano: nanoseconds(step.startedAt + step.durationMs),
      attributes: attributes({ "sluice.step.id": step.stepId, "sluice.step.kind": step.kind, "sluice.step.attempts": step.attempts }),
      ...(failed ? { status: { code: failedStatus, ...(error?.stepId === step.stepId ? { message: shownMessage } : {}) } } : {}),
    };
  });
  return [runSpan, ...steps];
}

/** Derives ids from the run id, so that a child can refer to its parent's span without storing it. */
const digest = (text: string, bytes: number): string =>
  createHash("sha256")
    .update(text)
    .digest("hex")
    .slice(0, bytes * 2);

/** Converts fractional milliseconds to nanoseconds as text, because a double is not precise enough. */
function nanoseconds(ms: number): string {
  const wholeMs = Math.floor(ms);
  return `${wholeMs}${String(Math.floor((ms - wholeMs) * 1e6)).padStart(6, "0")}`;
}

function attributes(values: Readonly<Record<string, string | number>>): readonly Json[] {
  return Object.entries(values).map(([key, value]) => ({ key, value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value } }));
}
