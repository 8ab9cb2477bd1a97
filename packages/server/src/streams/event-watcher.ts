// Forwards events to another process while it has stream clients for them: from a follower to the leader, or to another node of a cluster.
// Events are sent in batches.
import { preciseNow } from "./event-merge.ts";
import type { EventHub, HubClient } from "./event-hub.ts";
import type { StreamEvent } from "./stream-event.ts";
import { createStreamFilter, type BodyDetail, type FilterQuery, type StreamFilter } from "./stream-filter.ts";
import type { ForwardedEvents } from "./forwarded-events.ts";

const gatherMs = 10;
const maxWaiting = 5_000;
const maxBytes = 8 * 1024 * 1024;

type Gathered = { -readonly [K in keyof ForwardedEvents["events"][number]]: ForwardedEvents["events"][number][K] };

export class EventWatcher {
  readonly #hub: EventHub;
  readonly #forward: (events: ForwardedEvents) => void;
  #clients: HubClient[] = [];
  #waiting = new Map<StreamEvent, Gathered>();
  #bytes = 0;
  #lost = 0;
  #isGathering = false;

  constructor(hub: EventHub, forward: (events: ForwardedEvents) => void) {
    this.#hub = hub;
    this.#forward = forward;
  }

  /** Forwards events that match these filters from now on. */
  watch(queries: readonly FilterQuery[]): void {
    const previousClients = this.#clients;
    this.#clients = queries.map((query) => this.#client(createStreamFilter(query)));
    for (const client of this.#clients) this.#hub.join(client);
    for (const client of previousClients) this.#hub.leave(client);
  }

  #client(filter: StreamFilter): HubClient {
    return {
      filter,
      isRemote: true,
      offer: (event) => {
        // Events of a third process reach the other process directly.
        if (event.isForwarded !== true && filter.matches(event.details)) this.#gather(event, filter.body);
      },
      // Backpressure is applied by the clients of the other process.
      isFlooded: false,
      countMissed: () => undefined,
      finish: () => undefined,
    };
  }

  #gather(event: StreamEvent, detail: BodyDetail): void {
    const buffered = this.#waiting.get(event);
    if (buffered !== undefined) {
      buffered.texts = { ...buffered.texts, [detail]: this.#hub.forwardedText(event, detail) };
      return;
    }
    if (this.#waiting.size >= maxWaiting || this.#bytes > maxBytes) {
      this.#lost++;
      return;
    }
    this.#bytes += event.bytes;
    const { flowId, routeId, runId, sessionId, stepId, type, rank } = event.details;
    this.#waiting.set(event, {
      details: { flowId, routeId, runId, sessionId, stepId, type, rank },
      at: preciseNow(),
      bytes: event.bytes,
      texts: { [detail]: this.#hub.forwardedText(event, detail) },
    });
    if (this.#isGathering) return;
    this.#isGathering = true;
    setTimeout(() => this.#flush(), gatherMs).unref();
  }

  #flush(): void {
    this.#isGathering = false;
    const events = [...this.#waiting.values()];
    this.#waiting = new Map();
    this.#bytes = 0;
    this.#forward({ stream: this.#hub.name as "trace" | "log", events, lost: this.#lost });
    this.#lost = 0;
  }
}
