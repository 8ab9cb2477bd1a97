// One event stream: numbers events, keeps the last ones for clients that come back, and hands them to whoever listens.
// Events are recorded while somebody listens and for a while after the last one left, so that a broken connection can be
// taken up again; otherwise nothing is built at all, and a client that comes later is told of the gap.
import type { Clock, RouteIdentity } from "@sluice/engine";
import { EventQueue } from "./event-queue.ts";
import type { StreamEvent } from "./stream-event.ts";
import { coversRoute, type BodyDetail, type StreamFilter } from "./stream-filter.ts";

/** Whoever follows the stream. */
export interface HubClient {
  readonly filter: StreamFilter;
  offer(event: StreamEvent): void;
  /** Events come so much faster than it can be given them that the next ones need not be built. */
  readonly isFlooded: boolean;
  /** Events it might have been offered were not built. */
  miss(count?: number): void;
  /** The stream ends. */
  finish(): void;
}

export interface HubOptions {
  /** The SSE event name: `trace` or `log`. */
  readonly name: string;
  readonly boot: string;
  readonly maxEvents: number;
  readonly maxBytes: number;
  readonly clock: Clock;
  /** What happened before anybody listened, oldest first, as far as it is known. */
  earlier?(): readonly StreamEvent[];
  /** False when recording ends with the last client, who will not come back. */
  readonly lingers?: boolean;
  /** Called when recording begins or ends, or the set of filters changed. */
  changed(): void;
}

export interface Gap {
  readonly dropped: number;
  readonly reason: "slow-client" | "restart" | "not-recorded";
}

/** How long recording goes on after the last client left. */
const lingerMs = 60_000;

export class EventHub {
  readonly name: string;
  /** Somebody else who wants to know when recording begins or ends, or the set of filters changed. */
  onChanged: (() => void) | undefined = undefined;
  readonly #options: HubOptions;
  readonly #clients = new Set<HubClient>();
  readonly #events: EventQueue;
  #counter = 0;
  /** The last number before recording stopped, 0 when it never did. */
  #restedAt = 0;
  /** The last number given to what happened before recording began; who was there before has seen some of it. */
  #recalledTo = 0;
  #recording = false;
  #closed = false;
  #cancelLinger: (() => void) | undefined = undefined;

  constructor(options: HubOptions) {
    this.name = options.name;
    this.#options = options;
    this.#events = new EventQueue(options);
  }

  /** True while events are wanted: ask before building one. */
  get recording(): boolean {
    return this.#recording;
  }

  get filters(): readonly StreamFilter[] {
    return [...this.#clients].map((client) => client.filter);
  }

  publish(event: StreamEvent): void {
    if (!this.#recording) return;
    this.#keep(event);
    for (const client of this.#clients) client.offer(event);
  }

  /** Counts an event of a route in place of building it when all who listen are flooded; false when it must be built. */
  skip(route: RouteIdentity): boolean {
    if (this.#clients.size === 0) return false;
    for (const client of this.#clients) if (!client.isFlooded) return false;
    this.#counter++;
    for (const client of this.#clients) if (coversRoute(client.filter, route)) client.miss();
    return true;
  }

  /** Counts events that somebody else could not hand over: those who listen are told of a gap behind what they were just offered. */
  lose(count: number): void {
    if (count === 0 || !this.#recording) return;
    this.#counter += count;
    for (const client of this.#clients) client.miss(count);
  }

  #keep(event: StreamEvent): void {
    event.number = ++this.#counter;
    this.#events.push(event);
  }

  idOf({ number }: StreamEvent): string {
    return `${this.#options.boot}.${number}`;
  }

  /** An event's text. Kept with it only when others want it too: what every event of the ring keeps is much memory. */
  textOf(event: StreamEvent, detail: BodyDetail): string {
    if (event.kept?.detail === detail) return event.kept.text;
    const text = event.write(this.idOf(event), detail);
    if (this.#clients.size > 1) event.kept = { detail, text };
    return text;
  }

  /** Before a client catches up: what happened while nobody listened becomes part of the stream. */
  recall(): void {
    if (this.#recording) return;
    for (const event of this.#options.earlier?.() ?? []) this.#keep(event);
    this.#recalledTo = this.#counter;
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
    if (this.#clients.size === 0 && (this.#closed || this.#options.lingers === false)) this.#rest();
    else if (this.#clients.size === 0) this.#cancelLinger ??= this.#options.clock.after(lingerMs, () => this.#rest());
    else this.#change();
  }

  /** Ends every client's stream after a last event. */
  close(): void {
    this.#closed = true;
    this.#cancelLinger?.();
    for (const client of this.#clients) client.finish();
  }

  get greeting(): string {
    const { boot } = this.#options;
    const oldest = this.#events.oldest?.number ?? this.#counter + 1;
    return `boot=${boot} oldest=${boot}.${oldest} last=${boot}.${this.#counter}`;
  }

  /** The events after an id, and what is missing before them. Undefined for text that is no id. */
  since(id: string): { readonly gap: Gap | undefined; readonly events: readonly StreamEvent[] } | undefined {
    const dot = id.lastIndexOf(".");
    const number = Number(id.slice(dot + 1));
    if (dot < 1 || !Number.isSafeInteger(number) || number < 0) return undefined;
    const kept = this.#events.list();
    if (id.slice(0, dot) !== this.#options.boot) return { gap: { dropped: this.#counter - kept.length, reason: "restart" }, events: kept };
    // Whatever is no longer kept, or never was because nobody could have been given it.
    const missing = this.#counter - number - kept.filter((event) => event.number > number).length;
    return {
      gap: missing > 0 ? { dropped: missing, reason: number < this.#restedAt ? "not-recorded" : "slow-client" } : undefined,
      events: kept.filter((event) => event.number > (number <= this.#restedAt ? Math.max(number, this.#recalledTo) : number)),
    };
  }

  latest(count: number, filter: StreamFilter): readonly StreamEvent[] {
    if (count === 0) return [];
    return this.#events
      .list()
      .filter((event) => filter.matches(event.facts))
      .slice(-count);
  }

  /** Stops recording. The counter moves on by one, so that whoever comes back sees that something may be missing. */
  #rest(): void {
    this.#cancelLinger = undefined;
    this.#recording = false;
    this.#events.takeAll();
    this.#restedAt = ++this.#counter;
    this.#change();
  }

  #change(): void {
    this.#options.changed();
    this.onChanged?.();
  }
}
