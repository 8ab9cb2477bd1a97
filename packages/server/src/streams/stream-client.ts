// A client of an event stream: filters, batches, and limits the cost of slow clients.
import type { Clock } from "@sluice/engine";
import type { ApiStream } from "../http/management.ts";
import type { EventHub, Gap } from "./event-hub.ts";
import { EventQueue, type QueueLimits } from "./event-queue.ts";
import type { StreamEvent } from "./stream-event.ts";
import type { StreamFilter } from "./stream-filter.ts";

export interface ClientLimits extends QueueLimits {
  readonly heartbeatMs: number;
  readonly stuckMs: number;
}

export interface ClientOptions {
  readonly hub: EventHub;
  readonly stream: ApiStream;
  readonly filter: StreamFilter;
  readonly limits: ClientLimits;
  readonly clock: Clock;
  closed(): void;
}

/** Batching delay for events. */
const gatherMs = 10;
/** Pause per sent event, which limits a client to 12,500 events per second. */
const pauseMsPerEvent = 0.08;
/** A flood is this many lost events per sent event, for this long. Shorter bursts are not treated as floods, and their last events are shown. */
const floodRatio = 2;
const floodMs = 300;
/** Past events written at a time, so that a client that does not read uses little memory. */
const backlogStep = 20;
const rareBreaks = ["\u0085", "\u2028", "\u2029"];

export class StreamClient {
  readonly filter: StreamFilter;
  readonly #options: ClientOptions;
  /** Past events still to be sent, shared with the hub; live ones are queued behind them. */
  #backlog: StreamEvent[] = [];
  readonly #waiting: EventQueue;
  #dropped = 0;
  /** Events that were not built, after the queued ones. */
  #missed = 0;
  /** Start of the flood on the monotonic clock. */
  #floodedSince = Infinity;
  #isFlooded = false;
  #blocked = false;
  #gathering = false;
  #cancelHeartbeat: () => void = () => undefined;
  #cancelStuck: (() => void) | undefined = undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.filter = options.filter;
    this.#waiting = new EventQueue(options.limits);
  }

  /** Sends the greeting and past events, and joins the stream. */
  begin(catchUp: { readonly gap?: Gap | undefined; readonly events: readonly StreamEvent[] }): void {
    const { hub, stream, filter } = this.#options;
    stream.onDrain(() => this.#unblock());
    stream.onClose(() => this.#close());
    this.#write(`retry: 2000\n: connected ${hub.greeting} filters=${filter.text}\n\n`);
    if (catchUp.gap !== undefined) this.#write(gapFrame(catchUp.gap));
    this.#backlog = catchUp.events.filter((event) => filter.matches(event.details));
    hub.join(this);
    this.#flush();
    this.#scheduleHeartbeat();
  }

  get isFlooded(): boolean {
    return this.#isFlooded && this.#waiting.isFull && this.filter.includesAllEvents;
  }

  countMissed(count = 1): void {
    this.#missed += count;
    if (!this.#blocked && !this.#gathering) this.#gather(gatherMs);
  }

  offer(event: StreamEvent): void {
    if (!this.filter.matches(event.details) || !this.#matchesText(event)) return;
    // Drop events after an unreported gap, so that the gap is reported in the right place.
    if (this.#missed > 0) {
      this.#missed++;
      return;
    }
    this.#dropped += this.#waiting.push(event);
    if (!this.#blocked && !this.#gathering) this.#gather(gatherMs);
  }

  /** Sends a last event and ends the stream. */
  finish(): void {
    if (!this.#options.stream.open) return;
    this.#gathering = false;
    this.#flush();
    this.#options.stream.write(`event: ${this.#options.hub.name}\ndata: {"type":"stream.closed","reason":"shutdown"}\n\n`);
    this.#options.stream.end();
  }

  /** Only a text filter needs the text of events that may never be sent. */
  #matchesText(event: StreamEvent): boolean {
    return !this.filter.needsText || this.filter.matchesText(this.#options.hub.textOf(event, this.filter.body));
  }

  #gather(ms: number): void {
    this.#gathering = true;
    this.#options.clock.after(ms, () => {
      this.#gathering = false;
      this.#flush();
    });
  }

  #frame(event: StreamEvent): string {
    const { hub } = this.#options;
    const json = hub.textOf(event, this.filter.body);
    // JSON contains no line break, so content cannot end a line or start another field. Some readers also end a line at rare Unicode line
    // breaks.
    const line = rareBreaks.some((letter) => json.includes(letter))
      ? json.replaceAll(/[\u0085\u2028\u2029]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`)
      : json;
    return `id: ${hub.idOf(event)}\nevent: ${hub.name}\ndata: ${line}\n\n`;
  }

  #flush(): void {
    while (this.#backlog.length > 0 && !this.#blocked && this.#options.stream.open)
      this.#send(this.#backlog.splice(0, backlogStep).filter((event) => this.#matchesText(event)));
    if (this.#blocked || this.#gathering || (this.#waiting.size === 0 && this.#missed === 0) || !this.#options.stream.open) return;
    this.#sendWaiting();
  }

  #sendWaiting(): void {
    const gap = this.#dropped === 0 ? "" : gapFrame({ dropped: this.#dropped, reason: "slow-client" });
    const events = this.#waiting.takeAll();
    const missed = this.#missed === 0 ? "" : gapFrame({ dropped: this.#missed, reason: "slow-client" });
    const now = this.#options.clock.monotonic();
    this.#floodedSince = this.#dropped + this.#missed < events.length * floodRatio ? Infinity : Math.min(this.#floodedSince, now);
    this.#isFlooded = now - this.#floodedSince >= floodMs;
    this.#dropped = this.#missed = 0;
    this.#gather(Math.max(gatherMs, events.length * pauseMsPerEvent));
    this.#send(events, gap, missed);
  }

  #send(events: readonly StreamEvent[], prefix = "", suffix = ""): void {
    let text = prefix;
    for (const event of events) text += this.#frame(event);
    this.#write(text + suffix);
  }

  #write(text: string): void {
    const { stream } = this.#options;
    if (text === "" || !stream.open || stream.write(text)) return;
    this.#blocked = true;
    this.#cancelStuck ??= this.#watchStuck();
  }

  /** Disconnects a client that reads nothing for too long; a slow one may continue. */
  #watchStuck(): () => void {
    const { stream, clock, limits } = this.#options;
    const { buffered } = stream;
    return clock.after(limits.stuckMs, () => {
      if (stream.buffered >= buffered) stream.destroy();
      else this.#cancelStuck = this.#watchStuck();
    });
  }

  #unblock(): void {
    this.#blocked = false;
    this.#cancelStuck?.();
    this.#cancelStuck = undefined;
    this.#flush();
  }

  #scheduleHeartbeat(): void {
    const { stream, clock, limits } = this.#options;
    this.#cancelHeartbeat = clock.after(limits.heartbeatMs, () => {
      if (!stream.open) return;
      // Detects vanished clients: unread data fills the buffer until the client is disconnected.
      if (!this.#blocked) this.#write(": heartbeat\n\n");
      this.#scheduleHeartbeat();
    });
  }

  #close(): void {
    this.#cancelHeartbeat();
    this.#cancelStuck?.();
    this.#waiting.takeAll();
    this.#backlog = [];
    this.#options.hub.leave(this);
    this.#options.closed();
  }
}

const gapFrame = ({ dropped, reason }: Gap): string => `event: gap\ndata: {"dropped":${dropped},"reason":"${reason}"}\n\n`;
