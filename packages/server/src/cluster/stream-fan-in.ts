// Trace and log streams with the events of all nodes. A node with stream clients sends its filters to the others, and repeats this because a node may
// have joined or lost them; the others forward matching events until the filters expire.
import { systemClock } from "../host/clock.ts";
import type { EventHub } from "../streams/event-hub.ts";
import { EventWatcher } from "../streams/event-watcher.ts";
import { republish, type ForwardedEvents } from "../streams/forwarded-events.ts";
import type { FilterQuery } from "../streams/stream-filter.ts";
import type { OtherNodes, Topic } from "./other-nodes.ts";

type StreamName = ForwardedEvents["stream"];

interface WatchRequest {
  readonly stream: StreamName;
  readonly queries: readonly FilterQuery[];
}

/** Events are shown with this delay so that events of all nodes are merged in order. */
const mergeMs = 150;
const checkEveryMs = 1_000;
const renewEveryMs = 10_000;
const expireMs = 30_000;
const forwardMs = 5_000;
/** Batches that one node has not confirmed; more are dropped and counted. */
const maxUnconfirmed = 32;

const watchTopic: Topic<WatchRequest, null> = { name: "watch-events" };
const eventsTopic: Topic<ForwardedEvents, null> = { name: "events" };

export class StreamFanIn {
  readonly #others: OtherNodes;
  readonly #hubs: Readonly<Record<StreamName, EventHub>>;
  /** Filters of clients that have not joined their hub yet. Without them, the next filter update would omit events that these clients need. */
  readonly #joining = new Set<{ readonly hub: EventHub; readonly query: FilterQuery }>();
  /** The filters that were sent last, with the nodes that have them. */
  readonly #sent = new Map<EventHub, { readonly text: string; readonly at: number }>();
  /** By node and stream. */
  readonly #watchers = new Map<string, NodeWatcher>();
  #cancel: (() => void) | undefined = undefined;

  constructor(others: OtherNodes, hubs: Readonly<Record<StreamName, EventHub>>) {
    this.#others = others;
    this.#hubs = hubs;
  }

  respond(): readonly (() => void)[] {
    const others = this.#others;
    for (const hub of Object.values(this.#hubs)) hub.onChanged = () => this.#changed(hub);
    this.#check();
    return [
      others.respond(watchTopic, (request, from) => this.#handleWatch(request, from)),
      others.respond(eventsTopic, (events) => {
        republish(this.#hubs[events.stream], events);
        return null;
      }),
      () => this.#cancel?.(),
      () => this.#watchers.forEach((watcher) => watcher.stop()),
    ];
  }

  /** Resolves when the other nodes forward the events that a client is about to follow. */
  async watch(hub: EventHub, query: FilterQuery, timeoutMs: number): Promise<void> {
    const entry = { hub, query };
    hub.mergeEvents(mergeMs);
    this.#joining.add(entry);
    await this.#send(hub, timeoutMs);
    // The client joins the hub before this runs, if it is still connected.
    setImmediate(() => this.#joining.delete(entry));
  }

  #queriesFor(hub: EventHub): readonly FilterQuery[] {
    return [...hub.ownQueries, ...[...this.#joining].filter((entry) => entry.hub === hub).map(({ query }) => query)];
  }

  #textFor(hub: EventHub): string {
    return JSON.stringify([this.#queriesFor(hub), this.#others.names()]);
  }

  #changed(hub: EventHub): void {
    const text = this.#textFor(hub);
    const sent = this.#sent.get(hub);
    if (sent === undefined ? this.#queriesFor(hub).length > 0 : sent.text !== text) void this.#send(hub, forwardMs);
  }

  async #send(hub: EventHub, timeoutMs: number): Promise<void> {
    const queries = this.#queriesFor(hub);
    this.#sent.set(hub, { text: this.#textFor(hub), at: systemClock.monotonic() });
    await this.#others.request(watchTopic, { stream: hub.name as StreamName, queries }, { timeoutMs });
  }

  /** Sends the filters again before they expire, and to nodes that joined. */
  #check(): void {
    const now = systemClock.monotonic();
    for (const hub of Object.values(this.#hubs)) {
      const sent = this.#sent.get(hub);
      const isDue = sent !== undefined && now - sent.at > renewEveryMs && this.#queriesFor(hub).length > 0;
      if (isDue) void this.#send(hub, forwardMs);
      else this.#changed(hub);
    }
    for (const [key, watcher] of this.#watchers)
      if (watcher.expiresAt < now) {
        watcher.stop();
        this.#watchers.delete(key);
      }
    this.#cancel = systemClock.after(checkEveryMs, () => this.#check());
  }

  #handleWatch({ stream, queries }: WatchRequest, from: string): null {
    const key = `${stream} ${from}`;
    let watcher = this.#watchers.get(key);
    if (watcher === undefined && queries.length > 0) {
      watcher = new NodeWatcher(this.#hubs[stream], (events) =>
        this.#others.request(eventsTopic, events, { to: [from], timeoutMs: forwardMs }).then(({ incomplete }) => incomplete.length === 0),
      );
      this.#watchers.set(key, watcher);
    }
    watcher?.watch(queries);
    if (queries.length === 0) this.#watchers.delete(key);
    return null;
  }
}

/** Forwards events to one node. */
class NodeWatcher {
  readonly #watcher: EventWatcher;
  expiresAt = 0;
  #queries = "";
  #unconfirmed = 0;
  #lost = 0;

  constructor(hub: EventHub, forward: (events: ForwardedEvents) => Promise<boolean>) {
    this.#watcher = new EventWatcher(hub, (batch) => {
      const count = batch.events.length;
      if (this.#unconfirmed >= maxUnconfirmed) {
        this.#lost += count + batch.lost;
        return;
      }
      const lost = batch.lost + this.#lost;
      this.#lost = 0;
      this.#unconfirmed++;
      void forward({ ...batch, lost })
        .catch(() => false)
        .then((isConfirmed) => {
          this.#unconfirmed--;
          if (!isConfirmed) this.#lost += count + lost;
        });
    });
  }

  watch(queries: readonly FilterQuery[]): void {
    this.expiresAt = systemClock.monotonic() + expireMs;
    const text = JSON.stringify(queries);
    if (text !== this.#queries) this.#watcher.watch(queries);
    this.#queries = text;
  }

  stop(): void {
    this.#watcher.watch([]);
  }
}
