// Sends finished runs to an OpenTelemetry collector in batches, one request at a time, from a bounded buffer. While the collector
// is slow or unavailable, spans that do not fit into the buffer are dropped and counted.
import type { Clock, Log, Run } from "@sluice/engine";
import { exportRequest, finishedRun, spanCount, type FinishedRun } from "./span-batch.ts";

export interface SpanExportOptions {
  /** The collector's URL; spans are sent to `/v1/traces` below it. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: Readonly<Record<string, string>>;
  /** Size of the buffer in spans. */
  readonly maxSpans: number;
  /** Fraction of traces to send, 0 to 1; a trace started by a caller is sent if the caller samples it. */
  readonly ratio: number;
  readonly clock: Clock;
  readonly log: Log;
  mask(text: string): string;
}

const batchSpans = 512;
const batchEveryMs = 1_000;
const requestTimeoutMs = 10_000;
const firstPauseMs = 1_000;
const maxPauseMs = 60_000;

export class SpanExport {
  readonly #options: SpanExportOptions;
  readonly #url: string;
  #waiting: FinishedRun[] = [];
  #waitingSpans = 0;
  #cancelTimer: (() => void) | undefined = undefined;
  #sending: Promise<void> | undefined = undefined;
  #pauseMs = 0;
  /** Whether the last batch was not accepted. */
  #isFailing = false;
  #ended = false;
  /** Aborts a request that is still running when the close timeout expires. */
  readonly #stop = new AbortController();
  exported = 0;
  dropped = 0;

  constructor(options: SpanExportOptions) {
    this.#options = options;
    this.#url = `${options.endpoint.replace(/\/+$/, "")}/v1/traces`;
  }

  get waiting(): number {
    return this.#waitingSpans;
  }

  /** Adds a run; never blocks and never throws. */
  runEnded(run: Run): void {
    if (this.#ended || !this.#isSampled(run)) return;
    const finished = finishedRun(run);
    const spans = spanCount(finished);
    if (this.#waitingSpans + spans > this.#options.maxSpans) {
      this.dropped += spans;
      return;
    }
    this.#waiting.push(finished);
    this.#waitingSpans += spans;
    if (this.#sending !== undefined || this.#pauseMs > 0) return;
    if (this.#waitingSpans >= batchSpans) this.#schedule(0);
    else if (this.#cancelTimer === undefined) this.#schedule(batchEveryMs);
  }

  /** Sends buffered spans within a time limit; the rest is dropped. */
  async close(withinMs: number): Promise<void> {
    this.#ended = true;
    this.#cancelTimer?.();
    const { clock } = this.#options;
    let cancel: (() => void) | undefined;
    const timeout = new Promise<void>((resolve) => {
      cancel = clock.after(withinMs, resolve);
    });
    const sendRest = async (): Promise<void> => {
      await this.#sending;
      while (this.#waiting.length > 0 && this.#pauseMs === 0) await this.#send();
    };
    await Promise.race([sendRest(), timeout]);
    cancel?.();
    this.#stop.abort();
    this.dropped += this.#waitingSpans;
    this.#waiting = [];
    this.#waitingSpans = 0;
  }

  /** Samples per trace: child runs follow their parent. */
  #isSampled({ trace, root }: Run): boolean {
    if (trace?.parentSpanId !== undefined) return trace.sampled;
    const { ratio } = this.#options;
    return ratio >= 1 || (ratio > 0 && fractionOf(trace?.traceId ?? root.id) < ratio);
  }

  #schedule(ms: number): void {
    this.#cancelTimer?.();
    this.#cancelTimer = this.#options.clock.after(ms, () => {
      this.#cancelTimer = undefined;
      this.#sending = this.#send().finally(() => {
        this.#sending = undefined;
        if (this.#waiting.length > 0 && !this.#ended) this.#schedule(this.#pauseMs > 0 ? this.#pauseMs : this.#waitingSpans >= batchSpans ? 0 : batchEveryMs);
      });
    });
  }

  async #send(): Promise<void> {
    const batch = this.#takeBatch();
    if (batch.length === 0) return;
    const spans = batch.reduce((sum, run) => sum + spanCount(run), 0);
    const outcome = await this.#post(batch);
    if (outcome === "accepted") this.exported += spans;
    else if (outcome === "rejected" || this.#waitingSpans + spans > this.#options.maxSpans) this.dropped += spans;
    else {
      this.#waiting = [...batch, ...this.#waiting];
      this.#waitingSpans += spans;
    }
  }

  #takeBatch(): readonly FinishedRun[] {
    let spans = 0;
    let count = 0;
    while (count < this.#waiting.length && spans < batchSpans) spans += spanCount(this.#waiting[count++] as FinishedRun);
    this.#waitingSpans -= spans;
    return this.#waiting.splice(0, count);
  }

  /** Sends a batch; `retry` when a retry may help. */
  async #post(batch: readonly FinishedRun[]): Promise<"accepted" | "rejected" | "retry"> {
    const { headers, resource, mask } = this.#options;
    const end = new AbortController();
    const stop = (): void => end.abort();
    const timer = setTimeout(stop, requestTimeoutMs);
    this.#stop.signal.addEventListener("abort", stop);
    try {
      const reply = await fetch(this.#url, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(exportRequest(batch, resource, mask)),
        redirect: "error",
        signal: end.signal,
      });
      await reply.body?.cancel();
      if (reply.ok) return this.#recordSuccess();
      const isTransient = reply.status === 429 || reply.status >= 500;
      this.#recordFailure(`status ${reply.status}`, isTransient);
      return isTransient ? "retry" : "rejected";
    } catch (error) {
      if (this.#stop.signal.aborted) return "rejected";
      const { cause, message } = error as Error;
      this.#recordFailure((cause as NodeJS.ErrnoException | undefined)?.code ?? message, true);
      return "retry";
    } finally {
      clearTimeout(timer);
      this.#stop.signal.removeEventListener("abort", stop);
    }
  }

  #recordSuccess(): "accepted" {
    if (this.#isFailing) this.#options.log.write("INFO", "sluice.spans", "The collector accepts spans again");
    this.#isFailing = false;
    this.#pauseMs = 0;
    return "accepted";
  }

  /** Logs once per outage. */
  #recordFailure(reason: string, isTransient: boolean): void {
    if (!this.#isFailing) this.#options.log.write("WARN", "sluice.spans", `The collector at ${this.#options.mask(this.#url)} did not accept spans: ${reason}`);
    this.#isFailing = true;
    this.#pauseMs = isTransient ? Math.min(maxPauseMs, Math.max(firstPauseMs, this.#pauseMs * 2)) : 0;
  }
}

/** Maps an id to an evenly distributed number from 0 to 1. */
function fractionOf(id: string): number {
  let hash = 2_166_136_261;
  for (let index = 0; index < id.length; index++) hash = Math.imul(hash ^ id.charCodeAt(index), 16_777_619);
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32;
}
