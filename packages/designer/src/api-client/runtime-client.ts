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

export interface RouteHealth {
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
  runs: (query: RunQuery, target?: string) => {
    const parameters = new URLSearchParams(
      Object.entries(query).flatMap(([name, value]) => (value === undefined || value === "" ? [] : [[name, String(value)]])),
    );
    return callJson<{ runs: readonly Run[]; total: number }>("GET", `/_api/runs?${parameters.toString()}`, { headers: targetHeaders(target) });
  },
  run: (id: string, target?: string) => callJson<Run>("GET", `/_api/runs/${encodeURIComponent(id)}`, { headers: targetHeaders(target) }),
  catalog: (target?: string) => callJson<CatalogView>("GET", "/_api/catalog", { headers: targetHeaders(target) }),
};
