// The event streams of the leader, merged with the events of its followers. Followers send the events that the stream's clients request.
import type { EventHub } from "../streams/event-hub.ts";
import type { FilterQuery } from "../streams/stream-filter.ts";
import type { Calls } from "./calls.ts";
import type { Followers } from "./followers.ts";
import type { WatchRequest } from "./messages.ts";

/** Events are shown with this delay so that events of all workers are merged in order. */
const mergeMs = 150;

export class WatchedStreams {
  readonly #calls: Calls;
  readonly #followers: Followers;
  readonly #hubs: readonly EventHub[];
  /** Filters of clients that have not joined their hub yet. Without them, the next filter update would omit events that these clients need. */
  readonly #joining = new Set<{ readonly hub: EventHub; readonly query: FilterQuery }>();

  constructor(calls: Calls, followers: Followers, hubs: readonly EventHub[]) {
    this.#calls = calls;
    this.#followers = followers;
    this.#hubs = hubs;
    for (const hub of hubs) {
      hub.mergeEvents(mergeMs);
      hub.onChanged = () => {
        for (const follower of followers) this.#watchAt(follower, hub).catch(() => undefined);
      };
    }
  }

  /** Requests the events of all streams from a joining worker. */
  async watchAllAt(follower: number): Promise<void> {
    for (const hub of this.#hubs) await this.#watchAt(follower, hub);
  }

  /** Requests from all workers the events that a new client subscribes to. Returns the log lines that the workers wrote before the request. */
  async watch(hub: EventHub, query: FilterQuery, withinMs: number): Promise<readonly string[]> {
    const entry = { hub, query };
    this.#joining.add(entry);
    const lines = await Promise.all([...this.#followers].map((follower) => this.#watchAt(follower, hub, withinMs).catch(() => [])));
    // The client joins the hub before this runs, if it is still connected.
    setImmediate(() => this.#joining.delete(entry));
    return lines.flat();
  }

  #watchAt(follower: number, hub: EventHub, withinMs?: number): Promise<readonly string[]> {
    const joiningQueries = [...this.#joining].filter((entry) => entry.hub === hub).map(({ query }) => query);
    const request: WatchRequest = { stream: hub.name as "trace" | "log", queries: [...hub.filters.map(({ query }) => query), ...joiningQueries] };
    return this.#calls.call<readonly string[]>(follower, "watch", request, withinMs);
  }
}
