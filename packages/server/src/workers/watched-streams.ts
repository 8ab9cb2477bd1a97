// The event streams of the lead with the events of its followers, which send what the stream's clients request.
import type { EventHub } from "../streams/event-hub.ts";
import type { FilterQuery } from "../streams/stream-filter.ts";
import type { Calls } from "./calls.ts";
import type { Members } from "./members.ts";
import type { WatchOrder } from "./messages.ts";

/** Events are shown with this delay so that events of all workers are merged in order. */
const mergeMs = 150;

export class WatchedStreams {
  readonly #calls: Calls;
  readonly #members: Members;
  readonly #hubs: readonly EventHub[];
  /** Clients that are about to join: otherwise the next change of the filters would stop events that they need. */
  readonly #coming = new Set<{ readonly hub: EventHub; readonly query: FilterQuery }>();

  constructor(calls: Calls, members: Members, hubs: readonly EventHub[]) {
    this.#calls = calls;
    this.#members = members;
    this.#hubs = hubs;
    for (const hub of hubs) {
      hub.mergeEvents(mergeMs);
      hub.onChanged = () => {
        for (const member of members) this.#watchAt(member, hub).catch(() => undefined);
      };
    }
  }

  /** Requests the events of all streams from a joining worker. */
  async watchAllAt(member: number): Promise<void> {
    for (const hub of this.#hubs) await this.#watchAt(member, hub);
  }

  /** Requests events that a client is about to follow from all workers; returns the lines they logged before. */
  async watch(hub: EventHub, query: FilterQuery, withinMs: number): Promise<readonly string[]> {
    const entry = { hub, query };
    this.#coming.add(entry);
    const lines = await Promise.all([...this.#members].map((member) => this.#watchAt(member, hub, withinMs).catch(() => [])));
    // The client joins the hub before this runs, if it is still connected.
    setImmediate(() => this.#coming.delete(entry));
    return lines.flat();
  }

  #watchAt(member: number, hub: EventHub, withinMs?: number): Promise<readonly string[]> {
    const awaited = [...this.#coming].filter((entry) => entry.hub === hub).map(({ query }) => query);
    const order: WatchOrder = { stream: hub.name as "trace" | "log", queries: [...hub.filters.map(({ query }) => query), ...awaited] };
    return this.#calls.call<readonly string[]>(member, "watch", order, withinMs);
  }
}
