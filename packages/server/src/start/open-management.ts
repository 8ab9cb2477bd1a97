import { apiEndpoints, runParts, type ApiParts } from "../api/index.ts";
import { hasRun, ownRuns } from "../api/runs.ts";
import type { HealthParts } from "../api/health.ts";
import type { Endpoint } from "../api/endpoint.ts";
import { createManagementApi, type ManagementOptions } from "../api/management-api.ts";
import { createTokenCheck } from "../api/deploy-token.ts";
import { tokenFingerprint } from "../api/version-metadata.ts";
import { deadLetterReplays } from "../dead-letters/replay-dead-letters.ts";
import type { FlowViews } from "../flows/flow-views.ts";
import { problemOfFlow, type FlowParts } from "../flows/installed-flows.ts";
import { httpByteMetrics } from "../http/http-bytes.ts";
import type { ManagementHandler } from "../http/management.ts";
import { callManagement } from "../http/local-call.ts";
import { maskUris } from "../masking/secret-uris.ts";
import { workerMetrics } from "../metrics/process-metrics.ts";
import type { OwnedItem } from "../other-nodes/node-queries.ts";
import { createMetricsText, type MetricsParts } from "../metrics/metrics-text.ts";
import type { ServiceView } from "../other-workers/service-view.ts";
import type { BreakpointSessions } from "../breakpoints/breakpoint-sessions.ts";
import type { Captures } from "../replay/captures.ts";
import type { TestSessions } from "../sessions/test-sessions.ts";
import type { DurableStore } from "../store/durable-store.ts";
import { version } from "../version.ts";
import type { LateParts } from "./late-parts.ts";
import type { Documents } from "./open-documents.ts";
import type { EngineParts } from "./open-engine.ts";
import type { HttpParts } from "./open-http.ts";
import type { ServerProcess } from "./open-process.ts";
import type { Streams } from "./open-streams.ts";

/** All parts used by the management API. */
export interface ServerParts {
  readonly server: ServerProcess;
  readonly durable: DurableStore;
  readonly documents: Documents;
  readonly streams: Streams;
  readonly http: HttpParts;
  readonly engine: EngineParts;
  readonly sessions: TestSessions;
  readonly captures: Captures;
  readonly breakpoints: BreakpointSessions;
  readonly flows: FlowParts;
}

export interface Management {
  readonly views: FlowViews;
  /** For HTTP requests. */
  readonly handler: ManagementHandler;
  /** For callers in this process, which need no token. */
  readonly localHandler: ManagementHandler;
}

export function openManagement(parts: ServerParts, service: ServiceView | undefined, lateParts: LateParts): Management {
  const { server, documents, streams, http, engine, sessions, captures, breakpoints, flows } = parts;
  const { clock, log, secrets, settings, ids } = server;
  const { runtime, history, disk, replayStore, catalog, plugins } = engine;
  const { policies } = http;
  const isDraining = (): boolean => server.phase === "DRAINING";
  const views: FlowViews = {
    parts: flows,
    hasPolicy: (flowId) => policies.has(flowId),
    fingerprint: tokenFingerprint(settings.deployToken),
    withKamelets: (texts) => engine.kamelets.withTexts(texts),
    inspected: new Map(),
  };
  const replays = deadLetterReplays({ runtime, writer: engine.deadLetters, clock, isDraining, isOpenSession: (id) => sessions.isOpen(id) });
  const apiParts: ApiParts = {
    service,
    cluster: server.cluster,
    health: healthParts(parts),
    metricsText: createMetricsText(metricsParts(parts, service, lateParts)),
    flows: views,
    policies,
    mappings: documents.mappings,
    connections: { named: engine.namedConnections, metrics: () => engine.connections.list(), checkSoon: () => engine.connections.checkSoon(), secrets },
    kamelets: engine.kamelets,
    history,
    disk,
    secrets,
    streams: { opener: streams.opener, trace: streams.trace.hub, log: streams.logs.hub },
    sessions,
    invoke: { runtime, clock, secrets },
    breakpoints,
    mounts: http.mounts,
    catalog,
    plugins: plugins.packages,
    replay: { runtime, history, disk, replayStore, captures, sessions, clock, secrets },
    deadLetters: {
      store: engine.deadLetterSource,
      replays,
    },
  };
  const endpoints = apiEndpoints(apiParts);
  const runs = runParts(apiParts);
  const has = async ({ kind, id }: OwnedItem): Promise<boolean> => {
    if (kind === "session") return sessions.isKnown(id);
    return kind === "run" ? hasRun(runs, id) : replays.job(id) !== undefined;
  };
  const options: ManagementOptions = {
    endpoints,
    tokenCheck: createTokenCheck(settings.deployToken),
    log,
    secrets,
    newReference: () => ids.next(),
    isDraining,
    cluster: server.cluster,
    ...(service === undefined ? {} : { replicated: () => service.replicated() }),
  };
  const local: ManagementOptions = { ...options, tokenCheck: () => "accepted" };
  // Nodes forward only these calls; the sender has checked the token.
  const isForwarded = ({ owned, combine, forwarded }: Endpoint): boolean => owned !== undefined || combine !== undefined || forwarded === true;
  const forwardedApi = createManagementApi({ ...local, endpoints: endpoints.filter(isForwarded) });
  server.cluster?.respond({
    has,
    sessions,
    runs: (filter) => ownRuns(runs, filter),
    call: (call) => callManagement(forwardedApi, { ...call, token: undefined }),
    hubs: { trace: streams.trace.hub, log: streams.logs.hub },
    metrics: () =>
      workerMetrics({
        startedAt: server.startedAt,
        runtime,
        counts: engine.counts,
        connections: lateParts.listener.current.connections,
        webhookCalls: http.ingress.active,
        httpBytes: httpByteMetrics(http.bytes),
        mask: (text) => secrets.scrub(maskUris(text)),
      }),
  });
  const ownsItem = server.cluster === undefined ? {} : { ownsItem: has };
  return { views, handler: createManagementApi({ ...options, ...ownsItem }), localHandler: createManagementApi({ ...local, ...ownsItem }) };
}

function healthParts({ server, durable, streams, http, engine, sessions, flows }: ServerParts): HealthParts {
  return {
    runtime: engine.runtime,
    installed: flows.installed,
    engineVersion: version,
    startedAt: server.startedAt,
    now: () => Date.now(),
    secrets: server.secrets,
    phase: () => server.phase,
    openSessions: () => sessions.openCount,
    streamClients: () => streams.opener.clients,
    httpBytes: () => httpByteMetrics(http.bytes),
    brokenPolicies: () => http.policies.broken(),
    connections: () => engine.connections.list(),
    storeProblem: () => durable.problem,
    cluster: server.cluster,
  };
}

function metricsParts(
  { server, durable, streams, http, engine, sessions, flows }: ServerParts,
  service: ServiceView | undefined,
  lateParts: LateParts,
): MetricsParts {
  const { cluster } = server;
  const { runtime, counts, spans, disk } = engine;
  return {
    counts,
    runtime,
    store: durable,
    deadLetters: engine.deadLetterSource,
    ...(cluster === undefined ? {} : { queueDepths: (scope) => cluster.queueDepths(scope), liveNodes: () => cluster.report().nodes }),
    version,
    startedAt: server.startedAt,
    isUp: () => server.phase === "UP",
    failedFlows: () => [...flows.installed.values()].filter(({ id, error }) => (error ?? problemOfFlow(runtime, id)) !== undefined).length,
    openSessions: () => sessions.openCount,
    streamClients: () => streams.opener.clients,
    connections: () => lateParts.listener.current.connections,
    systemConnections: () => engine.connections.list(),
    webhookCalls: () => http.ingress.active,
    httpBytes: () => httpByteMetrics(http.bytes),
    spans: () => spans,
    storedRuns: () => disk?.store.metrics,
    ...(service === undefined ? {} : { others: () => service.metrics() }),
  };
}
