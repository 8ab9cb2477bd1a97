// The record of a run in the history. Ended runs are stored without their messages and errors.
import { StepTrail, type Exchange, type Run } from "@sluice/engine";
import { copyString } from "@sluice/engine/values";
import { lengthOf } from "../http/reply.ts";
import { previewBody } from "../masking/preview.ts";
import { maxMessageLength, previewLimit, type RunError, type RunKind, type RunMetadata } from "./run-metadata.ts";

const maxTypeLength = 256;
/** Estimated memory of an empty record, and of each step. */
const recordBytes = 700;
const stepBytes = 120;

/** An entry of the history. */
export interface HistoryEntry extends Pick<RunMetadata, "id" | "route" | "startedAt" | "status" | "correlationId" | "sessionId" | "kind"> {
  /** The run while it is running. */
  readonly run: Run | undefined;
  /** Estimated memory, for the limit of the history. */
  readonly bytes: number;
  /** A snapshot of the run's data. */
  metadata(): RunMetadata;
}

/** A run of another process, for which only the data exists. */
export function adoptedRun(metadata: RunMetadata): HistoryEntry {
  const bytes = recordBytes + metadata.preview.length * 2 + metadata.steps.length * stepBytes + (metadata.error?.message.length ?? 0) * 2;
  return { ...metadata, run: undefined, bytes, metadata: () => metadata };
}

/** A run of this process. */
export class RunRecord implements HistoryEntry {
  run: Run | undefined;
  bytes: number;
  readonly id: string;
  readonly route: Run["route"];
  readonly startedAt: number;
  readonly sessionId: string | undefined;
  readonly #exchangeId: string;
  readonly #parentRunId: string | undefined;
  readonly #trigger: Run["trigger"];
  readonly #traceId: string | undefined;
  readonly #contentType: string | undefined;
  readonly #requestSize: number | undefined;
  /** The start of the body. */
  readonly #preview: string;
  /** The preview has one character per byte and is decoded on demand: such a string takes less memory and time than a copy of the bytes. */
  readonly #isEncoded: boolean;
  readonly #trail = new StepTrail();
  #endedAt = 0;
  #status: Run["status"] = "running";
  #correlationId = "";
  #redeliveries = 0;
  #handled = false;
  #error: RunError | undefined = undefined;
  #replyStatus: number | undefined = undefined;
  #replySize: number | undefined = undefined;
  #replayOf: string | undefined = undefined;
  #isReplay: boolean;

  constructor(run: Run, exchange: Exchange) {
    const { body, headers } = exchange.message;
    this.run = run;
    this.id = run.id;
    this.route = run.route;
    this.startedAt = run.startedAt;
    this.sessionId = run.session?.id;
    this.#isReplay = (run.parent?.record as RunRecord | undefined)?.kind === "replay";
    this.#exchangeId = exchange.id;
    this.#parentRunId = run.parent?.id;
    this.#trigger = copyTrigger(run.trigger);
    this.#traceId = run.trace?.traceId;
    this.#contentType = contentTypeOf(headers.getKey("content-type"));
    this.#isEncoded = body instanceof Uint8Array;
    if (body instanceof Uint8Array) {
      this.#preview = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, previewLimit)).toString("latin1");
      this.#requestSize = body.byteLength;
    } else {
      const { text, size } = previewBody(body, previewLimit);
      this.#preview = text;
      this.#requestSize = size;
    }
    this.bytes = this.#measure();
    run.trail = this.#trail;
    run.record = this;
  }

  /** Records that this run replays another one, or a dead letter. */
  replays(runId?: string): void {
    this.#replayOf = runId;
    this.#isReplay = true;
  }

  get kind(): RunKind {
    if (this.sessionId !== undefined) return "test";
    return this.#isReplay ? "replay" : "live";
  }

  /** Records the result of the run; returns the increase in estimated memory. */
  end(run: Run, exchange: Exchange): number {
    const previousBytes = this.bytes;
    this.run = undefined;
    this.#endedAt = run.endedAt;
    this.#status = run.status;
    this.#correlationId = run.correlationId === undefined ? run.chainId : copyString(run.correlationId);
    this.#redeliveries = run.redeliveries;
    this.#handled = run.handled;
    const failure = run.failure ?? (run.handled ? exchange.caught : undefined);
    if (failure !== undefined)
      this.#error = { type: failure.type, message: copyString(failure.message.slice(0, maxMessageLength)), stepId: failure.stepId ?? null };
    const { reply } = run;
    this.#replyStatus = reply?.status;
    this.#replySize = reply === undefined ? sizeOf(exchange.message.body) : lengthOf(reply.body);
    this.bytes = this.#measure();
    return this.bytes - previousBytes;
  }

  get status(): Run["status"] {
    return this.run?.status ?? this.#status;
  }

  get correlationId(): string {
    return this.run?.chainId ?? this.#correlationId;
  }

  metadata(): RunMetadata {
    return {
      id: this.id,
      route: this.route,
      exchangeId: this.#exchangeId,
      parentRunId: this.#parentRunId,
      sessionId: this.sessionId,
      trigger: this.#trigger,
      startedAt: this.startedAt,
      endedAt: this.#endedAt,
      isOver: this.run === undefined,
      contentType: this.#contentType,
      requestSize: this.#requestSize,
      preview: this.#isEncoded ? previewBody(Buffer.from(this.#preview, "latin1"), previewLimit).text : this.#preview,
      status: this.status,
      correlationId: this.correlationId,
      traceId: this.#traceId,
      redeliveries: this.run?.redeliveries ?? this.#redeliveries,
      handled: this.run?.handled ?? this.#handled,
      steps: this.#trail.records(),
      error: this.#error,
      replyStatus: this.#replyStatus,
      replySize: this.#replySize,
      replayOf: this.#replayOf,
      kind: this.kind,
    };
  }

  #measure(): number {
    const texts = (this.#trigger.path?.length ?? 0) + this.#preview.length * 2 + (this.#error?.message.length ?? 0) * 2;
    return recordBytes + texts + this.#trail.length * stepBytes;
  }
}

// Successive runs often have the same trigger and the same content type, which are then copied once.
let lastTrigger: Run["trigger"] = { uri: "" };
let lastCopiedTrigger = lastTrigger;
let lastType = "";

/** Copied, because a path is a slice of the request head, which would stay in memory. */
function copyTrigger(trigger: Run["trigger"]): Run["trigger"] {
  if (trigger === lastTrigger) return lastCopiedTrigger;
  if (trigger.path === undefined) return trigger;
  lastTrigger = trigger;
  return (lastCopiedTrigger = { ...trigger, path: copyString(trigger.path) });
}

/** The content type, copied from a slice of the request head or set by a route. */
function contentTypeOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") return previewBody(value, maxTypeLength).text;
  return value === lastType ? lastType : (lastType = copyString(value.slice(0, maxTypeLength)));
}

/** The size of the result, for runs without a reply. */
const sizeOf = (body: unknown): number | undefined => (typeof body === "string" || body instanceof Uint8Array ? lengthOf(body) : undefined);
