import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Route, Runtime } from "@sluice/engine";
import { f } from "@sluice/model";
import { z } from "zod";
import type { InstalledFlow } from "../flows/installed-flows.ts";
import { servedVersions } from "../http/api-version.ts";
import { maskUris } from "../masking/secret-uris.ts";
import type { SecretValues } from "../masking/secret-values.ts";
import { wholeHealth } from "../workers/whole-health.ts";
import type { ServiceView } from "../workers/service-view.ts";
import { defineEndpoint, oneOf, shape, type Endpoint } from "./endpoint.ts";
import { routeStatus } from "./message-shapes.ts";

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
  /** Policies that cannot be read, whose flows therefore serve no webhook. */
  brokenPolicies(): readonly { readonly flowId: string; readonly problem: string }[];
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

/** Everything after the routes is for those who show the token. */
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
    failedPolicies: z.array(z.looseObject({ flowId: z.string(), error: z.string().nullable() })).optional(),
    failedFlows: z.array(z.looseObject({ id: z.string(), error: z.string().nullable() })).optional(),
    workers: z
      .array(z.looseObject({ pid: z.int(), leads: z.boolean(), startedAt: z.string(), runs: z.int() }))
      .optional()
      .describe("With more than one worker, those that serve."),
    missingWorkers: z.int().optional().describe("Workers that ended and are not replaced yet; the status is DEGRADED meanwhile."),
    lastWorkerEnd: z
      .looseObject({ at: z.string(), pid: z.int(), how: z.string() })
      .nullable()
      .optional()
      .describe("The last worker that ended by itself, and how."),
  }),
  "Health",
);
const probeShape = shape(() => ({ status: statusShape() }), "ProbeReply");

export function healthEndpoints(parts: HealthParts, service: ServiceView | undefined): readonly Endpoint[] {
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
      summary: "Uptime, engine version and the status of every route",
      open: true,
      query: { probe: f.enum(["live", "ready"], { doc: "live: 200 while serving; ready: 503 while starting or draining." }) },
      replies: {
        200: { description: "The report; also when routes failed. A probe is answered with the status alone.", schema: oneOf(healthShape, probeShape) },
        503: { description: "Not ready.", schema: probeShape },
      },
      handle({ query, trusted }) {
        const phase = parts.phase();
        if (query.probe === "live") return { status: 200, json: { status: phase } };
        if (query.probe === "ready") return { status: phase === "UP" ? 200 : 503, json: { status: phase } };
        const json = report(trusted);
        return service === undefined
          ? { status: 200, json }
          : service.figures().then((figures) => ({ status: 200, json: wholeHealth(json, figures, trusted) }));
      },
    }),
  ];
}

/** A failed run never changes it; a flow or route that is not in service does. */
function statusOf({ phase, runtime, installed, brokenPolicies }: HealthParts): string {
  const now = phase();
  if (now !== "UP") return now;
  for (const route of runtime.routes.values()) if (route.status === "Failed") return "DEGRADED";
  for (const flow of installed.values()) if (flow.error !== undefined) return "DEGRADED";
  return brokenPolicies().length > 0 ? "DEGRADED" : "UP";
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
    ...(trusted ? { lastError: shown(route.problem ?? stats.lastError, secrets) } : {}),
  };
}

const shown = (text: string | undefined, secrets: SecretValues): string | null => (text === undefined ? null : secrets.scrub(maskUris(text)));

function details(parts: HealthParts, lag: ReturnType<typeof monitorEventLoopDelay>): Readonly<Record<string, unknown>> {
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
  const ms = (nanoseconds: number): number => Math.round(nanoseconds / 1e4) / 100;
  return {
    memory: { rss, heapUsed, heapTotal, external },
    eventLoopLagMs: { mean: ms(lag.mean), p99: ms(lag.percentile(99)), max: ms(lag.max) },
    openSessions: parts.openSessions(),
    streamClients: parts.streamClients(),
    failedPolicies: parts.brokenPolicies().map(({ flowId, problem }) => ({ flowId, error: shown(problem, parts.secrets) })),
    failedFlows: [...parts.installed.values()].filter((flow) => flow.error !== undefined).map(({ id, error }) => ({ id, error: shown(error, parts.secrets) })),
  };
}
