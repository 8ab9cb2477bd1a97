// Data about flows in addition to the engine's: file, parameters, and why a flow is not running.
import type { Deployment, KameletFiles, Prepared, RouteStatus, Runtime } from "@sluice/engine";
import type { FlowTestStore } from "./disk-test-store.ts";
import type { FlowStore, StoredParams } from "./flow-store.ts";
import { createPropertySource } from "./flow-params.ts";
import type { InstalledMappings } from "./missing-mappings.ts";
import type { RouteStates } from "./route-states.ts";
import type { Environment } from "../host/environment.ts";
import { maskUris } from "../masking/secret-uris.ts";
import type { SecretValues } from "../masking/secret-values.ts";
import type { Log } from "@sluice/engine";
import type { Diagnostic } from "@sluice/model";
import type { KeyedMutex } from "@sluice/engine/tools";

export interface InstalledFlow {
  readonly id: string;
  readonly file: string;
  readonly hash: string;
  readonly lastModified: number;
  readonly params: StoredParams;
  readonly warnings: readonly string[];
  readonly routeCount: number;
  /** Why the flow or its newest version is not running. */
  readonly error: string | undefined;
}

/** A flow to be tested before it is deployed. */
export interface FlowCandidate {
  readonly id: string;
  readonly source: string;
  readonly params: StoredParams;
  /** The flow's tests. */
  readonly tests: string;
}

export interface TrialOutcome {
  /** Number of passed tests. */
  readonly passed: number;
}

/** Runs the tests of candidates. */
interface Trial {
  /** Throws a ServiceError when the tests cannot be parsed or are for another flow. */
  check(id: string, tests: string): void;
  /** Runs the tests; rejects when one fails. */
  run(candidate: FlowCandidate): Promise<TrialOutcome>;
}

/** Dependencies for preparing a flow. */
export interface PrepareParts {
  readonly runtime: Runtime;
  readonly secrets: SecretValues;
  readonly environment: Environment;
  readonly properties: ReadonlyMap<string, string>;
  /** The parameters of each deployment, needed to replicate it to other workers. */
  readonly paramsOf?: WeakMap<Deployment, StoredParams> | undefined;
  /** Errors in addition to those of the engine, such as parts that do not work in a cluster. */
  readonly problemsOf?: ((deployment: Deployment) => readonly Diagnostic[]) | undefined;
}

/** Dependencies for installing, removing and loading flows. */
export interface FlowParts extends PrepareParts {
  readonly store: FlowStore;
  readonly tests: FlowTestStore;
  readonly trial: Trial;
  readonly log: Log;
  readonly installed: Map<string, InstalledFlow>;
  readonly routeStates: RouteStates;
  readonly mutex: KeyedMutex;
  readonly mappings: InstalledMappings;
  /** Called after a flow was deployed or removed. */
  announce(change: "deployed" | "removed", flowId: string, hash: string): void;
}

/** Mutex key for claiming route ids and paths. */
export const claimsKey = "claims";

export const flowKey = (id: string): string => `flow ${id.toLowerCase()}`;

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Decodes a flow's bytes; undefined when they are not UTF-8. */
export function decodeFlow(bytes: Uint8Array): string | undefined {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Parses, checks and compiles a flow; also returns the secrets that it resolved. */
export async function prepareFlow(
  parts: PrepareParts,
  flow: {
    readonly id: string;
    readonly source: string;
    readonly hash: string;
    readonly params: StoredParams;
    /** Used instead of the installed Kamelets. */
    readonly kamelets?: KameletFiles | undefined;
  },
): Promise<{ readonly prepared: Prepared; readonly secrets: ReadonlySet<string> }> {
  const { property, propertiesUnder, secrets } = createPropertySource(flow.params, parts.environment, parts.properties);
  const { id, hash, source, kamelets } = flow;
  const compiled = await parts.runtime.prepareLoaded({ id, hash, source, property, propertiesUnder, kamelets });
  const problems = (compiled.deployment && parts.problemsOf?.(compiled.deployment)) ?? [];
  const prepared = problems.length === 0 ? compiled : { ...compiled, deployment: undefined, diagnostics: [...compiled.diagnostics, ...problems] };
  if (prepared.deployment !== undefined) parts.paramsOf?.set(prepared.deployment, flow.params);
  return { prepared, secrets: prepared.secrets.size === 0 ? secrets : new Set([...secrets, ...prepared.secrets]) };
}

/** Masks the secrets in the text of a problem. */
export const maskProblem = ({ secrets }: Pick<FlowParts, "secrets">, problem: string): string => secrets.scrub(maskUris(problem));

/** A warning for each route that was not started because an operator stopped or suspended it. */
export function inactiveRouteWarnings({ runtime, routeStates }: Pick<FlowParts, "runtime" | "routeStates">, id: string): readonly string[] {
  return (runtime.deployments.get(id)?.routes ?? []).flatMap(({ identity }) => {
    const status = routeStates.of(identity);
    if (status === undefined) return [];
    return [`route '${identity.id}' stays ${status.toLowerCase()}: POST /_api/routes/${identity.id}/${status === "Suspended" ? "resume" : "start"} starts it`];
  });
}

/** Why a deployed flow is not running, derived from its routes. */
export function problemOfFlow(runtime: Runtime, id: string): string | undefined {
  for (const { identity, problem, status, startedAt } of runtime.deployments.get(id)?.routes ?? [])
    if (status === "Failed" && problem !== undefined) return `route '${identity.id}' ${startedAt === 0 ? "failed to start" : "is not connected"}: ${problem}`;
  return undefined;
}

/** The status of a flow, derived from its routes. */
export function statusOfFlow(runtime: Runtime, id: string, error: string | undefined): RouteStatus {
  const deployment = runtime.deployments.get(id);
  if (deployment === undefined) return error === undefined ? "Stopped" : "Failed";
  const statuses = deployment.routes.map((route) => route.status);
  for (const status of ["Failed", "Starting", "Stopping"] as const) if (statuses.includes(status)) return status;
  if (statuses.includes("Started") || statuses.length === 0) return "Started";
  return statuses.includes("Suspended") ? "Suspended" : "Stopped";
}
