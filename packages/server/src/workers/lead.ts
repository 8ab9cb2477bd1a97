// The worker that owns the data directory, the management API and everything that is held by one process. It keeps the others in
// step: whatever changed here is there too before the change is answered.
import type { Deployment, Runtime, RunListener } from "@sluice/engine";
import type { SluiceEvent, SluiceEvents } from "@sluice/connectors";
import type { Policies } from "../access/policies.ts";
import type { StoredParams } from "../flows/flow-store.ts";
import type { Mappings } from "../mappings/open-mappings.ts";
import type { RuntimeLog } from "../log/runtime-log.ts";
import type { RunCounts } from "../metrics/run-counts.ts";
import type { Captures } from "../replay/captures.ts";
import type { KeptRuns } from "../replay/kept-runs.ts";
import type { RunHistory } from "../runs/run-history.ts";
import type { TestSessions } from "../sessions/test-sessions.ts";
import type { EventHub } from "../streams/event-hub.ts";
import type { FilterQuery } from "../streams/stream-filter.ts";
import type { Calls } from "./calls.ts";
import type { TraceRecorder } from "../streams/trace-recorder.ts";
import { takeDeath } from "./deaths.ts";
import { FetchedRuns } from "./fetched-runs.ts";
import { Members } from "./members.ts";
import type { ChangeOrder, CountedNews, Death, FoundRuns, HandedEvents, RemoteRun, RouteStatsFigures, RunsQuery, WatchOrder } from "./messages.ts";
import { Publication } from "./publication.ts";
import { republish } from "./handed-events.ts";
import type { UnderWay } from "./under-way.ts";
import { addStats } from "./route-stats.ts";
import type { LeadSeat, ServiceView } from "./service-view.ts";

/** What the lead needs of its runtime. */
export interface LeadParts {
  readonly runtime: Runtime;
  /** The parameters each deployment was prepared with. */
  readonly paramsOf: WeakMap<Deployment, StoredParams>;
  readonly policies: Policies;
  readonly mappings: Mappings;
  readonly sessions: TestSessions;
  readonly captures: Captures;
  readonly history: RunHistory;
  readonly kept: KeptRuns;
  readonly counts: RunCounts;
  readonly trace: TraceRecorder;
  readonly hubs: { readonly trace: EventHub; readonly log: EventHub };
  readonly events: SluiceEvents;
  readonly log: RuntimeLog;
  readonly properties: ReadonlyMap<string, string>;
  /** How many workers there are to be, this one included. */
  readonly workers: number;
  /** How long a removed flow may take to finish. */
  readonly drainMs: number;
  /** Lines other workers logged before anybody listened. */
  recentLines(lines: readonly string[]): void;
  /** The service begins to end. */
  draining(): void;
}

/** A worker that does not follow within this long is replaced. */
const followWithinMs = 30_000;
const askWithinMs = 5_000;
/** Beyond the drain limit, for the answer. */
const afterDrainMs = 10_000;
/** Changes come in groups: the routes of a flow, the flows of a folder. */
const gatherMs = 10;
/** While sessions or captures are open they may expire at any time. */
const lookEveryMs = 1_000;

export function createLead(calls: Calls, socketPath: string, underWay: UnderWay): LeadSeat<LeadParts, RunListener> {
  const members = new Members(calls);
  let service: ServiceView | undefined;
  return {
    socketPath,
    listen: (listener) =>
      underWay.listen({
        ...listener,
        routeChanged(route) {
          listener.routeChanged(route);
          service?.changed();
        },
      }),
    outguessed(source) {
      for (const member of members) calls.tell(member, "outguessed", { source });
    },
    isNeeded: () => members.size > 0,
    attach: (parts) => (service = attach(calls, members, parts)),
  };
}

function attach(calls: Calls, members: Members, parts: LeadParts): ServiceView {
  const publication = new Publication(parts);
  let turn: Promise<unknown> = Promise.resolve();
  // Workers that served under a lead before are told of this one first.
  const complete = new Promise<void>((resolve) => calls.on("complete", () => resolve()));
  let isScheduled = false;
  let lastDeath: Death | undefined;
  let watchTimer: NodeJS.Timeout | undefined;

  /** One at a time: a worker that joins gets everything up to a moment, and then each change after it. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = turn.then(work, work);
    turn = mine.catch(() => undefined);
    return mine;
  }

  /** A worker that cannot follow is of no use; the supervisor puts another in its place. */
  async function order(member: number, change: ChangeOrder): Promise<void> {
    try {
      await calls.call(member, "change", change, followWithinMs);
    } catch (error) {
      if (!members.has(member)) return;
      members.delete(member);
      parts.log.write("ERROR", "sluice.workers", `worker ${member} does not follow and is replaced: ${(error as Error).message}`);
      // Until it is gone it serves what it has.
      await calls.call("supervisor", "replace", { worker: member });
    }
  }

  // Outside the turn: whoever has yet to join takes one.
  const settled = async (): Promise<void> => {
    await complete;
    await inTurn(async () => {
      // With nobody to tell, what is new is found out when somebody joins.
      if (members.size === 0) return;
      const changes = publication.advance();
      if (changes.length > 0) await Promise.all([...members].map((member) => order(member, { whole: false, changes })));
      lookLater();
    });
  };

  function changed(): void {
    if (isScheduled || members.size === 0) return;
    isScheduled = true;
    setTimeout(() => {
      isScheduled = false;
      void settled();
    }, gatherMs);
  }

  function lookLater(): void {
    if (watchTimer !== undefined || !publication.mayLapse) return;
    watchTimer = setTimeout(() => {
      watchTimer = undefined;
      void settled();
    }, lookEveryMs);
    watchTimer.unref();
  }

  calls.on("join", (_data, from) =>
    inTurn(async () => {
      publication.advance();
      await calls.call(from, "change", { whole: true, changes: publication.everything() } satisfies ChangeOrder, followWithinMs);
      for (const stream of ["trace", "log"] as const) await watchAt(from as number, parts.hubs[stream]);
      members.add(from as number);
    }),
  );
  calls.on("properties", () => parts.properties);
  calls.on("draining", () => parts.draining());
  calls.on("counted", (news: CountedNews, from) => members.note(from as number, news));
  calls.on("gone", ({ worker }: { worker: number }) => keepStats(members.left(worker), parts.runtime));
  calls.on("died", (death: Death) => {
    lastDeath = death;
    takeDeath(death, parts);
  });
  calls.on("event", (event: SluiceEvent) => parts.events.emit(event));
  calls.on("handed-events", (handed: HandedEvents) => republish(parts.hubs[handed.stream], handed));

  // Who is about to join a stream is counted in: another who joins meanwhile must not end what was begun for it.
  const coming = new Set<{ readonly hub: EventHub; readonly query: FilterQuery }>();
  const watchAt = (member: number, hub: EventHub, withinMs?: number): Promise<readonly string[]> => {
    const awaited = [...coming].filter((entry) => entry.hub === hub).map(({ query }) => query);
    const order: WatchOrder = { stream: hub.name as "trace" | "log", queries: [...hub.filters.map(({ query }) => query), ...awaited] };
    return calls.call<readonly string[]>(member, "watch", order, withinMs);
  };
  for (const hub of Object.values(parts.hubs)) {
    hub.onChanged = () => {
      for (const member of members) watchAt(member, hub).catch(() => undefined);
    };
  }

  const fetched = new FetchedRuns(parts);
  const ask = <T>(name: string, data: unknown): Promise<readonly T[]> => members.ask<T>(name, data, askWithinMs);

  return {
    settled,
    changed,
    runs: (filter) => ask<FoundRuns>("runs", { ...filter, without: fetched.ids() } satisfies RunsQuery),
    run: async (id) => (await ask<Readonly<Record<string, unknown>> | undefined>("run", { id })).find((found) => found !== undefined),
    async fetchRun(id) {
      const found = (await ask<RemoteRun | undefined>("fetch-run", { id })).find((run) => run !== undefined);
      if (found !== undefined) fetched.take(id, found);
    },
    async figures() {
      const present = await members.figures(askWithinMs);
      return { present, departed: members.departed, missing: Math.max(0, parts.workers - 1 - members.size), lastDeath };
    },
    async watch(hub, query) {
      const entry = { hub, query };
      coming.add(entry);
      const lines = await Promise.all([...members].map((member) => watchAt(member, hub, askWithinMs).catch(() => [])));
      // It joins in this turn, if it is still there.
      setImmediate(() => coming.delete(entry));
      if (!hub.recording) parts.recentLines(lines.flat());
    },
    async drained(flowId) {
      // Who does not answer, or ended over it, left something undone for all we know.
      const left = [...members].map((member) => calls.call<boolean>(member, "drained", { flowId }, parts.drainMs + afterDrainMs).catch(() => false));
      return (await Promise.all(left)).every(Boolean);
    },
  };
}

/** What a worker that ended had finished counts on in the routes' figures here, until they are another version's. */
function keepStats(figures: readonly RouteStatsFigures[], runtime: Runtime): void {
  for (const ended of figures) {
    const stats = addStats(runtime, { ...ended, total: ended.total - ended.inflight });
    if (stats !== undefined) stats.lastError ??= ended.lastError;
  }
}
