// Everything the runtime can tell in figures, put together when somebody asks.
import { readdirSync } from "node:fs";
import { monitorEventLoopDelay, type IntervalHistogram } from "node:perf_hooks";
import type { Runtime } from "@sluice/engine";
import type { DurableStore } from "../store/durable-store.ts";
import { Exposition, type Sample } from "./exposition.ts";
import { addCounts, durationBounds, type RunCounts } from "./run-counts.ts";
import type { RouteFigures, WorkerFigures } from "../workers/messages.ts";
import type { OtherWorkers } from "../workers/service-view.ts";

export interface MetricsParts {
  readonly counts: RunCounts;
  readonly runtime: Runtime;
  readonly store: DurableStore;
  readonly version: string;
  readonly startedAt: number;
  isUp(): boolean;
  failedFlows(): number;
  openSessions(): number;
  streamClients(): number;
  connections(): number;
  webhookCalls(): number;
  /** What the other workers of the service counted; undefined when this one works alone. */
  others?(): Promise<Pick<OtherWorkers, "present" | "departed">>;
  /** Undefined when spans are not exported. */
  spans(): { readonly exported: number; readonly dropped: number; readonly waiting: number } | undefined;
}

/** Routes and queues beyond this many are summed up under `_other`: names must not make a scrape grow without end. */
export const mostNames = 1_000;

const lagResolutionMs = 10;

/** A function that makes the text; figures of the event loop are kept from its first call on, since the last one. */
export function createMetricsText(parts: MetricsParts): () => Promise<string> {
  let lag: IntervalHistogram | undefined;
  return async () => {
    const page = new Exposition();
    page.gauge("sluice_info", "The version that runs.", [[{ version: parts.version }, 1]]);
    page.gauge("sluice_up", "1 while the runtime takes in messages, 0 while it starts or drains.", [[undefined, parts.isUp() ? 1 : 0]]);
    const others = await parts.others?.();
    const present = others?.present ?? [];
    runFigures(page, others === undefined ? parts.counts.list() : addCounts([parts.counts.list(), ...present.map(({ counts }) => counts), others.departed]));
    routeFigures(page, parts, present);
    await storeFigures(page, parts.store);
    doorFigures(page, parts, present);
    if (others !== undefined) page.gauge("sluice_workers", "Workers that serve.", [[undefined, present.length + 1]]);
    processFigures(page, parts.startedAt);
    if (lag === undefined) {
      lag = monitorEventLoopDelay({ resolution: lagResolutionMs });
      lag.enable();
    } else lagFigures(page, lag);
    return page.text;
  };
}

const labelsOf = ({ flowId, routeId }: RouteFigures) => ({ flow: flowId, route: routeId });

function runFigures(page: Exposition, counts: readonly RouteFigures[]): void {
  page.counter(
    "sluice_runs_total",
    "Runs that ended, by how they did.",
    counts.flatMap((count) =>
      (["completed", "failed", "cancelled", "discarded"] as const)
        .filter((status) => status === "completed" || status === "failed" || count[status] > 0)
        .map((status): Sample => [{ ...labelsOf(count), status }, count[status]]),
    ),
  );
  page.histogram(
    "sluice_run_duration_seconds",
    "How long runs took.",
    durationBounds.map((bound) => bound / 1_000),
    counts.map((count) => ({ labels: labelsOf(count), buckets: count.buckets, sum: count.durationMs / 1_000 })),
  );
  page.counter(
    "sluice_redeliveries_total",
    "Times a failed step was tried again.",
    counts.map((count) => [labelsOf(count), count.redeliveries]),
  );
}

function routeFigures(page: Exposition, { runtime, failedFlows }: MetricsParts, others: readonly WorkerFigures[]): void {
  const routes = [...runtime.routes.values()];
  const named = routes.slice(0, mostNames);
  const labels = ({ identity }: (typeof routes)[number]) => ({ flow: identity.flowId, route: identity.id });
  const elsewhere = new Map<string, number>();
  for (const { id, inflight } of others.flatMap((worker) => worker.routes)) elsewhere.set(id, (elsewhere.get(id) ?? 0) + inflight);
  const inflightOf = ({ identity, stats }: (typeof routes)[number]): number => stats.inflight + (elsewhere.get(identity.id) ?? 0);
  const rest = routes.slice(mostNames).reduce((sum, route) => sum + inflightOf(route), 0);
  page.gauge("sluice_runs_inflight", "Runs under way.", [
    ...named.map((route): Sample => [labels(route), inflightOf(route)]),
    ...(routes.length > mostNames ? [[{ flow: "_other", route: "_other" }, rest] as const] : []),
  ]);
  page.gauge(
    "sluice_route_started",
    "1 while a route takes in messages, 0 while it is stopped, suspended or failed.",
    named.map((route) => [labels(route), route.status === "Started" ? 1 : 0]),
  );
  page.gauge("sluice_routes", "Routes in service.", [[undefined, routes.length]]);
  page.gauge("sluice_failed_flows", "Flows that are installed but not in service.", [[undefined, failedFlows()]]);
}

async function storeFigures(page: Exposition, store: DurableStore): Promise<void> {
  const open = await store.openExisting().catch(() => undefined);
  const depths = [...(open?.queues.depths() ?? [])].sort((a, b) => b.depth - a.depth);
  const rest = depths.slice(mostNames);
  const named = [
    ...depths.slice(0, mostNames),
    ...(rest.length === 0
      ? []
      : [rest.reduce((sum, { depth, bytes }) => ({ ...sum, depth: sum.depth + depth, bytes: sum.bytes + bytes }), { name: "_other", depth: 0, bytes: 0 })]),
  ].sort((a, b) => (a.name < b.name ? -1 : 1));
  page.gauge(
    "sluice_queue_depth",
    "Messages that wait in a durable queue or are being worked on.",
    named.map(({ name, depth }) => [{ queue: name }, depth]),
  );
  page.gauge(
    "sluice_queue_bytes",
    "What those messages take.",
    named.map(({ name, bytes }) => [{ queue: name }, bytes]),
  );
  page.gauge("sluice_dead_letters", "Messages that could not be processed and are kept.", [[undefined, open?.deadLetters.count ?? 0]]);
  page.gauge("sluice_dead_letter_bytes", "What those messages take.", [[undefined, open?.deadLetters.bytes ?? 0]]);
  page.counter("sluice_store_writes_total", "Changes written to the durable store.", [[undefined, open?.groups.items ?? 0]]);
  page.counter("sluice_store_commits_total", "Transactions they were written in.", [[undefined, open?.groups.groups ?? 0]]);
}

function doorFigures(page: Exposition, parts: MetricsParts, others: readonly WorkerFigures[]): void {
  const sum = (name: "connections" | "webhookCalls"): number => others.reduce((total, figures) => total + figures[name], parts[name]());
  page.gauge("sluice_http_connections", "Open connections.", [[undefined, sum("connections")]]);
  page.gauge("sluice_webhook_calls", "Webhook calls whose reply is still to come.", [[undefined, sum("webhookCalls")]]);
  page.gauge("sluice_stream_clients", "Clients that follow an event stream.", [[undefined, parts.streamClients()]]);
  page.gauge("sluice_test_sessions", "Open test sessions.", [[undefined, parts.openSessions()]]);
  const spans = parts.spans();
  if (spans === undefined) return;
  page.counter("sluice_spans_exported_total", "Spans the collector took.", [[undefined, spans.exported]]);
  page.counter("sluice_spans_dropped_total", "Spans that found no room or that the collector refused.", [[undefined, spans.dropped]]);
  page.gauge("sluice_spans_waiting", "Spans that are still to be sent.", [[undefined, spans.waiting]]);
}

/** The names every Prometheus dashboard for processes knows. */
function processFigures(page: Exposition, startedAt: number): void {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
  page.counter("process_cpu_user_seconds_total", "Processor time spent in the process itself.", [[undefined, user / 1e6]]);
  page.counter("process_cpu_system_seconds_total", "Processor time the system spent for it.", [[undefined, system / 1e6]]);
  page.gauge("process_start_time_seconds", "When it started.", [[undefined, startedAt / 1_000]]);
  page.gauge("process_resident_memory_bytes", "Memory it occupies.", [[undefined, rss]]);
  page.gauge("nodejs_heap_size_total_bytes", "The JavaScript heap.", [[undefined, heapTotal]]);
  page.gauge("nodejs_heap_size_used_bytes", "How much of it is used.", [[undefined, heapUsed]]);
  page.gauge("nodejs_external_memory_bytes", "Memory of buffers and other things outside the heap.", [[undefined, external]]);
  const files = openFiles();
  if (files !== undefined) page.gauge("process_open_fds", "Open files and sockets.", [[undefined, files]]);
}

/** Only systems with a /proc tell. */
function openFiles(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return undefined;
  }
}

/** A tick comes after the resolution when the loop is idle; what it comes later is the lag. */
function lagFigures(page: Exposition, lag: IntervalHistogram): void {
  const seconds = (nanoseconds: number): number => (Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / 1e9 - lagResolutionMs / 1e3) : 0);
  page.gauge("nodejs_eventloop_lag_p50_seconds", "Delay of the event loop since the last scrape, the median.", [[undefined, seconds(lag.percentile(50))]]);
  page.gauge("nodejs_eventloop_lag_p99_seconds", "The same, 99th percentile.", [[undefined, seconds(lag.percentile(99))]]);
  page.gauge("nodejs_eventloop_lag_max_seconds", "The same, the longest.", [[undefined, seconds(lag.max)]]);
  lag.reset();
}
