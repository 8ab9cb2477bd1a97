// One event stream: numbers events, keeps the last ones for clients that come back, and hands them to whoever listens.
// Events are recorded while somebody listens and for a while after the last one left, so that a broken connection can be
// taken up again; otherwise nothing is built at all, and a client that comes later is told of the gap.
import type { Clock } from "@sluice/engine";
import type { BodyDetail, EventFacts, StreamFilter } from "./stream-filter.ts";

export interface StreamEvent {
  readonly number: number;
  readonly id: string;
  readonly facts: EventFacts;
  /** Estimated memory. */
  readonly bytes: number;
  json(detail: BodyDetail): string;
}

/** Whoever follows the stream. */
export interface HubClient {
  readonly filter: StreamFilter;
  offer(event: StreamEvent): void;
  /** The stream ends. */
  finish(): void;
}

/** An event that has no number yet. */
export interface EarlierEvent {
  readonly facts: EventFacts;
  readonly bytes: number;
  json(id: string, detail: BodyDetail): string;
}

export interface HubOptions {
  /** The SSE event name: `trace` or `log`. */
  readonly name: string;
  readonly boot: string;
  readonly maxEvents: number;
  readonly maxBytes: number;
  readonly clock: Clock;
  /** What happened before anybody listened, oldest first, as far as it is known. */
  earlier?(): readonly EarlierEvent[];
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
  #events: StreamEvent[] = [];
  #front = 0;
  #bytes = 0;
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
  }

  /** True while events are wanted: ask before building one. */
  get recording(): boolean {
    return this.#recording;
  }

  get filters(): readonly StreamFilter[] {
    return [...this.#clients].map((client) => client.filter);
  }

  get clientCount(): number {
    return this.#clients.size;
  }

  /** Publishes an event; `json` makes its text, given its id. */
  publish(facts: EventFacts, bytes: number, json: (id: string, detail: BodyDetail) => string): void {
    if (!this.#recording) return;
    const event = this.#keep(facts, bytes, json);
    for (const client of this.#clients) client.offer(event);
  }

  #keep(facts: EventFacts, bytes: number, json: (id: string, detail: BodyDetail) => string): StreamEvent {
    const number = ++this.#counter;
    const id = `${this.#options.boot}.${number}`;
    const texts: Partial<Record<BodyDetail, string>> = {};
    const event: StreamEvent = { number, id, facts, bytes, json: (detail) => (texts[detail] ??= json(id, detail)) };
    this.#events.push(event);
    this.#bytes += bytes;
    while (this.#events.length - this.#front > this.#options.maxEvents || (this.#bytes > this.#options.maxBytes && this.#events.length - this.#front > 1))
      this.#dropOldest();
    return event;
  }

  /** Before a client catches up: what happened while nobody listened becomes part of the stream. */
  recall(): void {
    if (this.#recording) return;
    for (const { facts, bytes, json } of this.#options.earlier?.() ?? []) this.#keep(facts, bytes, json);
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
    const oldest = this.#events[this.#front]?.number ?? this.#counter + 1;
    return `boot=${boot} oldest=${boot}.${oldest} last=${boot}.${this.#counter}`;
  }

  /** The events after an id, and what is missing before them. Undefined for text that is no id. */
  since(id: string): { readonly gap: Gap | undefined; readonly events: readonly StreamEvent[] } | undefined {
    const dot = id.lastIndexOf(".");
    const number = Number(id.slice(dot + 1));
    if (dot < 1 || !Number.isSafeInteger(number) || number < 0) return undefined;
    const kept = this.#events.slice(this.#front);
    if (id.slice(0, dot) !== this.#options.boot) return { gap: { dropped: this.#counter - kept.length, reason: "restart" }, events: kept };
    const oldest = kept[0]?.number ?? this.#counter + 1;
    const missing = oldest - number - 1;
    return {
      gap: missing > 0 ? { dropped: missing, reason: number < this.#restedAt ? "not-recorded" : "slow-client" } : undefined,
      events: kept.filter((event) => event.number > (number <= this.#restedAt ? Math.max(number, this.#recalledTo) : number)),
    };
  }

  latest(count: number, filter: StreamFilter): readonly StreamEvent[] {
    if (count === 0) return [];
    return this.#events
      .slice(this.#front)
      .filter((event) => filter.matches(event.facts))
      .slice(-count);
  }

  /** Stops recording. The counter moves on by one, so that whoever comes back sees that something may be missing. */
  #rest(): void {
    this.#cancelLinger = undefined;
    this.#recording = false;
    this.#events = [];
    this.#front = 0;
    this.#bytes = 0;
    this.#restedAt = ++this.#counter;
    this.#change();
  }

  #change(): void {
    this.#options.changed();
    this.onChanged?.();
  }

  #dropOldest(): void {
    this.#bytes -= this.#events[this.#front]?.bytes ?? 0;
    (this.#events as (StreamEvent | undefined)[])[this.#front++] = undefined;
    if (this.#front > 256 && this.#front * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#front);
      this.#front = 0;
    }
  }
}
