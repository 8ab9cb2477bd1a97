// Forwards events to the lead while the lead has stream clients for them. Events are sent in batches.
import { preciseNow } from "../streams/event-merge.ts";
import type { EventHub, HubClient } from "../streams/event-hub.ts";
import type { StreamEvent } from "../streams/stream-event.ts";
import { createStreamFilter, type BodyDetail, type FilterQuery, type StreamFilter } from "../streams/stream-filter.ts";
import type { ForwardedEvents } from "./messages.ts";

const gatherMs = 10;
const maxWaiting = 5_000;
const maxBytes = 8 * 1024 * 1024;

type Gathered = { -readonly [K in keyof ForwardedEvents["events"][number]]: ForwardedEvents["events"][number][K] };

export class EventWatcher {
  readonly #hub: EventHub;
  readonly #forward: (events: ForwardedEvents) => void;
  #clients: HubClient[] = [];
  #waiting = new Map<number, Gathered>();
  #bytes = 0;
  #lost = 0;
  #isGathering = false;

  constructor(hub: EventHub, forward: (events: ForwardedEvents) => void) {
    this.#hub = hub;
    this.#forward = forward;
  }

  /** Forwards events that match these filters from now on. */
  watch(queries: readonly FilterQuery[]): void {
    const before = this.#clients;
    this.#clients = queries.map((query) => this.#client(createStreamFilter(query)));
    for (const client of this.#clients) this.#hub.join(client);
    for (const client of before) this.#hub.leave(client);
  }

  #client(filter: StreamFilter): HubClient {
    return {
      filter,
      offer: (event) => {
        if (filter.matches(event.facts)) this.#gather(event, filter.body);
      },
      // Backpressure is applied by the lead's clients.
      isFlooded: false,
      countMissed: () => undefined,
      finish: () => undefined,
    };
  }

  #gather(event: StreamEvent, detail: BodyDetail): void {
    const known = this.#waiting.get(event.number);
    if (known !== undefined) {
      known.texts = { ...known.texts, [detail]: this.#hub.textOf(event, detail) };
      return;
    }
    if (this.#waiting.size >= maxWaiting || this.#bytes > maxBytes) {
      this.#lost++;
      return;
    }
    this.#bytes += event.bytes;
    const { flowId, routeId, runId, sessionId, stepId, type, rank } = event.facts;
    this.#waiting.set(event.number, {
      facts: { flowId, routeId, runId, sessionId, stepId, type, rank },
      at: preciseNow(),
      bytes: event.bytes,
      texts: { [detail]: this.#hub.textOf(event, detail) },
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
