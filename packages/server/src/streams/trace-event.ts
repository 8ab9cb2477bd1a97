// A trace event: facts for the filters at once, its JSON text when a client wants it.
import { bodyTypeOf, type Exchange, type FlowError } from "@sluice/engine";
import type { StepNode } from "@sluice/model";
import { previewBody, shownHeaders } from "../masking/preview.ts";
import { maskUris } from "../masking/secret-uris.ts";
import type { SecretValues } from "../masking/secret-values.ts";
import type { BodyDetail, EventFacts } from "./stream-filter.ts";

const detailLimits: Readonly<Record<BodyDetail, number>> = { none: 0, preview: 4_096, full: 262_144 };

/** What a step adds to an event. */
export interface StepPart {
  readonly node: StepNode;
  readonly uri: string | undefined;
  readonly depth: number;
  readonly mocked: boolean;
}

export interface TraceSubject {
  readonly type: string;
  readonly at: number;
  readonly exchange: Exchange;
  readonly step: StepPart | undefined;
  readonly durationMs: number | undefined;
  readonly error: FlowError | undefined;
  /** How much of the body any client wants. */
  readonly detail: BodyDetail;
}

export interface TraceEvent {
  readonly facts: EventFacts;
  readonly bytes: number;
  json(id: string, detail: BodyDetail): string;
}

/** Takes down what the event says now: the message goes on and changes. */
export function traceEvent({ type, at, exchange, step, durationMs, error, detail }: TraceSubject, secrets: SecretValues): TraceEvent {
  const { run, message } = exchange;
  const stepId = step?.node.id;
  const body = previewBody(message.body, detailLimits[detail]);
  const bodyType = bodyTypeOf(message.body);
  const headers = shownHeaders(message.headers);
  const seq = run.steps?.length ?? 0;
  const head = {
    type,
    at: new Date(at).toISOString(),
    flowId: run.route.flowId,
    routeId: run.route.id,
    runId: run.id,
    exchangeId: exchange.id,
    correlationId: run.correlationId ?? null,
    traceId: run.trace?.traceId ?? null,
    spanId: run.trace?.spanId ?? null,
    parentSpanId: run.trace?.parentSpanId ?? null,
    ...(step === undefined
      ? {}
      : {
          stepId,
          kind: step.node.name,
          label: step.uri ?? step.node.description ?? stepId,
          uri: step.uri ?? null,
          depth: step.depth,
          seq,
          attempt: exchange.attempt,
          mocked: step.mocked,
        }),
    durationMs: durationMs === undefined ? null : Math.round(durationMs * 1_000) / 1_000,
    error: error === undefined ? null : { type: error.type, message: maskUris(error.message.slice(0, 2_000)), stepId: error.stepId ?? stepId ?? null },
    sessionId: run.session?.id ?? null,
  };
  return {
    facts: { flowId: run.route.flowId, routeId: run.route.id, runId: run.id, sessionId: run.session?.id, stepId, type },
    bytes: 1_000 + body.text.length * 2,
    json(id, wanted) {
      const limit = detailLimits[wanted];
      const shown = wanted === "none" ? null : maskUris(body.text.slice(0, limit));
      const shownMessage = { body: shown, bodyType, size: body.size ?? null, truncated: body.truncated || body.text.length > limit, headers };
      return secrets.scrubJson(JSON.stringify({ id, ...head, message: shownMessage }));
    },
  };
}
