// The runtime's management API, through the designer's server, which adds the token.
import type { CatalogView } from "@sluice/model";
import type { Problem } from "../document/problem.ts";
import { callJson } from "./call.ts";

export interface RuntimeFlow {
  readonly id: string;
  readonly hash: string;
  readonly lastModified: string;
  readonly status: string;
  readonly error: string | null;
}

interface RouteHealth {
  readonly id: string;
  readonly flowId: string;
  readonly status: string;
  readonly inflight: number;
  readonly total: number;
  readonly failed: number;
  readonly lastRunAt: string | null;
}

export interface Health {
  readonly status: string;
  readonly startedAt: string;
  /** Seconds. */
  readonly uptime: number;
  readonly engineVersion: string;
  readonly routes: readonly RouteHealth[];
}

export interface RunError {
  readonly type: string;
  readonly message: string;
  readonly stepId?: string | null;
}

export interface RunStep {
  readonly stepId: string;
  readonly kind: string;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly status: string;
  readonly attempts?: number;
}

export interface Run {
  readonly id: string;
  readonly routeId: string;
  readonly flowId: string;
  readonly flowHash: string;
  readonly status: "running" | "completed" | "failed" | "retrying" | "discarded" | "cancelled";
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly durationMs: number | null;
  readonly trigger: { readonly uri: string; readonly method?: string; readonly path?: string };
  readonly steps: readonly RunStep[];
  readonly error: RunError | null;
  readonly parentRunId: string | null;
  readonly sessionId: string | null;
  readonly request?: { readonly contentType?: string; readonly size?: number; readonly preview?: string } | null;
  readonly reply?: { readonly status?: number; readonly size?: number } | null;
}

/** A message as it was before a step, kept while the route is captured. */
export interface CapturedMessage {
  readonly stepId: string;
  readonly body: unknown;
  readonly bodyType: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** A run with what is needed to look into it and to run it again. */
export interface RunDetail extends Run {
  readonly replayable: boolean;
  readonly replayOf: string | null;
  readonly messages?: readonly CapturedMessage[];
  readonly messagesTruncated?: boolean;
}

export interface ReplayBody {
  readonly fromStep?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, unknown>>;
}

export interface ReplayReply {
  readonly runId: string;
  readonly status: string;
  readonly body: unknown;
  readonly flowChanged: boolean;
  readonly error: RunError | null;
  readonly diff?: {
    readonly same: boolean | null;
    readonly body: { readonly changed: boolean; readonly before: unknown; readonly after: unknown } | null;
  };
}

export interface DeadLetter {
  readonly id: string;
  readonly at: string;
  readonly routeId: string;
  readonly flowId: string;
  readonly runId: string | null;
  readonly attempts: number;
  readonly replayedAt: string | null;
  readonly size: number;
  readonly error: RunError;
}

export interface DeadLetterDetail extends DeadLetter {
  readonly message: Omit<CapturedMessage, "stepId">;
}

export interface LetterQuery {
  readonly routeId?: string;
  readonly text?: string;
  readonly limit?: number;
}

export interface ReplayJob {
  readonly status: "running" | "completed";
  readonly total: number;
  readonly replayed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface RunQuery {
  readonly routeId?: string;
  readonly flowId?: string;
  readonly status?: string;
  readonly limit?: number;
}

/** The header by which the server is told which target is meant. */
const targetHeader = "x-sluice-target";

export const targetHeaders = (target: string | undefined): Readonly<Record<string, string>> => (target === undefined ? {} : { [targetHeader]: target });

export const runtimeClient = {
  health: (target?: string) => callJson<Health>("GET", "/_api/health", { headers: targetHeaders(target) }),
  flows: (target?: string) => callJson<{ flows: readonly RuntimeFlow[] }>("GET", "/_api/flows", { headers: targetHeaders(target) }).then(({ flows }) => flows),
  flow: (id: string, target?: string) =>
    callJson<RuntimeFlow & { yaml: string }>("GET", `/_api/flows/${encodeURIComponent(id)}`, { headers: targetHeaders(target) }),
  removeFlow: (id: string, target?: string) => callJson<unknown>("DELETE", `/_api/flows/${encodeURIComponent(id)}`, { headers: targetHeaders(target) }),
  validate: (id: string, yaml: string, target?: string, signal?: AbortSignal) =>
    callJson<{ valid: boolean; problems: readonly Problem[] }>("POST", `/_api/flows/validate?id=${encodeURIComponent(id)}`, {
      body: { yaml },
      headers: targetHeaders(target),
      ...(signal === undefined ? {} : { signal }),
    }),
  runs: (query: RunQuery, target?: string) =>
    callJson<{ runs: readonly Run[]; total: number }>("GET", `/_api/runs?${parametersOf(query)}`, { headers: targetHeaders(target) }),
  run: (id: string, target?: string) => callJson<RunDetail>("GET", `/_api/runs/${encodeURIComponent(id)}`, { headers: targetHeaders(target) }),
  replay: (id: string, body: ReplayBody, target?: string) =>
    callJson<ReplayReply>("POST", `/_api/runs/${encodeURIComponent(id)}/replay`, { body, headers: targetHeaders(target) }),
  capture: (routeId: string, forMs: number, target?: string) =>
    callJson<{ until: string }>("POST", `/_api/routes/${encodeURIComponent(routeId)}/capture`, { body: { forMs }, headers: targetHeaders(target) }),
  deadLetters: (query: LetterQuery, target?: string) =>
    callJson<{ deadLetters: readonly DeadLetter[]; total: number }>("GET", `/_api/dead-letters?${parametersOf(query)}`, { headers: targetHeaders(target) }),
  deadLetter: (id: string, target?: string) =>
    callJson<DeadLetterDetail>("GET", `/_api/dead-letters/${encodeURIComponent(id)}`, { headers: targetHeaders(target) }),
  replayLetter: (id: string, target?: string) =>
    callJson<{ replayed: boolean; status: string; runId: string; error: RunError | null }>("POST", `/_api/dead-letters/${encodeURIComponent(id)}/replay`, {
      body: {},
      headers: targetHeaders(target),
    }),
  replayLetters: (query: LetterQuery, target?: string) =>
    callJson<ReplayJob>("POST", "/_api/dead-letters/replay", { body: query, headers: targetHeaders(target) }),
  removeLetter: (id: string, target?: string) =>
    callJson<unknown>("DELETE", `/_api/dead-letters/${encodeURIComponent(id)}`, { headers: targetHeaders(target) }),
  catalog: (target?: string) => callJson<CatalogView>("GET", "/_api/catalog", { headers: targetHeaders(target) }),
};

function parametersOf(query: object): string {
  return new URLSearchParams(
    Object.entries(query as Readonly<Record<string, unknown>>).flatMap(([name, value]) => (value === undefined || value === "" ? [] : [[name, String(value)]])),
  ).toString();
}
