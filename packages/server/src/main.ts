// The composition root: builds every part, hands them to each other, and takes them down again in order.
import { join, resolve } from "node:path";
import { sluiceEvents } from "@sluice/connectors";
import { createRuntime, type Deployment, type Exchange, type LogLevel, type Route, type RunListener } from "@sluice/engine";
import type { StepNode } from "@sluice/model";
import { openPolicies } from "./access/open-policies.ts";
import { apiEndpoints } from "./api/index.ts";
import type { Phase } from "./api/health.ts";
import { createManagementApi } from "./api/management-api.ts";
import { createTokenCheck } from "./auth/deploy-token.ts";
import { misnamedVariables, type Configuration, type Settings } from "./config.ts";
import { letterKeeper } from "./dead-letters/keep-letter.ts";
import { letterReplays } from "./dead-letters/replay-letters.ts";
import { lockDirectory } from "./flows/data-lock.ts";
import { openDiskFlowStore } from "./flows/disk-flow-store.ts";
import { openDiskTestStore } from "./flows/disk-test-store.ts";
import { createMemoryFlowStore } from "./flows/memory-flow-store.ts";
import type { StoredParams } from "./flows/flow-store.ts";
import { withGivenFlows, type GivenFlows } from "./flows/given-flows.ts";
import type { FlowParts } from "./flows/installed-flows.ts";
import { loadFlows } from "./flows/load-flows.ts";
import { createTurns } from "./flows/turns.ts";
import { listFlows, noFlows, type FlowViews } from "./flows/flow-views.ts";
import { createWebhookMounts } from "./flows/webhook-mounts.ts";
import { watchFlows } from "./flows/watch-flows.ts";
import { watchDocuments } from "./watch-documents.ts";
import { systemClock } from "./host/clock.ts";
import { createEnvironment } from "./host/environment.ts";
import { createHost } from "./host/host.ts";
import { readProperties } from "./host/properties-file.ts";
import { createIds } from "./host/ulid.ts";
import { createIngress } from "./http/ingress.ts";
import { createListener } from "./http/listener.ts";
import { callManagement, type LocalReply } from "./http/local-call.ts";
import { httpLimits } from "./http-settings.ts";
import { openMappings } from "./mappings/open-mappings.ts";
import { createProcessLog } from "./log/process-log.ts";
import type { RuntimeLog } from "./log/runtime-log.ts";
import { routeControl } from "./flows/route-control.ts";
import { Captures } from "./replay/captures.ts";
import { KeptRuns } from "./replay/kept-runs.ts";
import { createMetricsText, mostNames } from "./metrics/metrics-text.ts";
import { openSpanExport } from "./metrics/open-span-export.ts";
import { createRunCounts } from "./metrics/run-counts.ts";
import { createRunHistory } from "./runs/run-history.ts";
import { createRunListener } from "./runs/run-listener.ts";
import { stepTap } from "./runs/step-tap.ts";
import { createSessionLanguages } from "./sessions/session-languages.ts";
import { createTestSessions } from "./sessions/test-sessions.ts";
import { catalogFor, runtimeLimits, streamRing } from "./runtime-settings.ts";
import { shutDown, type ShutdownReport } from "./shutdown.ts";
import { createDurableStore, type DurableStore } from "./store/durable-store.ts";
import { queuePort } from "./store/queue-port.ts";
import { LogRecorder } from "./streams/log-recorder.ts";
import { createStreamDoor } from "./streams/open-stream.ts";
import { TraceRecorder } from "./streams/trace-recorder.ts";
import { quietCatalog } from "./trial/quiet-catalog.ts";
import { sessionsOnly } from "./trial/sessions-only.ts";
import { version } from "./version.ts";
import type { LeadParts } from "./workers/lead.ts";
import type { LeadSeat } from "./workers/service-view.ts";
import { readTests, tryFlow } from "./trial/try-flow.ts";

/** A webhook that is known but takes nothing in now; a route with another trigger never had a webhook. */
function isStoppedWebhook(route: Route | undefined): boolean {
  return route !== undefined && route.status !== "Started" && /^(webhook|platform-http)\b/.test(route.from);
}

/** How long the collector may take for the last spans when the runtime ends. */
const lastSpansMs = 2_000;
/** From this many on the list of flows is made ready ahead. */
const manyFlows = 500;

export interface RunningServer {
  readonly baseUrl: string;
  readonly port: number;
  /** What is said of it once it serves. */
  readonly announcement: Announcement;
  readonly log: RuntimeLog;
  /** Asks the management API without a socket; `path` is below `/_api`. */
  api(method: string, path: string, body?: unknown): Promise<LocalReply>;
  /** Drains and ends; tells what had to be abandoned. */
  stop(): Promise<ShutdownReport>;
}

export interface Announcement {
  readonly baseUrl: string;
  readonly pid: number;
  readonly version: string;
  readonly flows: number;
  readonly failedFlows: number;
}

/** Starts a runtime and resolves when it serves. The log goes to `output`, a file descriptor, after one line with the base URL. */
export function startServer(configuration: Configuration, output = 1, given?: GivenFlows): Promise<RunningServer> {
  return start(configuration, output, false, given);
}

/** Starts the lead of a service of several workers; the first line of its output is the supervisor's to write. */
export function startLeadServer(configuration: Configuration, given: GivenFlows | undefined, seat: LeadSeat<LeadParts, RunListener>): Promise<RunningServer> {
  return start(configuration, 1, false, given, seat);
}

/** Starts a runtime that takes in nothing but what test sessions send. */
export function startTrialServer(configuration: Configuration, output: number): Promise<RunningServer> {
  return start(configuration, output, true);
}

/** A trial is a runtime that takes in nothing but what its own tests send. */
async function start(
  configuration: Configuration,
  output: number,
  isTrial: boolean,
  given?: GivenFlows,
  seat?: LeadSeat<LeadParts, RunListener>,
): Promise<RunningServer> {
  const { settings, environment: variables } = configuration;
  const startedAt = Date.now();
  const clock = systemClock;
  const level = settings.logLevel.toUpperCase() as LogLevel;
  const ids = createIds(() => Date.now());
  const { log, writer, secrets } = createProcessLog(settings, output);
  const dataDir = resolve(settings.dataDir);
  const routesDir = join(dataDir, "routes");
  const store = withGivenFlows(isTrial ? createMemoryFlowStore(() => Date.now()) : await openDiskFlowStore(routesDir), given);
  const unlock = await lockDirectory(dataDir);
  let durable: DurableStore | undefined;
  try {
    const properties = await readProperties(dataDir);
    const environment = createEnvironment(variables);

    let phase: Phase = "STARTING";
    const ring = streamRing(settings, secrets);
    const mocked = new WeakMap<Exchange, StepNode | undefined>();
    const trace = new TraceRecorder({ ...ring, runtime: () => runtime, wasMocked: (exchange, node) => mocked.get(exchange) === node });
    const logs = new LogRecorder({
      ...ring,
      least: level,
      recentLines: () => (farLines.length === 0 ? writer.recent() : [...writer.recent(), ...farLines].sort()),
    });
    // What other workers logged lately; every line begins with its time, so sorting them puts them in order.
    let farLines: readonly string[] = [];
    log.follow(logs);

    const limits = httpLimits(settings);
    const reportFault = (fault: unknown, reference: string): void =>
      log.write("ERROR", "sluice.http", `internal error (ref ${reference})`, undefined, { error: fault });
    const policies = await openPolicies({
      settings,
      dataDir,
      environment,
      secrets,
      log,
      clock,
      isInstalled: (flowId) => flows.installed.has(flowId),
      ...(seat === undefined ? {} : { outguessed: (source: string) => seat.outguessed(source) }),
    });
    const ingress = createIngress({
      limits,
      accessOf: isTrial ? sessionsOnly((id) => sessions.isOpen(id)) : policies.accessOf,
      sessionOf: (id) => sessions.tagOf(id),
      isStopped: (routeId) => isStoppedWebhook(runtime.routes.get(routeId)),
      reportFault,
    });
    const mappings = await openMappings(dataDir, store, log);
    const mounts = createWebhookMounts(ingress.port);
    const host = createHost({ log, ids, http: mounts.port, environment, lookup: mappings.tables.lookup });
    const events = sluiceEvents();
    durable = createDurableStore({
      directory: join(dataDir, "store"),
      clock,
      ids,
      log,
      limits: {
        queueBytes: settings.queueBytes,
        maxMessageBytes: settings.queueMessageBytes,
        deadLetters: settings.deadLetters,
        deadLetterBytes: settings.deadLetterBytes,
      },
    });
    const keeper = letterKeeper(durable, settings.queueMessageBytes);
    const everything = await catalogFor(settings, {
      events,
      queues: queuePort(durable, (id) => sessions.isOpen(id)),
      deadLetters: keeper,
      control: routeControl(() => runtime),
      mappings: mappings.documents,
    });
    const catalog = isTrial ? quietCatalog(everything) : everything;
    const history = createRunHistory({ perRoute: settings.runHistory, total: settings.runHistoryTotal, bytes: settings.runHistoryBytes });
    const kept = new KeptRuns(settings.replayBytes);
    const counts = createRunCounts({ maxRoutes: mostNames, isInService: (routeId) => runtime.routes.has(routeId) });
    const spans = openSpanExport({ settings, version, clock, log, secrets });
    const runListener = createRunListener({ history, kept, counts, trace, log, events, spans });
    const runtime = createRuntime({ catalog, host, listener: seat === undefined ? runListener : seat.listen(runListener), limits: runtimeLimits(settings) });
    runtime.tap(stepTap);

    const sessions = createTestSessions({
      runtime,
      clock,
      secrets,
      ...createSessionLanguages(catalog, host),
      mode: settings.testSessions,
      maxSessions: settings.maxSessions,
      maxCalls: settings.sessionCalls,
      maxBytes: settings.sessionBytes,
      mocked: (exchange, node) => mocked.set(exchange, node),
    });
    const flows: FlowParts = {
      store,
      tests: await openDiskTestStore(join(dataDir, "flow-tests")),
      trial: {
        check: readTests,
        run: (candidate) => tryFlow({ configuration, dataDir, start: (apart, apartOutput) => start(apart, apartOutput, true) }, candidate),
      },
      runtime,
      log,
      secrets,
      environment,
      properties,
      paramsOf: seat === undefined ? undefined : new WeakMap<Deployment, StoredParams>(),
      installed: new Map(),
      turns: createTurns(),
      mappings: { hasTable: (id) => mappings.tables.list().some((table) => table.id === id), hasDocument: (id) => mappings.documents.find(id) !== undefined },
      announce: (change, flowId, hash) => {
        trace.flowChanged(change, flowId, hash);
        events.emit({ name: `flow.${change}`, flowId, details: { hash } });
      },
    };
    const door = createStreamDoor(
      settings.maxStreamClients,
      {
        maxEvents: settings.streamClientEvents,
        maxBytes: settings.streamClientBytes,
        heartbeatMs: settings.streamHeartbeatMs,
        stuckMs: settings.streamStuckMs,
      },
      clock,
    );
    const captures = new Captures(runtime, clock, settings.captureBytes);
    const service = seat?.attach({
      runtime,
      paramsOf: flows.paramsOf as WeakMap<Deployment, StoredParams>,
      properties,
      policies,
      mappings,
      sessions,
      captures,
      history,
      kept,
      counts,
      trace,
      workers: settings.workers,
      drainMs: settings.drainMs,
      hubs: { trace: trace.hub, log: logs.hub },
      events,
      log,
      recentLines: (lines) => void (farLines = lines),
      draining: () => void (phase = "DRAINING"),
    });
    const views: FlowViews = { parts: flows, hasPolicy: (flowId) => policies.has(flowId), seen: new Map(), texts: new WeakMap(), lastList: noFlows };
    const endpoints = apiEndpoints({
      service,
      health: {
        runtime,
        installed: flows.installed,
        engineVersion: version,
        startedAt,
        now: () => Date.now(),
        secrets,
        phase: () => phase,
        openSessions: () => sessions.openCount,
        streamClients: () => door.clients,
        brokenPolicies: () => policies.broken(),
      },
      metricsText: createMetricsText({
        counts,
        runtime,
        store: durable,
        version,
        startedAt,
        isUp: () => phase === "UP",
        failedFlows: () => [...flows.installed.values()].filter(({ error }) => error !== undefined).length,
        openSessions: () => sessions.openCount,
        streamClients: () => door.clients,
        connections: () => listener.connections,
        webhookCalls: () => ingress.active,
        spans: () => spans,
        ...(service === undefined ? {} : { others: () => service.figures() }),
      }),
      flows: views,
      policies,
      mappings,
      history,
      secrets,
      streams: { door, trace: trace.hub, log: logs.hub },
      sessions,
      invoke: { runtime, clock, secrets },
      mounts,
      catalog,
      host,
      replay: { runtime, history, kept, captures, sessions, clock, secrets },
      deadLetters: {
        store: durable,
        replays: letterReplays({ runtime, keeper, clock, isDraining: () => phase === "DRAINING", isOpenSession: (id) => sessions.isOpen(id) }),
      },
    });
    const management = createManagementApi({
      endpoints,
      tokenCheck: createTokenCheck(settings.deployToken),
      log,
      secrets,
      newReference: () => ids.next(),
      isDraining: () => phase === "DRAINING",
      ...(service === undefined ? {} : { settled: () => service.settled() }),
    });
    const listener = createListener({ limits, ingress, management, reportFault, ...(seat === undefined ? {} : { isAwaited: () => seat.isNeeded() }) });

    await mappings.load(catalog, host);
    const report = await loadFlows(flows);
    const address = await listener.listen(settings.port, settings.host, isTrial).catch(async (error: unknown) => {
      await runtime.stop();
      throw error;
    });
    const watched = settings.watch
      ? [
          watchFlows(flows, [routesDir, ...(given?.folders ?? [])]),
          ...watchDocuments({
            dataDir,
            log,
            tables: mappings.tables,
            documents: mappings.documents,
            policies,
            ...(service === undefined ? {} : { changed: () => service.changed() }),
          }),
        ]
      : [];
    if (seat !== undefined) await listener.listenPrivately(seat.socketPath);
    phase = "UP";
    const baseUrl = baseUrlOf(settings, address.port);
    const announcement = { baseUrl, pid: process.pid, version, flows: report.loaded, failedFlows: report.failed };
    // Putting thousands of entries into words takes a while: whoever asks first need not wait for it.
    if (report.loaded >= manyFlows) await listFlows(views).catch(() => undefined);
    writer.open(seat === undefined ? JSON.stringify(announcement) : undefined);
    if (seat === undefined) for (const remark of misnamedVariables(variables)) log.write("WARN", "sluice", remark);

    let stopping: Promise<ShutdownReport> | undefined;
    return {
      baseUrl,
      port: address.port,
      announcement,
      log,
      api: (method, path, body) => callManagement(management, { method, path: `/_api${path}`, token: settings.deployToken, body }),
      stop() {
        phase = "DRAINING";
        return (stopping ??= shutDown({ listener, runtime, log, hubs: [trace.hub, logs.hub], drainMs: settings.drainMs, clock }).finally(async () => {
          for (const stopWatching of watched) stopWatching();
          sessions.closeAll();
          captures.closeAll();
          await spans?.close(lastSpansMs);
          await durable?.close();
          unlock();
          writer.close();
        }));
      },
    };
  } catch (error) {
    await durable?.close();
    unlock();
    writer.open();
    writer.close();
    throw error;
  }
}

function baseUrlOf(settings: Settings, port: number): string {
  const host = settings.host === "0.0.0.0" ? "127.0.0.1" : settings.host === "::" ? "::1" : settings.host;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
