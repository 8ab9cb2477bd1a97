// A worker that serves webhooks beside the lead. It runs the routes that every worker may run and hands everything else on: the
// management API, what is held by one process, and whatever it would have to refuse.
import type { Log, LogLevel, RunListener } from "@sluice/engine";
import { sluiceEvents } from "@sluice/connectors";
import { createRuntime } from "@sluice/engine";
import { followPolicies } from "../access/open-policies.ts";
import type { Configuration } from "../config.ts";
import { createProcessLog } from "../log/process-log.ts";
import { createHost } from "../host/host.ts";
import { systemClock } from "../host/clock.ts";
import { createEnvironment } from "../host/environment.ts";
import { createIds } from "../host/ulid.ts";
import { createIngress, type Ingress } from "../http/ingress.ts";
import { createListener } from "../http/listener.ts";
import { PlainArrival } from "../http/plain/plain-arrival.ts";
import type { RequestArrival } from "../http/request-arrival.ts";
import { readTarget } from "../http/target.ts";
import { httpLimits } from "../http-settings.ts";
import { letterKeeper } from "../dead-letters/keep-letter.ts";
import { maskUris } from "../masking/secret-uris.ts";
import { createMemoryDocumentStore } from "../mappings/memory-document-store.ts";
import { createMappings } from "../mappings/open-mappings.ts";
import { openSpanExport } from "../metrics/open-span-export.ts";
import { mostNames } from "../metrics/metrics-text.ts";
import { createRunCounts } from "../metrics/run-counts.ts";
import { KeptRuns } from "../replay/kept-runs.ts";
import { createRunHistory } from "../runs/run-history.ts";
import { createRunListener } from "../runs/run-listener.ts";
import { runJson } from "../runs/run-facts.ts";
import { stepTap } from "../runs/step-tap.ts";
import { catalogFor, runtimeLimits, streamRing } from "../runtime-settings.ts";
import { shutDown, type ShutdownReport } from "../shutdown.ts";
import { queuePort } from "../store/queue-port.ts";
import { unopenedStore } from "../store/unopened-store.ts";
import { LogRecorder } from "../streams/log-recorder.ts";
import { TraceRecorder } from "../streams/trace-recorder.ts";
import { version } from "../version.ts";
import type { Calls } from "./calls.ts";
import { EventWatcher } from "./event-watcher.ts";
import { tellFigures, workerFigures } from "./figures.ts";
import { FollowedState } from "./followed-state.ts";
import { createForwarder } from "./forwarder.ts";
import type { ChangeOrder, HandedEvents, RemoteRun, RunsQuery, WatchOrder, WorkerFigures } from "./messages.ts";
import type { UnderWay } from "./under-way.ts";

export interface Follower {
  readonly log: Log;
  readonly port: number;
  stop(): Promise<ShutdownReport>;
}

export interface FollowerParts {
  readonly configuration: Configuration;
  readonly socketPath: string;
  readonly calls: Calls;
  readonly underWay: UnderWay;
}

/** How long requests wait for a lead that takes none at the moment, and a follower for its first answer. */
const patienceMs = 15_000;
const joinWithinMs = 120_000;
const retryEveryMs = 100;
const lastSpansMs = 2_000;

/** Starts a follower and resolves when it serves. */
export async function startFollower({ configuration, socketPath, calls, underWay }: FollowerParts): Promise<Follower> {
  const { settings, environment: variables } = configuration;
  const startedAt = Date.now();
  calls.on("lead-gone", () => calls.gone("lead"));
  const clock = systemClock;
  const { log, writer, secrets } = createProcessLog(settings, 1);
  writer.open();
  const ids = createIds(() => Date.now());
  const environment = createEnvironment(variables);
  const ring = { ...streamRing(settings, secrets), lingers: false };
  const trace = new TraceRecorder({ ...ring, runtime: () => runtime, wasMocked: () => false });
  const logs = new LogRecorder({ ...ring, least: settings.logLevel.toUpperCase() as LogLevel, recentLines: () => [] });
  log.follow(logs);

  const limits = httpLimits(settings);
  const reportFault = (fault: unknown, reference: string): void =>
    log.write("ERROR", "sluice.http", `internal error (ref ${reference})`, undefined, { error: fault });
  const policies = followPolicies({ settings, dataDir: settings.dataDir, environment, secrets, log, clock, isInstalled: () => true });
  const forwarder = createForwarder({ socketPath, patienceMs, isDraining: () => listener.draining });
  const ingress = createIngress({
    limits,
    accessOf: policies.accessOf,
    // Only what node has read can be handed on.
    appeal: (arrival, body) => (arrival instanceof PlainArrival ? arrival.handOver() : forwarder.forward(arrival as RequestArrival, body)),
    reportFault,
  });
  const stores = { tables: createMemoryDocumentStore(), documents: createMemoryDocumentStore() };
  const mappings = createMappings(stores.tables, stores.documents, quiet(log));
  const host = createHost({ log, ids, http: ingress.port, environment, lookup: mappings.tables.lookup });
  const events = sluiceEvents();
  const catalog = await catalogFor(settings, {
    events,
    queues: queuePort(unopenedStore, () => false),
    deadLetters: letterKeeper(unopenedStore, settings.queueMessageBytes),
    mappings: mappings.documents,
  });
  const history = createRunHistory({ perRoute: settings.runHistory, total: settings.runHistoryTotal, bytes: settings.runHistoryBytes });
  const kept = new KeptRuns(settings.replayBytes);
  const counts = createRunCounts({ maxRoutes: mostNames, isInService: (routeId) => runtime.routes.has(routeId) });
  const spans = openSpanExport({ settings, version, clock, log, secrets });
  const told = { ...events, emit: (event: Parameters<typeof events.emit>[0]) => calls.tell("lead", "event", event) };
  const listenerOfRuns = createRunListener({ history, kept, counts, trace, log, events: told, spans });
  // The lead tells what becomes of routes; here they only mirror it.
  const mirrored: RunListener = { ...listenerOfRuns, routeChanged: () => undefined };
  const runtime = createRuntime({ catalog, host, listener: underWay.listen(mirrored), limits: runtimeLimits(settings) });
  runtime.tap(stepTap);
  await mappings.load(catalog, host);

  const state = new FollowedState({
    runtime,
    log,
    secrets,
    environment,
    properties: await untilAnswered(() => calls.call<ReadonlyMap<string, string>>("lead", "properties")),
    policies,
    mappings,
    stores,
  });
  const listener = createListener({
    limits,
    ingress: ownIngress(ingress, () => !state.paused),
    management: () => Promise.reject(new Error("the management API is the lead's")),
    reportFault,
    elsewhere(arrival, path, isLate) {
      const target = readTarget(path);
      if (target.kind === "route") {
        if (isLate) return false;
        if (!state.paused && arrival.session === "" && ingress.serves(target.path, arrival.method)) return false;
      }
      forwarder.forward(arrival);
      return true;
    },
    isAwaited: () => forwarder.active > 0,
  });

  const hand = (handed: HandedEvents): void => calls.tell("lead", "handed-events", handed);
  const watchers = { trace: new EventWatcher(trace.hub, hand), log: new EventWatcher(logs.hub, hand) };
  calls.on("change", (order: ChangeOrder) => state.take(order));
  calls.on("watch", ({ stream, queries }: WatchOrder) => {
    const lines = stream === "log" && !logs.hub.recording ? writer.recent() : [];
    watchers[stream].watch(queries);
    return lines;
  });
  calls.on("runs", ({ without, ...filter }: RunsQuery) => {
    const { runs, total } = history.list(filter, new Set(without));
    return { runs: runs.map((run) => runJson(run, secrets)), total };
  });
  calls.on("run", ({ id }: { id: string }) => {
    const found = history.find(id);
    return found === undefined ? undefined : { ...runJson(found, secrets), replayable: kept.input(id) !== undefined };
  });
  calls.on("fetch-run", ({ id }: { id: string }): RemoteRun | undefined => {
    const record = history.find(id);
    return record === undefined ? undefined : { record, kept: kept.export(id) };
  });
  calls.on("outguessed", ({ source }: { source: string }) => policies.distrust(source));
  calls.on("drained", ({ flowId }: { flowId: string }) => state.drained(flowId));
  const figures = (): WorkerFigures =>
    workerFigures({
      startedAt,
      runtime,
      counts,
      connections: listener.connections,
      webhookCalls: ingress.active,
      hide: (text) => secrets.scrub(maskUris(text)),
    });
  calls.on("figures", figures);
  const stopTelling = tellFigures(figures, counts, (news) => calls.tell("lead", "counted", news));
  const join = (): Promise<unknown> => calls.call("lead", "join", undefined, joinWithinMs);
  calls.on("rejoin", join);

  await untilAnswered(join);
  const address = await listener.listen(settings.port, settings.host, false);

  let stopping: Promise<ShutdownReport> | undefined;
  return {
    log,
    port: address.port,
    stop: () =>
      (stopping ??= shutDown({ listener, runtime, log: faultsOnly(log), hubs: [], drainMs: settings.drainMs, clock }).finally(async () => {
        forwarder.close();
        stopTelling();
        await spans?.close(lastSpansMs);
        writer.close();
      })),
  };
}

/** Asks the lead, again while there is none. */
async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  for (const until = performance.now() + joinWithinMs; ;) {
    try {
      return await ask();
    } catch (error) {
      if (!["gone", "absent"].includes((error as NodeJS.ErrnoException).code ?? "") || performance.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryEveryMs));
    }
  }
}

/** What this worker serves by itself: nothing of a test session, and nothing while the lead serves everything. */
function ownIngress(ingress: Ingress, servesItself: () => boolean): Ingress {
  return {
    port: ingress.port,
    serveExact: (arrival, path) => arrival.session === "" && servesItself() && ingress.serveExact(arrival, path),
    serve: (arrival, path) => ingress.serve(arrival, path),
    serves: (path, method) => ingress.serves(path, method),
    get active() {
      return ingress.active;
    },
    whenIdle: (listener) => ingress.whenIdle(listener),
  };
}

/** The lead says when the service ends; here only what went wrong is news. */
function faultsOnly(log: Log): Log {
  return { ...log, write: (level, ...rest) => (level === "INFO" ? undefined : log.write(level, ...rest)) };
}

/** What the lead has logged already is not logged again. */
function quiet(log: Log): Log {
  return { ...log, write: () => undefined };
}
