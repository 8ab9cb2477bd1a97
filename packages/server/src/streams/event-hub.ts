// An event stream: numbers events, keeps recent ones for clients that reconnect, and passes them to clients. Events are recorded while
// there are clients and for a while after the last client left, so that a broken connection can resume. Otherwise no events are built, and
// a later client is informed about the gap.
import type { Clock, RouteIdentity } from "@sluice/engine";
import { EventMerge, preciseNow } from "./event-merge.ts";
import { EventQueue } from "./event-queue.ts";
import type { StreamEvent } from "./stream-event.ts";
import { coversRoute, type BodyDetail, type FilterQuery, type StreamFilter } from "./stream-filter.ts";

/** A client of the stream. */
export interface HubClient {
  readonly filter: StreamFilter;
  /** Forwards the events to another process. */
  readonly isRemote?: boolean;
  offer(event: StreamEvent): void;
  /** Events arrive so much faster than they can be sent that the next ones need not be built. */
  readonly isFlooded: boolean;
  /** Counts events that were not built. */
  countMissed(count?: number): void;
  /** Called when the stream ends. */
  finish(): void;
}

export interface HubOptions {
  /** The SSE event name: `trace` or `log`. */
  readonly name: string;
  readonly boot: string;
  /** The name of this node in a cluster. */
  readonly node?: string | undefined;
  readonly maxEvents: number;
  readonly maxBytes: number;
  readonly clock: Clock;
  /** Known events from before recording started, oldest first. */
  earlier?(): readonly StreamEvent[];
  /** False to stop recording immediately after the last client. */
  readonly lingers?: boolean;
  /** Called when recording starts or stops, or the filters change. */
  changed(): void;
}

export interface Gap {
  readonly dropped: number;
  readonly reason: "slow-client" | "restart" | "not-recorded";
}

/** How long recording continues after the last client left. */
const lingerMs = 60_000;

export class EventHub {
  readonly name: string;
  /** A second listener for the same changes. */
  onChanged: (() => void) | undefined = undefined;
  readonly #options: HubOptions;
  readonly #clients = new Set<HubClient>();
  readonly #events: EventQueue;
  #counter = 0;
  /** The last number before recording stopped; 0 if it never did. */
  #stoppedAt = 0;
  /** The last number of events from before recording started; earlier clients may have seen some of them. */
  #earlierEnd = 0;
  #recording = false;
  #closed = false;
  #merge: EventMerge | undefined = undefined;
  #cancelLinger: (() => void) | undefined = undefined;

  constructor(options: HubOptions) {
    this.name = options.name;
    this.#options = options;
    this.#events = new EventQueue(options);
  }

  /** True while events are recorded: check before building one. */
  get recording(): boolean {
    return this.#recording;
  }

  get filters(): readonly StreamFilter[] {
    return [...this.#clients].map((client) => client.filter);
  }

  /** The queries of clients of this process. */
  get ownQueries(): readonly FilterQuery[] {
    return [...this.#clients].filter(({ isRemote }) => isRemote !== true).map(({ filter }) => filter.query);
  }

  /** `at` is the time of an event from another process. */
  publish(event: StreamEvent, at?: number): void {
    if (!this.#recording) return;
    if (this.#merge === undefined) return this.#offer(event);
    // The other process merges events itself: the delays would add up.
    for (const client of this.#clients) if (client.isRemote === true) client.offer(event);
    this.#merge.add(event, at ?? preciseNow());
  }

  /** Merges events of several processes in order, within this time window. */
  mergeEvents(windowMs: number): void {
    this.#merge ??= new EventMerge(windowMs, this.#options.clock, (event) => this.#recording && this.#offer(event));
  }

  #offer(event: StreamEvent): void {
    this.#record(event);
    for (const client of this.#clients) if (this.#merge === undefined || client.isRemote !== true) client.offer(event);
  }

  /** Counts an event instead of building it if all clients are flooded; false when it must be built. */
  skip(route: RouteIdentity): boolean {
    if (this.#clients.size === 0) return false;
    for (const client of this.#clients) if (!client.isFlooded) return false;
    this.#counter++;
    for (const client of this.#clients) if (coversRoute(client.filter, route)) client.countMissed();
    return true;
  }

  /** Counts events lost in another process: clients get a gap after the events they were just offered. */
  countLost(count: number): void {
    if (count === 0 || !this.#recording) return;
    this.#counter += count;
    for (const client of this.#clients) client.countMissed(count);
  }

  #record(event: StreamEvent): void {
    event.number = ++this.#counter;
    this.#events.push(event);
  }

  idOf({ number }: StreamEvent): string {
    return `${this.#options.boot}.${number}`;
  }

  /** The text of an event. Cached only if there are other clients, to save memory. */
  textOf(event: StreamEvent, detail: BodyDetail): string {
    if (event.cached?.detail === detail) return event.cached.text;
    const text = this.#labelled(event, event.write(this.idOf(event), detail));
    if (this.#clients.size > 1) event.cached = { detail, text };
    return text;
  }

  /** The text of an event for another process, with an empty id, which that process replaces. */
  forwardedText(event: StreamEvent, detail: BodyDetail): string {
    return this.#labelled(event, event.write("", detail));
  }

  /** In a cluster, the name of the node follows the id. Forwarded events have it already. */
  #labelled({ isForwarded }: StreamEvent, text: string): string {
    const { node } = this.#options;
    return node === undefined || isForwarded === true ? text : text.replace(/^\{"id":"[^"]*"/, (id) => `${id},"node":${JSON.stringify(node)}`);
  }

  /** Adds known events from before recording started; called before a client catches up. */
  addEarlierEvents(): void {
    if (this.#recording) return;
    for (const event of this.#options.earlier?.() ?? []) this.#record(event);
    this.#earlierEnd = this.#counter;
  }

  join(client: HubClient): void {
    this.#clients.add(client);
    this.#cancelLinger?.();
    this.#cancelLinger = undefined;
    this.#recording = true;
    this.#change();
  }

  leave(client: HubClient): void {
    if (!this.#clients.delete(client)) return;
    if (this.#clients.size === 0 && (this.#closed || this.#options.lingers === false)) this.#stopRecording();
    else if (this.#clients.size === 0) this.#cancelLinger ??= this.#options.clock.after(lingerMs, () => this.#stopRecording());
    else this.#change();
  }

  /** Sends a last event to all clients and ends their streams. */
  close(): void {
    this.#closed = true;
    this.#cancelLinger?.();
    this.#merge?.flush();
    for (const client of this.#clients) client.finish();
  }

  get greeting(): string {
    const { boot } = this.#options;
    const oldest = this.#events.oldest?.number ?? this.#counter + 1;
    return `boot=${boot} oldest=${boot}.${oldest} last=${boot}.${this.#counter}`;
  }

  /** The events after an id, and the gap before them. Undefined for an invalid id. */
  since(id: string): { readonly gap: Gap | undefined; readonly events: readonly StreamEvent[] } | undefined {
    const dot = id.lastIndexOf(".");
    const number = Number(id.slice(dot + 1));
    if (dot < 1 || !Number.isSafeInteger(number) || number < 0) return undefined;
    const recent = this.#events.list();
    if (id.slice(0, dot) !== this.#options.boot) return { gap: { dropped: this.#counter - recent.length, reason: "restart" }, events: recent };
    // Events that were evicted or never built.
    const missing = this.#counter - number - recent.filter((event) => event.number > number).length;
    return {
      gap: missing > 0 ? { dropped: missing, reason: number < this.#stoppedAt ? "not-recorded" : "slow-client" } : undefined,
      events: recent.filter((event) => event.number > (number <= this.#stoppedAt ? Math.max(number, this.#earlierEnd) : number)),
    };
  }

  latest(count: number, filter: StreamFilter): readonly StreamEvent[] {
    if (count === 0) return [];
    return this.#events
      .list()
      .filter((event) => filter.matches(event.details))
      .slice(-count);
  }

  /** Stops recording. Increments the counter, so that a client that reconnects sees a possible gap. */
  #stopRecording(): void {
    this.#cancelLinger = undefined;
    this.#recording = false;
    this.#events.takeAll();
    this.#stoppedAt = ++this.#counter;
    this.#change();
  }

  #change(): void {
    this.#options.changed();
    this.onChanged?.();
  }
}
