// What the runtime knows of its flows beside the engine: file, parameters, and why one is not in service.
import type { Deployment, Prepared, RouteStatus, Runtime } from "@sluice/engine";
import { hashOf } from "./disk-flow-store.ts";
import type { FlowTestStore } from "./disk-test-store.ts";
import type { FlowStore, StoredParams } from "./flow-store.ts";
import { createPropertySource } from "./flow-params.ts";
import type { InstalledMappings } from "./missing-mappings.ts";
import type { Environment } from "../host/environment.ts";
import type { SecretValues } from "../masking/secret-values.ts";
import type { Log } from "@sluice/engine";
import type { Turns } from "./turns.ts";

export interface InstalledFlow {
  readonly id: string;
  readonly file: string;
  readonly hash: string;
  readonly lastModified: number;
  readonly params: StoredParams;
  readonly warnings: readonly string[];
  readonly routeCount: number;
  /** Why it, or the newest version of it, is not in service. */
  readonly error: string | undefined;
}

/** A flow that is to prove itself before it comes into service. */
export interface FlowCandidate {
  readonly id: string;
  readonly source: string;
  readonly params: StoredParams;
  /** The text of its tests. */
  readonly tests: string;
}

export interface TrialOutcome {
  /** Tests that passed: all of them. */
  readonly passed: number;
}

/** How flows are tried. */
interface Trial {
  /** Refuses a text that holds no tests of this flow. */
  check(id: string, tests: string): void;
  /** Runs the tests; refuses when one fails. */
  run(candidate: FlowCandidate): Promise<TrialOutcome>;
}

/** What preparing a flow takes. */
export interface PrepareParts {
  readonly runtime: Runtime;
  readonly secrets: SecretValues;
  readonly environment: Environment;
  readonly properties: ReadonlyMap<string, string>;
  /** Remembers what deployments were prepared with, for those who hand them on to other workers. */
  readonly paramsOf?: WeakMap<Deployment, StoredParams> | undefined;
}

/** What installing, removing and loading flows share. */
export interface FlowParts extends PrepareParts {
  readonly store: FlowStore;
  readonly tests: FlowTestStore;
  readonly trial: Trial;
  readonly log: Log;
  readonly installed: Map<string, InstalledFlow>;
  readonly turns: Turns;
  readonly mappings: InstalledMappings;
  /** Told after a flow came into service or left it. */
  announce(change: "deployed" | "removed", flowId: string, hash: string): void;
}

/** One turn at a time decides who gets a route id or a path. */
export const claimsTurn = "claims";

export const flowTurn = (id: string): string => `flow ${id.toLowerCase()}`;

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text of a flow's bytes; undefined when they are no UTF-8. */
export function decodeFlow(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

/** A flow read, checked and compiled, with the secrets its text resolved. */
export function prepareFlow(
  parts: PrepareParts,
  flow: { readonly id: string; readonly source: string; readonly hash: string; readonly params: StoredParams },
): { prepared: Prepared; secrets: ReadonlySet<string> } {
  const { property, secrets } = createPropertySource(flow.params, parts.environment, parts.properties);
  const prepared = parts.runtime.prepare({ id: flow.id, hash: flow.hash, source: flow.source, property });
  if (prepared.deployment !== undefined) parts.paramsOf?.set(prepared.deployment, flow.params);
  return { prepared, secrets };
}

/** The status of a flow, drawn from its routes. */
export function statusOfFlow(runtime: Runtime, id: string, error: string | undefined): RouteStatus {
  const deployment = runtime.deployments.get(id);
  if (deployment === undefined) return error === undefined ? "Stopped" : "Failed";
  const statuses = deployment.routes.map((route) => route.status);
  for (const status of ["Failed", "Starting", "Stopping"] as const) if (statuses.includes(status)) return status;
  if (statuses.includes("Started") || statuses.length === 0) return "Started";
  return statuses.includes("Suspended") ? "Suspended" : "Stopped";
}

export const emptyHash = hashOf(new Uint8Array());
