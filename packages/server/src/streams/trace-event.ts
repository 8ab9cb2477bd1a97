// A trace event. It copies values that may change later, and defers everything else until a client needs it: most events of a busy route
// are never sent.
import type { Exchange, FlowError } from "@sluice/engine";
import { bodyTypeOf, type BodyType } from "@sluice/engine/values";
import type { StepNode } from "@sluice/model";
import type { BodyPreview } from "../masking/preview.ts";
import { maskMembers } from "../masking/secret-members.ts";
import { maskUris } from "../masking/secret-uris.ts";
import type { EventScrubber } from "../masking/secret-values.ts";
import { maxMessageLength } from "../runs/run-metadata.ts";
import type { StreamEvent } from "./stream-event.ts";
import type { BodyDetail, EventDetails } from "./stream-filter.ts";
import type { TraceEventType } from "./trace-event-types.ts";
import { members, type ExchangeDetails } from "./exchange-details.ts";

export const detailLimits: Readonly<Record<BodyDetail, number>> = { none: 0, preview: 4_096, full: 262_144 };

/** The constant part of a step's events. */
export interface StepPart {
  readonly id: string;
  /** As members of the event's JSON. */
  readonly text: string;
}

export function stepPart({ id, name, description }: StepNode, uri: string | undefined, depth: number): StepPart {
  return { id, text: members({ stepId: id, kind: name, label: uri ?? description ?? id, uri: uri ?? null, depth }) };
}

export interface TraceSubject {
  readonly type: TraceEventType;
  readonly exchange: Exchange;
  readonly step: StepPart | undefined;
  readonly mocked: boolean;
  readonly durationMs: number | undefined;
  readonly error: FlowError | undefined;
}

export class TraceEvent implements StreamEvent, EventDetails {
  number = 0;
  cached: StreamEvent["cached"] = undefined;
  readonly type: string;
  /** Milliseconds since the start of the process: a small integer needs no allocation. */
  readonly #at: number;
  readonly #exchange: ExchangeDetails;
  readonly #step: StepPart | undefined;
  readonly #seq: number;
  readonly #attempt: number;
  readonly #mocked: boolean;
  readonly #durationMicros: number;
  readonly #error: string;
  readonly #body: BodyPreview;
  readonly #bodyType: BodyType;

  constructor({ type, exchange, step, mocked, durationMs, error }: TraceSubject, at: number, details: ExchangeDetails, body: BodyPreview) {
    this.type = type;
    this.#at = at - origin;
    this.#exchange = details;
    this.#step = step;
    this.#seq = exchange.run.trail?.length ?? 0;
    this.#attempt = exchange.attempt;
    this.#mocked = mocked;
    this.#durationMicros = durationMs === undefined ? -1 : Math.round(durationMs * 1_000);
    this.#error = error === undefined ? "null" : errorText(error, step, details.secrets);
    this.#body = body;
    this.#bodyType = bodyTypeOf(exchange.message.body);
  }

  get bytes(): number {
    return 1_000 + this.#body.text.length * 2;
  }

  get details(): EventDetails {
    return this;
  }

  get flowId(): string {
    return this.#exchange.route.flowId;
  }

  get routeId(): string {
    return this.#exchange.route.id;
  }

  get runId(): string {
    return this.#exchange.runId;
  }

  get sessionId(): string | undefined {
    return this.#exchange.sessionId;
  }

  get stepId(): string | undefined {
    return this.#step?.id;
  }

  write(id: string, detail: BodyDetail): string {
    const durationMs = this.#durationMicros < 0 ? null : this.#durationMicros / 1_000;
    const sessionId = this.sessionId === undefined ? null : JSON.stringify(this.sessionId);
    return this.#exchange.secrets.scrubJson(
      `{"id":"${id}","type":"${this.type}","at":"${timeText(this.#at)}",${this.#exchange.text}${this.#stepText()}` +
        `,"durationMs":${durationMs},"error":${this.#error},"sessionId":${sessionId},"message":${this.#messageText(detail)}}`,
    );
  }

  #stepText(): string {
    return this.#step === undefined ? "" : `,${this.#step.text},"seq":${this.#seq},"attempt":${this.#attempt},"mocked":${this.#mocked}`;
  }

  #messageText(detail: BodyDetail): string {
    const limit = detailLimits[detail];
    const { text, size, truncated } = this.#body;
    const isTruncated = truncated || text.length > limit;
    const body = detail === "none" ? null : bodyText(isTruncated ? this.#exchange.secrets.scrubEnd(text.slice(0, limit)) : text);
    return `{"body":${body},"bodyType":"${this.#bodyType}","size":${size ?? null},"truncated":${isTruncated},"headers":{${this.#exchange.headers}}}`;
  }
}

const origin = Date.now();
const timeText = memoizeLast((at: number) => new Date(origin + at).toISOString());
const bodyText = memoizeLast((text: string) => JSON.stringify(maskUris(maskMembers(text))));

/** Caches the last result: events written together mostly share time and body. */
function memoizeLast<A, B>(compute: (from: A) => B): (from: A) => B {
  let last: { readonly from: A; readonly result: B } | undefined;
  return (from) => (last?.from === from ? last : (last = { from, result: compute(from) })).result;
}

function errorText({ type, message, stepId }: FlowError, step: StepPart | undefined, secrets: EventScrubber): string {
  const shown = message.length > maxMessageLength ? secrets.scrubEnd(message.slice(0, maxMessageLength)) : message;
  return JSON.stringify({ type, message: maskUris(shown), stepId: stepId ?? step?.id ?? null });
}
