// Where the history keeps one run, and later another: a busy route has a few hundred of these and fills them over and over, so that
// what is kept of a run is no work for the garbage collector. Nobody holds on to one; whoever asks gets its facts.
import { ownText, StepTrail, type Exchange, type Run } from "@sluice/engine";
import { lengthOf } from "../http/reply.ts";
import { previewBody } from "../masking/preview.ts";
import { KeptIds } from "./kept-ids.ts";
import { previewLimit, type RunError, type RunFacts } from "./run-facts.ts";

const longestMessage = 2_000;
const longestType = 256;
/** Memory of a record without what it holds, and of each step, estimated. */
const ownBytes = 700;
const stepBytes = 40;
/** Room for the beginning of a body is made in steps of this many bytes, so that it serves others as well. */
const roomStep = 256;

const noRoom = Buffer.alloc(0);

/** Of what a run that answers nobody came to. */
const sizeOf = (body: unknown): number | undefined => (typeof body === "string" || body instanceof Uint8Array ? lengthOf(body) : undefined);

export class RunRecord {
  /** The run itself while it goes on; given up at its end. */
  run: Run | undefined = undefined;
  route: Run["route"] = { id: "", flowId: "", flowHash: "" };
  startedAt = 0;
  endedAt = 0;
  /** Estimated memory, for the history's bound. */
  bytes = 0;
  readonly #ids = new KeptIds();
  #parentRunId: string | undefined = undefined;
  #sessionId: string | undefined = undefined;
  #trigger: Run["trigger"] = { uri: "" };
  #contentType: string | undefined = undefined;
  #requestSize: number | undefined = undefined;
  /** The beginning of a body of bytes, as they came: nobody has had to read them yet. */
  #room: Buffer = noRoom;
  #roomUsed = 0;
  #preview: string | undefined = undefined;
  #status: Run["status"] = "running";
  #correlationId: string | undefined = undefined;
  #redeliveries = 0;
  #handled = false;
  readonly #trail = new StepTrail();
  #error: RunError | undefined = undefined;
  #replyStatus: number | undefined = undefined;
  #replySize: number | undefined = undefined;
  #replayOf: string | undefined = undefined;
  /** A run of another process, whose facts are all there is. */
  #adopted: RunFacts | undefined = undefined;

  /** The record of a run of another process. */
  static of(facts: RunFacts): RunRecord {
    const record = new RunRecord();
    record.#adopted = facts;
    record.route = facts.route;
    record.startedAt = facts.startedAt;
    record.endedAt = facts.endedAt;
    record.bytes = ownBytes + facts.preview.length * 2 + facts.steps.length * 3 * stepBytes + (facts.error?.message.length ?? 0) * 2;
    return record;
  }

  /** Forgets what it held and takes in a run that begins. */
  begin(run: Run, exchange: Exchange): void {
    run.steps = this.#trail;
    run.turn = this.#trail.restart();
    run.record = this;
    this.run = run;
    this.#ids.keep(run.id, exchange.id, run.trace?.traceId);
    this.route = run.route;
    this.startedAt = run.startedAt;
    this.endedAt = 0;
    this.#parentRunId = run.parent?.id;
    this.#sessionId = run.session?.id;
    this.#keepTrigger(run.trigger);
    this.#status = "running";
    this.#correlationId = run.correlationId;
    this.#redeliveries = 0;
    this.#handled = false;
    this.#error = undefined;
    this.#replyStatus = undefined;
    this.#replySize = undefined;
    this.#replayOf = undefined;
    this.#adopted = undefined;
    const { body, headers } = exchange.message;
    const type = headers.getKey("content-type");
    if (type !== this.#contentType) this.#contentType = typeOf(type);
    if (body instanceof Uint8Array) this.#keepBytes(body);
    else {
      const preview = previewBody(body, previewLimit);
      this.#preview = preview.text;
      this.#requestSize = preview.size;
    }
    this.bytes = this.#measure();
  }

  /** Notes that this run is another one again. */
  replays(runId: string): void {
    this.#replayOf = runId;
  }

  /** Takes over what the run came to; returns by how much the record grew. */
  end(run: Run, exchange: Exchange): number {
    const before = this.bytes;
    this.run = undefined;
    this.endedAt = run.endedAt;
    this.#status = run.status;
    this.#correlationId = run.correlationId;
    this.#redeliveries = run.redeliveries;
    this.#handled = run.handled;
    this.bytes = this.#measure();
    const failure = run.failure ?? (run.handled ? exchange.caught : undefined);
    if (failure !== undefined) {
      this.#error = { type: failure.type, message: ownText(failure.message.slice(0, longestMessage)), stepId: failure.stepId ?? null };
      this.bytes += this.#error.message.length * 2;
    }
    const { reply } = run;
    this.#replyStatus = reply?.status;
    this.#replySize = reply === undefined ? sizeOf(exchange.message.body) : lengthOf(reply.body);
    return this.bytes - before;
  }

  get id(): string {
    return this.#adopted?.id ?? this.#ids.run;
  }

  get status(): Run["status"] {
    return this.#adopted?.status ?? this.run?.status ?? this.#status;
  }

  get correlationId(): string | undefined {
    return this.#adopted === undefined ? (this.run?.correlationId ?? this.#correlationId) : this.#adopted.correlationId;
  }

  get sessionId(): string | undefined {
    return this.#adopted === undefined ? this.#sessionId : this.#adopted.sessionId;
  }

  /** What is known now; stays as it is whatever becomes of the record. */
  facts(): RunFacts {
    if (this.#adopted !== undefined) return this.#adopted;
    return {
      id: this.id,
      route: this.route,
      exchangeId: this.#ids.exchange,
      parentRunId: this.#parentRunId,
      sessionId: this.#sessionId,
      trigger: this.#trigger,
      startedAt: this.startedAt,
      endedAt: this.endedAt,
      isOver: this.run === undefined,
      contentType: this.#contentType,
      requestSize: this.#requestSize,
      preview: this.#preview ?? previewBody(this.#room.subarray(0, this.#roomUsed), previewLimit).text,
      status: this.status,
      correlationId: this.correlationId,
      traceId: this.#ids.trace,
      redeliveries: this.run?.redeliveries ?? this.#redeliveries,
      handled: this.run?.handled ?? this.#handled,
      steps: this.#trail.records(),
      error: this.#error,
      replyStatus: this.#replyStatus,
      replySize: this.#replySize,
      replayOf: this.#replayOf,
    };
  }

  #measure(): number {
    const texts = (this.#trigger.path?.length ?? 0) + (this.#preview?.length ?? 0) * 2;
    return ownBytes + texts + this.#room.length + this.#trail.capacity * stepBytes;
  }

  /** Paths are cut from the head of a request. Most runs of a route have the same, of which the record has a text of its own then. */
  #keepTrigger(trigger: Run["trigger"]): void {
    const { uri, method, path } = this.#trigger;
    if (trigger.path === undefined) this.#trigger = trigger;
    else if (trigger.path !== path || trigger.method !== method || trigger.uri !== uri) this.#trigger = { ...trigger, path: ownText(trigger.path) };
  }

  #keepBytes(body: Uint8Array): void {
    const length = Math.min(body.byteLength, previewLimit);
    // Not from node's pool: a piece of it keeps all the eight kilobytes it was cut from.
    if (this.#room.length < length) this.#room = Buffer.allocUnsafeSlow(Math.ceil(length / roomStep) * roomStep);
    this.#room.set(length === body.byteLength ? body : body.subarray(0, length));
    this.#roomUsed = length;
    this.#requestSize = body.byteLength;
    this.#preview = undefined;
  }
}

/** A content type as it is kept: cut from the head of a request, or whatever a route has set. */
function typeOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? ownText(value.slice(0, longestType)) : previewBody(value, longestType).text;
}
