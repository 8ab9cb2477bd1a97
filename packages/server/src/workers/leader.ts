// The worker that owns the data directory, the management API and all routes tied to one process. It replicates its state: the
// reply to a change is sent after every follower has applied it.
import type { Deployment, Runtime, RunListener } from "@sluice/engine";
import type { SluiceEvent, SluiceEvents } from "@sluice/connectors";
import type { NamedConnections } from "../connections/named-connections.ts";
import type { Policies } from "../access/policies.ts";
import type { StoredParams } from "../flows/flow-store.ts";
import type { Mappings } from "../mappings/open-mappings.ts";
import type { RuntimeLog } from "../log/runtime-log.ts";
import type { RunCounts } from "../metrics/run-counts.ts";
import type { BreakpointSessions } from "../breakpoints/breakpoint-sessions.ts";
import type { Captures } from "../replay/captures.ts";
import type { ReplayStore } from "../replay/replay-store.ts";
import type { DiskRuns } from "../run-store/open-run-store.ts";
import type { RunHistory } from "../runs/run-history.ts";
import type { TestSessions } from "../sessions/test-sessions.ts";
import type { EventHub } from "../streams/event-hub.ts";
import type { Calls } from "./calls.ts";
import type { TraceRecorder } from "../streams/trace-recorder.ts";
import { ChangeSender } from "./change-sender.ts";
import { recordWorkerExit } from "./worker-exits.ts";
import { FetchedRuns } from "./fetched-runs.ts";
import { Followers } from "./followers.ts";
import type { WorkerExit, FoundRuns, RouteStatsSnapshot } from "../other-workers/worker-metrics.ts";
import type { ChangedMetrics, RemoteRun, RunsQuery, SentRuns } from "./messages.ts";
import { Publication } from "./publication.ts";
import { republish, type ForwardedEvents } from "../streams/forwarded-events.ts";
import type { InFlightRuns } from "./in-flight-runs.ts";
import { addStats } from "./route-stats.ts";
import { KeySetCache } from "./key-set-cache.ts";
import { WatchedStreams } from "./watched-streams.ts";
import type { LeaderPort, ServiceView } from "../other-workers/service-view.ts";

/** The parts of the runtime that the leader uses. */
export interface LeaderParts {
  readonly runtime: Runtime;
  /** The parameters each deployment was prepared with. */
  readonly paramsOf: WeakMap<Deployment, StoredParams>;
  readonly policies: Policies;
  readonly mappings: Mappings;
  readonly connections: NamedConnections;
  readonly sessions: TestSessions;
  readonly captures: Captures;
  readonly breakpoints: BreakpointSessions;
  readonly history: RunHistory;
  readonly disk: DiskRuns | undefined;
  readonly replayStore: ReplayStore;
  readonly counts: RunCounts;
  readonly trace: TraceRecorder;
  readonly hubs: { readonly trace: EventHub; readonly log: EventHub };
  readonly events: SluiceEvents;
  readonly log: RuntimeLog;
  readonly properties: ReadonlyMap<string, string>;
  /** The configured number of workers, including this one. */
  readonly workers: number;
  /** Drain limit for removed flows. */
  readonly drainMs: number;
  /** Runs stored per route. */
  readonly runsPerRoute: number;
  /** Sets the lines that the other workers logged before a stream client connected. */
  setOtherLines(lines: readonly string[]): void;
  /** Called when shutdown begins. */
  draining(): void;
}

const callTimeoutMs = 5_000;
/** Added to the drain limit: time for the response. */
const afterDrainMs = 10_000;

export function createLeader(calls: Calls, socketPath: string, inFlightRuns: InFlightRuns): LeaderPort<LeaderParts, RunListener> {
  const followers = new Followers(calls);
  const keySets = new KeySetCache();
  calls.on("fetch-text", ({ uri }: { uri: string }) => keySets.recent(uri));
  let service: ServiceView | undefined;
  return {
    socketPath,
    listen: (listener) =>
      inFlightRuns.listen({
        ...listener,
        routeChanged(route) {
          listener.routeChanged(route);
          service?.changed();
        },
      }),
    sourceBlocked(source) {
      for (const follower of followers) calls.notify(follower, "source-blocked", { source });
    },
    fetchText: keySets.fetch,
    isNeeded: () => followers.size > 0,
    attach: (parts) => (service = attach(calls, followers, parts)),
  };
}

function attach(calls: Calls, followers: Followers, parts: LeaderParts): ServiceView {
  const sender = new ChangeSender(calls, followers, new Publication(parts), parts.log);
  const streams = new WatchedStreams(calls, followers, Object.values(parts.hubs));
  const fetched = new FetchedRuns(parts);
  const callAll = <T>(name: string, data: unknown): Promise<readonly T[]> => followers.callAll<T>(name, data, callTimeoutMs);
  let lastExit: WorkerExit | undefined;
  handleFollowerCalls(calls, followers, parts);
  calls.on("join", (_data, from) => sender.join(from as number, () => streams.watchAllAt(from as number)));
  calls.on("worker-exited", (exit: WorkerExit) => {
    lastExit = exit;
    recordWorkerExit(exit, parts);
  });
  return {
    replicated: () => sender.replicated(),
    changed: () => sender.changed(),
    async oldestRuns(filter) {
      const runIds = [parts.history.runIds(filter), ...(await callAll<ReadonlyMap<string, readonly string[]>>("run-ids", filter))];
      return oldestOf(runIds, parts.runsPerRoute);
    },
    runs: (filter) => callAll<FoundRuns>("runs", { ...filter, without: fetched.ids() } satisfies RunsQuery),
    run: async (id) => (await callAll<Readonly<Record<string, unknown>> | undefined>("run", { id })).find((found) => found !== undefined),
    async fetchRun(id) {
      const found = (await callAll<RemoteRun | undefined>("fetch-run", { id })).find((run) => run !== undefined);
      if (found !== undefined) fetched.add(id, found);
    },
    async metrics() {
      const present = await followers.metrics(callTimeoutMs);
      return { present, exitedCounts: followers.exitedCounts, missing: Math.max(0, parts.workers - 1 - followers.size), lastExit };
    },
    async watch(hub, query) {
      const lines = await streams.watch(hub, query, callTimeoutMs);
      if (!hub.recording) parts.setOtherLines(lines);
    },
    async drained(flowId) {
      // A worker that does not respond or has exited counts as not drained.
      const drains = [...followers].map((follower) => calls.call<boolean>(follower, "drained", { flowId }, parts.drainMs + afterDrainMs).catch(() => false));
      return (await Promise.all(drains)).every(Boolean);
    },
  };
}

/** Handles reports and requests of the followers. */
function handleFollowerCalls(calls: Calls, followers: Followers, parts: LeaderParts): void {
  calls.on("properties", () => parts.properties);
  calls.on("draining", () => parts.draining());
  calls.on("store-runs", ({ runs, omitted }: SentRuns) => {
    if (parts.disk === undefined) throw new Error("runs are not stored on disk");
    return parts.disk.store.write(runs, omitted);
  });
  calls.on("changed-metrics", (changes: ChangedMetrics, from) => followers.record(from as number, changes));
  calls.on("follower-exited", ({ worker }: { worker: number }) => addStatsOfExited(followers.removeExited(worker), parts.runtime));
  calls.on("event", (event: SluiceEvent) => parts.events.emit(event));
  calls.on("forwarded-events", (events: ForwardedEvents) => republish(parts.hubs[events.stream], events));
}

/** For each route with more runs than the limit, the id of the oldest run within it. Ids sort by time. */
function oldestOf(runIds: readonly ReadonlyMap<string, readonly string[]>[], perRoute: number): ReadonlyMap<string, string> {
  const oldest = new Map<string, string>();
  for (const routeId of new Set(runIds.flatMap((part) => [...part.keys()]))) {
    const ids = runIds.flatMap((part) => part.get(routeId) ?? []);
    if (ids.length > perRoute) oldest.set(routeId, ids.sort().at(-perRoute) as string);
  }
  return oldest;
}

/** Adds the completed runs of an exited worker to the route statistics, unless the route has another version by now. */
function addStatsOfExited(metrics: readonly RouteStatsSnapshot[], runtime: Runtime): void {
  for (const ended of metrics) {
    const stats = addStats(runtime, { ...ended, total: ended.total - ended.inflight });
    if (stats !== undefined) stats.lastError ??= ended.lastError;
  }
}
