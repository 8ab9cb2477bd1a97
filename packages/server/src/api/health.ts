import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Route, Runtime } from "@sluice/engine";
import { f } from "@sluice/model";
import { z } from "zod";
import { problemOfFlow, type InstalledFlow } from "../flows/installed-flows.ts";
import type { HttpByteMetrics } from "../http/http-bytes.ts";
import { servedVersions } from "../http/api-version.ts";
import { maskUris } from "../masking/secret-uris.ts";
import type { SecretValues } from "../masking/secret-values.ts";
import { addRoutes, serviceHealth } from "../other-workers/service-health.ts";
import type { NodeQueries } from "../other-nodes/node-queries.ts";
import type { ServiceView } from "../other-workers/service-view.ts";
import type { ConnectionMetrics } from "../connections/shared-connection.ts";
import { connectionStates, connectionStateShape } from "./connections.ts";
import type { ClusterView } from "../other-nodes/cluster-view.ts";
import { defineEndpoint, oneOf, shape, type Endpoint, type Json } from "./endpoint.ts";
import { incompleteShape, routeStatus } from "./message-shapes.ts";
import { scopeField } from "./metrics.ts";
import { clusterJson, clusterShape } from "./nodes.ts";

export type Phase = "STARTING" | "UP" | "DRAINING";

export interface HealthParts {
  readonly runtime: Runtime;
  readonly installed: ReadonlyMap<string, InstalledFlow>;
  readonly engineVersion: string;
  readonly startedAt: number;
  readonly now: () => number;
  readonly secrets: SecretValues;
  phase(): Phase;
  openSessions(): number;
  streamClients(): number;
  /** Memory used by requests and unsent replies. */
  httpBytes(): HttpByteMetrics;
  /** Policies that cannot be read; the webhooks of their flows are blocked. */
  brokenPolicies(): readonly { readonly flowId: string; readonly problem: string }[];
  connections(): readonly ConnectionMetrics[];
  /** Why the durable store cannot be opened or written. */
  storeProblem(): { readonly error: string; readonly since: number } | undefined;
  /** Undefined without a cluster. */
  readonly cluster: ClusterView | undefined;
}

const statusShape = (): z.ZodType => z.enum(["STARTING", "UP", "DEGRADED", "DOWN", "DRAINING"]);
const routeShape = shape(
  () => ({
    id: z.string(),
    flowId: z.string(),
    status: routeStatus(),
    uptime: z.number().describe("Seconds."),
    inflight: z.int(),
    total: z.int(),
    failed: z.int(),
    lastRunAt: z.string().nullable(),
    lastError: z.string().nullable().optional().describe("Only with the token."),
  }),
  "RouteHealth",
);

/** Members after `routes` require the token. */
const healthShape = shape(
  () => ({
    status: statusShape(),
    uptime: z.number().describe("Seconds."),
    startedAt: z.string(),
    engineVersion: z.string(),
    apiVersion: z.int(),
    routes: z.array(routeShape()),
    memory: z.looseObject({ rss: z.int(), heapUsed: z.int(), heapTotal: z.int(), external: z.int() }).optional(),
    eventLoopLagMs: z.looseObject({ mean: z.number().nullable(), p99: z.number(), max: z.number() }).optional(),
    openSessions: z.int().optional(),
    streamClients: z.int().optional(),
    http: z
      .looseObject({ bodyBytesHeld: z.int(), bodyBytesLimit: z.int(), bodiesRefused: z.int(), replyBytesUnsent: z.int(), slowReadersCut: z.int() })
      .optional()
      .describe("Bytes of request bodies in use and of responses not yet sent."),
    failedPolicies: z.array(z.looseObject({ flowId: z.string(), error: z.string().nullable() })).optional(),
    connections: z.array(connectionStateShape()).optional().describe("Connections to other systems, including those defined in flows."),
    failedFlows: z.array(z.looseObject({ id: z.string(), error: z.string().nullable() })).optional(),
    store: z
      .looseObject({ error: z.string(), since: z.string() })
      .nullable()
      .optional()
      .describe("Why the durable store cannot be opened or written, and since when; the status is then DEGRADED. Null otherwise."),
    cluster: clusterShape().optional().describe("Only in a cluster. The status is DEGRADED while a node is behind or this node cannot reach the store."),
    workers: z
      .array(z.looseObject({ pid: z.int(), leads: z.boolean(), startedAt: z.string(), runs: z.int() }))
      .optional()
      .describe("The running workers, if there is more than one."),
    incomplete: incompleteShape(),
    missingWorkers: z.int().optional().describe("Workers that exited and have not been replaced yet; the status is then DEGRADED."),
    lastWorkerEnd: z.looseObject({ at: z.string(), pid: z.int(), how: z.string() }).nullable().optional().describe("The last unexpected exit of a worker."),
  }),
  "Health",
);
const probeShape = shape(() => ({ status: statusShape() }), "ProbeReply");

export function healthEndpoints(parts: HealthParts, service: ServiceView | undefined, nodes: NodeQueries | undefined): readonly Endpoint[] {
  const lag = monitorEventLoopDelay({ resolution: 20 });
  lag.enable();

  const report = (trusted: boolean): Readonly<Record<string, unknown>> => ({
    status: statusOf(parts),
    uptime: Math.round((parts.now() - parts.startedAt) / 100) / 10,
    startedAt: new Date(parts.startedAt).toISOString(),
    engineVersion: parts.engineVersion,
    apiVersion: servedVersions.at(-1)?.number,
    routes: [...parts.runtime.routes.values()].map((route) => routeJson(route, parts, trusted)).sort((a, b) => (a.id < b.id ? -1 : 1)),
    ...(trusted ? details(parts, lag) : {}),
  });

  return [
    defineEndpoint({
      method: "GET",
      path: "/health",
      tag: "health",
      summary: "Returns the state of the runtime and of every route",
      description:
        "Without a token, only the status of the runtime and its routes; with the token, also memory, connections, failed flows and the cluster. The status is 200 even if routes failed, so that a broken flow does not get the process restarted.",
      open: true,
      query: { probe: f.enum(["live", "ready"], { doc: "live: 200 while serving; ready: 503 while starting or draining." }), scope: scopeField },
      errors: [],
      replies: {
        200: { description: "The report, even if routes failed. For a probe only the status.", schema: oneOf(healthShape, probeShape) },
        503: { description: "Not ready.", schema: probeShape },
      },
      handle({ query, trusted }) {
        const phase = parts.phase();
        if (query.probe === "live") return { status: 200, json: { status: phase } };
        if (query.probe === "ready") return { status: phase === "UP" ? 200 : 503, json: { status: phase } };
        const json = report(trusted);
        // Without the token, a caller must not cause requests to all nodes.
        if (query.scope === "cluster" && trusted && nodes !== undefined)
          return nodes.metrics().then(({ present, incomplete }) => ({
            status: 200,
            json: { ...json, routes: addRoutes(json["routes"] as readonly Json[], present), incomplete },
          }));
        return service === undefined
          ? { status: 200, json }
          : service.metrics().then((metrics) => ({ status: 200, json: serviceHealth(json, metrics, trusted) }));
      },
    }),
  ];
}

/**
 * DEGRADED if a flow or route failed, a policy cannot be read, the store fails, the cluster is disconnected or a node is behind. Failed runs
 * do not change the status.
 */
function statusOf({ phase, runtime, installed, brokenPolicies, storeProblem, cluster }: HealthParts): string {
  const currentPhase = phase();
  if (currentPhase !== "UP") return currentPhase;
  for (const route of runtime.routes.values()) if (route.status === "Failed") return "DEGRADED";
  for (const flow of installed.values()) if (flow.error !== undefined) return "DEGRADED";
  const report = cluster?.report();
  if (report !== undefined && (report.connectivity === "disconnected" || report.nodes.some(({ behind }) => behind.length > 0))) return "DEGRADED";
  return brokenPolicies().length > 0 || storeProblem() !== undefined ? "DEGRADED" : "UP";
}

function routeJson(route: Route, { now, secrets }: HealthParts, trusted: boolean) {
  const { identity, status, startedAt, stats } = route;
  return {
    id: identity.id,
    flowId: identity.flowId,
    status,
    uptime: status === "Started" && startedAt > 0 ? Math.round((now() - startedAt) / 100) / 10 : 0,
    inflight: stats.inflight,
    total: stats.total,
    failed: stats.failed,
    lastRunAt: stats.lastRunAt === 0 ? null : new Date(stats.lastRunAt).toISOString(),
    ...(trusted ? { lastError: maskText(route.problem ?? stats.lastError, secrets) } : {}),
  };
}

const maskText = (text: string | undefined, secrets: SecretValues): string | null => (text === undefined ? null : secrets.scrub(maskUris(text)));

function storeJson({ storeProblem, secrets }: HealthParts): Readonly<Record<string, unknown>> | null {
  const problem = storeProblem();
  return problem === undefined ? null : { error: maskText(problem.error, secrets), since: new Date(problem.since).toISOString() };
}

function details(parts: HealthParts, lag: ReturnType<typeof monitorEventLoopDelay>): Readonly<Record<string, unknown>> {
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
  const ms = (nanoseconds: number): number => Math.round(nanoseconds / 1e4) / 100;
  return {
    memory: { rss, heapUsed, heapTotal, external },
    eventLoopLagMs: { mean: ms(lag.mean), p99: ms(lag.percentile(99)), max: ms(lag.max) },
    openSessions: parts.openSessions(),
    streamClients: parts.streamClients(),
    http: parts.httpBytes(),
    failedPolicies: parts.brokenPolicies().map(({ flowId, problem }) => ({ flowId, error: maskText(problem, parts.secrets) })),
    connections: connectionStates({ metrics: parts.connections, secrets: parts.secrets }),
    store: storeJson(parts),
    ...(parts.cluster === undefined ? {} : { cluster: clusterJson(parts.cluster.report()) }),
    failedFlows: [...parts.installed.values()]
      .map(({ id, error }) => ({ id, problem: error ?? problemOfFlow(parts.runtime, id) }))
      .filter(({ problem }) => problem !== undefined)
      .map(({ id, problem }) => ({ id, error: maskText(problem, parts.secrets) })),
  };
}
