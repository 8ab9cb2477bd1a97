// One connected client of an event stream: filters, batches, and never lets a slow reader cost more than its share.
import type { Clock } from "@sluice/engine";
import type { ApiStream } from "../http/management.ts";
import type { EventHub, Gap, StreamEvent } from "./event-hub.ts";
import type { StreamFilter } from "./stream-filter.ts";

export interface ClientLimits {
  readonly maxEvents: number;
  readonly maxBytes: number;
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

/** Events are gathered for this long before they are written: one write for many. */
const gatherMs = 10;
/** Past events written at a time, so that a client that does not read them costs little. */
const backlogStep = 20;
const rareBreak = /[\u0085\u2028\u2029]/;

export class StreamClient {
  readonly filter: StreamFilter;
  readonly #options: ClientOptions;
  /** Past events still to be sent, shared with the hub; live ones queue behind them. */
  #backlog: StreamEvent[] = [];
  #waiting: string[] = [];
  #waitingBytes = 0;
  #dropped = 0;
  #blocked = false;
  #gathering = false;
  #cancelHeartbeat: () => void = () => undefined;
  #cancelStuck: (() => void) | undefined = undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.filter = options.filter;
  }

  /** Greets, catches up and begins to follow. */
  begin(catchUp: { readonly gap?: Gap | undefined; readonly events: readonly StreamEvent[] }): void {
    const { hub, stream, filter } = this.#options;
    stream.onDrain(() => this.#unblock());
    stream.onClose(() => this.#close());
    this.#write(`retry: 2000\n: connected ${hub.greeting} filters=${filter.text}\n\n`);
    if (catchUp.gap !== undefined) this.#write(gapFrame(catchUp.gap));
    this.#backlog = catchUp.events.filter((event) => filter.matches(event.facts));
    hub.join(this);
    this.#flush();
    this.#beat();
  }

  offer(event: StreamEvent): void {
    if (!this.filter.matches(event.facts)) return;
    const frame = this.#frame(event);
    if (frame === "") return;
    this.#waiting.push(frame);
    this.#waitingBytes += frame.length;
    const { maxEvents, maxBytes } = this.#options.limits;
    while (this.#waiting.length > maxEvents || (this.#waitingBytes > maxBytes && this.#waiting.length > 1)) {
      this.#waitingBytes -= (this.#waiting.shift() as string).length;
      this.#dropped++;
    }
    if (this.#blocked || this.#gathering) return;
    this.#gathering = true;
    this.#options.clock.after(gatherMs, () => {
      this.#gathering = false;
      this.#flush();
    });
  }

  /** Says goodbye and ends the stream. */
  finish(): void {
    if (!this.#options.stream.open) return;
    this.#flush();
    this.#options.stream.write(`event: ${this.#options.hub.name}\ndata: {"type":"stream.closed","reason":"shutdown"}\n\n`);
    this.#options.stream.end();
  }

  /** The event on the wire; empty when its text is not wanted. */
  #frame(event: StreamEvent): string {
    const json = event.json(this.filter.body);
    if (!this.filter.admits(json)) return "";
    // JSON text holds no line break of SSE, so content can neither end a line nor begin another field; some readers
    // take the rarer line breaks of Unicode for one as well.
    const line = rareBreak.test(json) ? json.replaceAll(/[\u0085\u2028\u2029]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`) : json;
    return `id: ${event.id}\nevent: ${this.#options.hub.name}\ndata: ${line}\n\n`;
  }

  #flush(): void {
    while (this.#backlog.length > 0 && !this.#blocked && this.#options.stream.open) {
      this.#write(
        this.#backlog
          .splice(0, backlogStep)
          .map((event) => this.#frame(event))
          .join(""),
      );
    }
    if (this.#blocked || this.#waiting.length === 0 || !this.#options.stream.open) return;
    const frames = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    const gap = this.#dropped === 0 ? "" : gapFrame({ dropped: this.#dropped, reason: "slow-client" });
    this.#dropped = 0;
    this.#write(gap + frames.join(""));
  }

  #write(text: string): void {
    const { stream } = this.#options;
    if (text === "" || !stream.open || stream.write(text)) return;
    this.#blocked = true;
    this.#cancelStuck ??= this.#watchStuck();
  }

  /** Cuts the client off when it took nothing for too long; one that is only slow may go on. */
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

  #beat(): void {
    const { stream, clock, limits } = this.#options;
    this.#cancelHeartbeat = clock.after(limits.heartbeatMs, () => {
      if (!stream.open) return;
      // A client that vanished without a word is found out here: what it never takes fills its buffer, then it is cut off.
      if (!this.#blocked) this.#write(": heartbeat\n\n");
      this.#beat();
    });
  }

  #close(): void {
    this.#cancelHeartbeat();
    this.#cancelStuck?.();
    this.#waiting = [];
    this.#backlog = [];
    this.#options.hub.leave(this);
    this.#options.closed();
  }
}

const gapFrame = ({ dropped, reason }: Gap): string => `event: gap\ndata: {"dropped":${dropped},"reason":"${reason}"}\n\n`;
