// The metrics of the runtime, collected on request.
import type { ConnectionMetrics } from "../connections/shared-connection.ts";
import { readdirSync } from "node:fs";
import { monitorEventLoopDelay, type IntervalHistogram } from "node:perf_hooks";
import type { Runtime } from "@sluice/engine";
import { addHttpByteMetrics, type HttpByteMetrics } from "../http/http-bytes.ts";
import type { RunStoreMetrics } from "../run-store/run-store.ts";
import type { DeadLetterSource } from "../dead-letters/dead-letter-store.ts";
import type { DurableStore } from "../store/durable-store.ts";
import { Exposition, type Sample } from "./exposition.ts";
import { addCounts, addSources, durationBounds, type RunCounts } from "./run-counts.ts";
import type { RouteMetrics, SourceMetrics, WorkerMetrics } from "../other-workers/worker-metrics.ts";
import type { OtherWorkers } from "../other-workers/service-view.ts";

export interface MetricsParts {
  readonly counts: RunCounts;
  readonly runtime: Runtime;
  readonly store: DurableStore;
  readonly deadLetters: DeadLetterSource;
  /** In a cluster: all its queues, or only those whose slot this node holds. */
  queueDepths?(scope: "node" | "cluster"): Promise<readonly { readonly name: string; readonly depth: number; readonly bytes: number | undefined }[]>;
  /** The live nodes of the cluster; undefined without a cluster. */
  liveNodes?(): readonly { readonly node: string; readonly isReady: boolean }[];
  readonly version: string;
  readonly startedAt: number;
  isUp(): boolean;
  failedFlows(): number;
  openSessions(): number;
  streamClients(): number;
  connections(): number;
  webhookCalls(): number;
  httpBytes(): HttpByteMetrics;
  /** Metrics of the other workers; undefined in a single process. */
  others?(): Promise<Pick<OtherWorkers, "present" | "exitedCounts">>;
  /** Connections to other systems. */
  systemConnections(): readonly ConnectionMetrics[];
  /** Undefined when spans are not exported. */
  spans(): { readonly exported: number; readonly dropped: number; readonly waiting: number } | undefined;
  /** Undefined when runs are stored in memory only. */
  storedRuns(): RunStoreMetrics | undefined;
}

/** Metrics of the other nodes of a cluster. */
export interface NodeMetrics {
  readonly present: readonly WorkerMetrics[];
  readonly incomplete: readonly { readonly node: string }[];
}

/** Routes and queues beyond this number are added up as `_other`, so that a scrape stays bounded. */
export const maxNames = 1_000;

const lagResolutionMs = 10;

/** Returns a function that creates the text. The event loop delay is measured from the first call on, for the time between scrapes. */
export function createMetricsText(parts: MetricsParts): (nodes?: NodeMetrics) => Promise<string> {
  let lag: IntervalHistogram | undefined;
  return async (nodes) => {
    const page = new Exposition();
    page.gauge("sluice_info", "Version of the runtime.", [[{ version: parts.version }, 1]]);
    page.gauge("sluice_up", "1 while the runtime accepts messages, 0 while it starts or drains.", [[undefined, parts.isUp() ? 1 : 0]]);
    const others = nodes === undefined ? await parts.others?.() : { present: nodes.present, exitedCounts: [] };
    const present = others?.present ?? [];
    runMetrics(
      page,
      others === undefined ? parts.counts.list() : addCounts([parts.counts.list(), ...present.map(({ counts }) => counts), others.exitedCounts]),
    );
    routeMetrics(page, parts, present);
    await storeMetrics(page, parts, nodes === undefined ? "node" : "cluster");
    storedRunMetrics(page, parts.storedRuns());
    page.gauge(
      "sluice_memory_queue_depth",
      "Messages waiting in an in-memory queue.",
      limitQueues(parts.runtime.backlog()).map(({ name, depth }): Sample => [{ queue: name }, depth]),
    );
    connectionMetrics(page, parts.systemConnections());
    sourceMetrics(page, addSources([parts.counts.sources(), ...present.map(({ sources }) => sources)]));
    httpMetrics(page, parts, present);
    if (nodes !== undefined) {
      page.gauge("sluice_cluster_nodes", "Nodes whose metrics are summed.", [[undefined, present.length + 1]]);
      page.gauge("sluice_cluster_nodes_missing", "Nodes that did not respond.", [[undefined, nodes.incomplete.length]]);
    } else if (others !== undefined) page.gauge("sluice_workers", "Running workers.", [[undefined, present.length + 1]]);
    const liveNodes = parts.liveNodes?.();
    if (liveNodes !== undefined)
      page.gauge(
        "sluice_cluster_node_ready",
        "1 while a live node of the cluster serves requests, 0 while it starts or drains.",
        liveNodes.map(({ node, isReady }): Sample => [{ node }, isReady ? 1 : 0]),
      );
    processMetrics(page, parts.startedAt);
    if (lag === undefined) {
      lag = monitorEventLoopDelay({ resolution: lagResolutionMs });
      lag.enable();
    } else lagMetrics(page, lag);
    return page.text;
  };
}

/** The deepest queues by name, the others as one sum. */
function limitQueues(queues: readonly { readonly name: string; readonly depth: number }[]): readonly { readonly name: string; readonly depth: number }[] {
  if (queues.length <= maxNames) return queues;
  const deepest = queues.toSorted((a, b) => b.depth - a.depth);
  return [...deepest.slice(0, maxNames), { name: "_other", depth: deepest.slice(maxNames).reduce((sum, { depth }) => sum + depth, 0) }];
}

const labelsOf = ({ flowId, routeId }: RouteMetrics) => ({ flow: flowId, route: routeId });

function runMetrics(page: Exposition, counts: readonly RouteMetrics[]): void {
  page.counter(
    "sluice_runs_total",
    "Ended runs by status.",
    counts.flatMap((count) =>
      (["completed", "failed", "cancelled", "discarded"] as const)
        .filter((status) => status === "completed" || status === "failed" || count[status] > 0)
        .map((status): Sample => [{ ...labelsOf(count), status }, count[status]]),
    ),
  );
  page.histogram(
    "sluice_run_duration_seconds",
    "Duration of runs.",
    durationBounds.map((bound) => bound / 1_000),
    counts.map((count) => ({ labels: labelsOf(count), buckets: count.buckets, sum: count.durationMs / 1_000 })),
  );
  page.counter(
    "sluice_redeliveries_total",
    "Retries of failed steps.",
    counts.map((count) => [labelsOf(count), count.redeliveries]),
  );
}

function routeMetrics(page: Exposition, { runtime, failedFlows }: MetricsParts, others: readonly WorkerMetrics[]): void {
  const routes = [...runtime.routes.values()];
  const named = routes.slice(0, maxNames);
  const labels = ({ identity }: (typeof routes)[number]) => ({ flow: identity.flowId, route: identity.id });
  const elsewhere = new Map<string, number>();
  for (const { id, inflight } of others.flatMap((worker) => worker.routes)) elsewhere.set(id, (elsewhere.get(id) ?? 0) + inflight);
  const inflightOf = ({ identity, stats }: (typeof routes)[number]): number => stats.inflight + (elsewhere.get(identity.id) ?? 0);
  const rest = routes.slice(maxNames).reduce((sum, route) => sum + inflightOf(route), 0);
  page.gauge("sluice_runs_inflight", "Runs in flight.", [
    ...named.map((route): Sample => [labels(route), inflightOf(route)]),
    ...(routes.length > maxNames ? [[{ flow: "_other", route: "_other" }, rest] as const] : []),
  ]);
  page.gauge(
    "sluice_route_started",
    "1 while a route accepts messages, 0 while it is stopped, suspended or failed.",
    named.map((route) => [labels(route), route.status === "Started" ? 1 : 0]),
  );
  page.gauge("sluice_routes", "Deployed routes.", [[undefined, routes.length]]);
  page.gauge("sluice_failed_flows", "Installed flows that are not running.", [[undefined, failedFlows()]]);
}

function connectionMetrics(page: Exposition, connections: readonly ConnectionMetrics[]): void {
  const named = connections.slice(0, maxNames);
  const used = named.filter(({ state }) => state.state !== "idle");
  page.gauge(
    "sluice_connection_up",
    "1 while a connection in use is up, 0 while it is down.",
    used.map(({ id, type, state }) => [{ connection: id, type }, state.state === "up" ? 1 : 0]),
  );
  page.counter(
    "sluice_connection_reconnects_total",
    "Reconnects after a connection was lost.",
    named.map(({ id, type, reconnects }) => [{ connection: id, type }, reconnects]),
  );
}

function sourceMetrics(page: Exposition, sources: readonly SourceMetrics[]): void {
  page.counter(
    "sluice_source_messages_total",
    "Messages received from another system, by outcome.",
    sources.flatMap(({ scheme, events }) => settled.map((outcome): Sample => [{ scheme, outcome }, events[outcome]])),
  );
  page.gauge(
    "sluice_source_inflight",
    "Messages received from another system and not settled yet.",
    sources.map(({ scheme, events }) => [{ scheme }, settled.reduce((unsettled, outcome) => unsettled - events[outcome], events.received)]),
  );
}

const settled = ["done", "redelivered", "dead-lettered"] as const;

async function storeMetrics(page: Exposition, { store, deadLetters, queueDepths }: MetricsParts, scope: "node" | "cluster"): Promise<void> {
  const openStore = await store.openExisting().catch(() => undefined);
  const shared = await queueDepths?.(scope).catch(() => []);
  const depths = [...(shared ?? openStore?.queues.depths() ?? [])].sort((a, b) => b.depth - a.depth);
  const rest = depths.slice(maxNames);
  const named = [
    ...depths.slice(0, maxNames),
    ...(rest.length === 0
      ? []
      : [
          rest.reduce((sum, { depth, bytes }) => ({ ...sum, depth: sum.depth + depth, bytes: (sum.bytes ?? 0) + (bytes ?? 0) }), {
            name: "_other",
            depth: 0,
            bytes: 0,
          }),
        ]),
  ].sort((a, b) => (a.name < b.name ? -1 : 1));
  page.gauge(
    "sluice_queue_depth",
    "Messages in a durable queue, waiting or being processed.",
    named.map(({ name, depth }) => [{ queue: name }, depth]),
  );
  page.gauge(
    "sluice_queue_bytes",
    "Bytes of the messages in a durable queue.",
    named.flatMap(({ name, bytes }): readonly Sample[] => (bytes === undefined ? [] : [[{ queue: name }, bytes]])),
  );
  const letters = await deadLetters.openExisting().catch(() => undefined);
  page.gauge("sluice_dead_letters", "Stored dead letters.", [[undefined, letters?.count ?? 0]]);
  page.gauge("sluice_dead_letter_bytes", "Bytes of the stored dead letters.", [[undefined, letters?.bytes ?? 0]]);
  page.gauge("sluice_store_failing", "1 while the durable store cannot be opened or written, 0 otherwise.", [[undefined, store.problem === undefined ? 0 : 1]]);
  page.counter("sluice_store_writes_total", "Changes written to the durable store.", [[undefined, openStore?.groups.items ?? 0]]);
  page.counter("sluice_store_commits_total", "Transactions of the durable store.", [[undefined, openStore?.groups.groups ?? 0]]);
}

function storedRunMetrics(page: Exposition, stored: RunStoreMetrics | undefined): void {
  if (stored === undefined) return;
  page.gauge("sluice_stored_runs", "Runs on disk.", [[undefined, stored.runs]]);
  page.gauge("sluice_stored_run_bytes", "Disk space of the stored runs.", [[undefined, stored.bytes]]);
  page.counter("sluice_stored_runs_written_total", "Runs written to disk.", [[undefined, stored.written]]);
  page.counter("sluice_stored_runs_omitted_total", "Runs that were not written because too many ended at the same time.", [[undefined, stored.omitted]]);
  page.counter("sluice_stored_runs_dropped_total", "Runs that were not written because of disk errors.", [[undefined, stored.dropped]]);
}

function httpMetrics(page: Exposition, parts: MetricsParts, others: readonly WorkerMetrics[]): void {
  const sum = (name: "connections" | "webhookCalls"): number => others.reduce((total, metrics) => total + metrics[name], parts[name]());
  page.gauge("sluice_http_connections", "Open connections.", [[undefined, sum("connections")]]);
  page.gauge("sluice_webhook_calls", "Webhook calls without a reply yet.", [[undefined, sum("webhookCalls")]]);
  const bytes = addHttpByteMetrics([parts.httpBytes(), ...others.map(({ httpBytes }) => httpBytes)]);
  page.gauge("sluice_http_body_bytes_held", "Bytes of request bodies in memory.", [[undefined, bytes.bodyBytesHeld]]);
  page.gauge("sluice_http_body_bytes_limit", "Limit for bytes of request bodies in memory.", [[undefined, bytes.bodyBytesLimit]]);
  page.counter("sluice_http_bodies_refused_total", "Requests rejected with 503 because the limit for request bodies was reached.", [
    [undefined, bytes.bodiesRefused],
  ]);
  page.gauge("sluice_http_reply_bytes_unsent", "Bytes of responses not yet sent.", [[undefined, bytes.replyBytesUnsent]]);
  page.counter("sluice_http_slow_readers_cut_total", "Connections closed because too many reply bytes were unsent.", [[undefined, bytes.slowReadersCut]]);
  page.gauge("sluice_stream_clients", "Connected event stream clients.", [[undefined, parts.streamClients()]]);
  page.gauge("sluice_test_sessions", "Open test sessions.", [[undefined, parts.openSessions()]]);
  const spans = parts.spans();
  if (spans === undefined) return;
  page.counter("sluice_spans_exported_total", "Spans accepted by the collector.", [[undefined, spans.exported]]);
  page.counter("sluice_spans_dropped_total", "Spans dropped because the buffer was full or the collector rejected them.", [[undefined, spans.dropped]]);
  page.gauge("sluice_spans_waiting", "Spans waiting to be sent.", [[undefined, spans.waiting]]);
}

/** Uses the standard names of Prometheus process metrics. */
function processMetrics(page: Exposition, startedAt: number): void {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
  page.counter("process_cpu_user_seconds_total", "User CPU time of the process.", [[undefined, user / 1e6]]);
  page.counter("process_cpu_system_seconds_total", "System CPU time of the process.", [[undefined, system / 1e6]]);
  page.gauge("process_start_time_seconds", "Start time of the process.", [[undefined, startedAt / 1_000]]);
  page.gauge("process_resident_memory_bytes", "Resident memory of the process.", [[undefined, rss]]);
  page.gauge("nodejs_heap_size_total_bytes", "Size of the JavaScript heap.", [[undefined, heapTotal]]);
  page.gauge("nodejs_heap_size_used_bytes", "Used part of the JavaScript heap.", [[undefined, heapUsed]]);
  page.gauge("nodejs_external_memory_bytes", "Memory outside the heap, such as buffers.", [[undefined, external]]);
  const files = openFiles();
  if (files !== undefined) page.gauge("process_open_fds", "Open file descriptors.", [[undefined, files]]);
}

/** Available only on systems with /proc. */
function openFiles(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return undefined;
  }
}

/** On an idle event loop, the measured delay equals the resolution, which is therefore subtracted. */
function lagMetrics(page: Exposition, lag: IntervalHistogram): void {
  const seconds = (nanoseconds: number): number => (Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / 1e9 - lagResolutionMs / 1e3) : 0);
  page.gauge("nodejs_eventloop_lag_p50_seconds", "Median event loop delay since the last scrape.", [[undefined, seconds(lag.percentile(50))]]);
  page.gauge("nodejs_eventloop_lag_p99_seconds", "99th percentile of the event loop delay since the last scrape.", [[undefined, seconds(lag.percentile(99))]]);
  page.gauge("nodejs_eventloop_lag_max_seconds", "Maximum event loop delay since the last scrape.", [[undefined, seconds(lag.max)]]);
  lag.reset();
}
