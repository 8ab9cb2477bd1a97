// One run as the history keeps it. Small and self-contained: it holds no message, exchange or error object, so that what it
// costs is known. Texts are made when somebody reads it.
import type { Exchange, Run, StepRecord } from "@sluice/engine";
import type { SecretValues } from "../masking/secret-values.ts";
import { maskUris } from "../masking/secret-uris.ts";
import { previewBody } from "../masking/preview.ts";

const previewLimit = 1_024;
const longestMessage = 2_000;
const smallBuffer = 2_048;

export interface RunError {
  readonly type: string;
  readonly message: string;
  readonly stepId: string | null;
}

/** What is known of a run from outside its process. */
export type LostRun = Pick<RunRecord, "id" | "route" | "exchangeId" | "trigger" | "startedAt">;

export class RunRecord {
  /** The run itself while it goes on; given up at its end. */
  run: Run | undefined;
  readonly id: string;
  readonly route: Run["route"];
  readonly exchangeId: string;
  readonly parentRunId: string | undefined;
  readonly sessionId: string | undefined;
  readonly trigger: Run["trigger"];
  readonly startedAt: number;
  readonly contentType: unknown;
  readonly requestSize: number | undefined;
  /** The beginning of the body. Small bytes as they came, of others one character each: nobody has had to read them yet. */
  readonly preview: string | Uint8Array;
  readonly isBytes: boolean;
  endedAt = 0;
  status: Run["status"] = "running";
  correlationId: string | undefined;
  traceId: string | undefined;
  redeliveries = 0;
  handled = false;
  steps: readonly StepRecord[] | undefined = undefined;
  error: RunError | undefined = undefined;
  replyStatus: number | undefined = undefined;
  replySize: number | undefined = undefined;
  replayOf: string | undefined = undefined;
  /** Estimated memory, for the history's bound. */
  bytes: number;

  constructor(run: Run, exchange: Exchange) {
    this.run = run;
    this.id = run.id;
    this.route = run.route;
    this.exchangeId = exchange.id;
    this.parentRunId = run.parent?.id;
    this.sessionId = run.session?.id;
    this.trigger = run.trigger;
    this.startedAt = run.startedAt;
    this.correlationId = run.correlationId;
    this.traceId = run.trace?.traceId;
    const { body, headers } = exchange.message;
    this.contentType = headers.getKey("content-type");
    this.isBytes = body instanceof Uint8Array;
    if (body instanceof Uint8Array) {
      // Not a view of something large, which would keep all of it alive, and not a copy of bytes, which costs the collector more than text.
      this.preview = body.buffer.byteLength <= smallBuffer ? body : latin1(body, previewLimit);
      this.requestSize = body.byteLength;
    } else {
      const preview = previewBody(body, previewLimit);
      this.preview = preview.text;
      this.requestSize = preview.size;
    }
    this.bytes = 600 + this.preview.length * 2;
  }

  /** A record of another process, from its fields. */
  static restore(fields: Readonly<Record<string, unknown>>): RunRecord {
    return Object.assign(Object.create(RunRecord.prototype) as RunRecord, fields, { run: undefined });
  }

  /** The record of a run whose process ended before it did. */
  static lost({ id, route, exchangeId, trigger, startedAt }: LostRun, error: RunError, endedAt: number): RunRecord {
    const known = { id, route, exchangeId, trigger, startedAt, endedAt, error, status: "failed", preview: "", isBytes: false, redeliveries: 0, handled: false };
    return RunRecord.restore({ ...known, bytes: 600 + error.message.length * 2 });
  }

  /** What can be handed to another process of a run that is over. */
  fields(): Readonly<Record<string, unknown>> {
    const preview = typeof this.preview === "string" ? this.preview : latin1(this.preview, previewLimit);
    return { ...Object.fromEntries(Object.entries(this).filter(([name]) => name !== "run")), preview };
  }

  /** Notes that this run is another one again. */
  replays(runId: string): void {
    this.replayOf = runId;
  }

  /** Takes over what the run came to; returns by how much the record grew. */
  end(run: Run, exchange: Exchange): number {
    const before = this.bytes;
    this.run = undefined;
    this.endedAt = run.endedAt;
    this.status = run.status;
    this.correlationId = run.correlationId;
    this.redeliveries = run.redeliveries;
    this.handled = run.handled;
    this.steps = run.steps;
    this.bytes += (run.steps?.length ?? 0) * 96;
    const failure = run.failure ?? (run.handled ? exchange.caught : undefined);
    if (failure !== undefined) {
      this.error = { type: failure.type, message: failure.message.slice(0, longestMessage), stepId: failure.stepId ?? null };
      this.bytes += this.error.message.length * 2;
    }
    const { body, headers } = exchange.message;
    const status = headers.getOwn("CamelHttpResponseCode");
    this.replyStatus = status === undefined ? undefined : Number(status);
    this.replySize = typeof body === "string" ? Buffer.byteLength(body) : body instanceof Uint8Array ? body.byteLength : undefined;
    return this.bytes - before;
  }
}

function previewText({ preview, isBytes }: RunRecord): string {
  if (typeof preview === "string" && !isBytes) return preview;
  return previewBody(typeof preview === "string" ? Buffer.from(preview, "latin1") : preview, previewLimit).text;
}

function latin1(bytes: Uint8Array, limit: number): string {
  const buffer = bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString("latin1", 0, limit);
}

const isoOrNull = (time: number): string | null => (time === 0 ? null : new Date(time).toISOString());

/** The record as the API shows it. */
export function runJson(record: RunRecord, secrets: SecretValues): Readonly<Record<string, unknown>> {
  const { run, route, error } = record;
  const hide = (text: string): string => secrets.scrub(maskUris(text));
  const status = run?.status ?? record.status;
  const failed = status === "failed" || status === "cancelled";
  return {
    id: record.id,
    routeId: route.id,
    flowId: route.flowId,
    flowHash: route.flowHash,
    status,
    startedAt: isoOrNull(record.startedAt),
    endedAt: isoOrNull(record.endedAt),
    durationMs: record.endedAt === 0 ? null : Math.max(0, Math.round(record.endedAt - record.startedAt)),
    trigger: { ...record.trigger, uri: hide(record.trigger.uri).replace(/:$/, "") },
    exchangeId: record.exchangeId,
    correlationId: run?.correlationId ?? record.correlationId ?? null,
    parentRunId: record.parentRunId ?? null,
    traceId: record.traceId ?? null,
    redeliveries: run?.redeliveries ?? record.redeliveries,
    handled: run?.handled ?? record.handled,
    steps: (run?.steps ?? record.steps ?? []).map(stepJson),
    error: error === undefined ? null : { ...error, message: hide(error.message) },
    request: {
      contentType: record.contentType ?? null,
      size: record.requestSize ?? null,
      preview: hide(previewText(record)),
    },
    reply:
      record.endedAt === 0
        ? null
        : { status: record.replyStatus ?? (record.trigger.method === undefined ? null : failed ? 500 : 200), size: record.replySize ?? null },
    sessionId: record.sessionId ?? null,
    replayOf: record.replayOf ?? null,
  };
}

function stepJson(step: StepRecord): Readonly<Record<string, unknown>> {
  return { ...step, startedAt: new Date(step.startedAt).toISOString(), durationMs: Math.round(step.durationMs * 1_000) / 1_000 };
}
