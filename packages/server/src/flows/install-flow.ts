// Installs or replaces a flow. Everything that can be refused is refused before the running version is touched; the file
// changes last, by one rename, so a crash at any moment leaves the old flow whole or the new one whole.
import { DeployError, type Deployment } from "@sluice/engine";
import { Refusal } from "../refusal.ts";
import { hashOf } from "./disk-flow-store.ts";
import { readParams } from "./flow-params.ts";
import { refuseProblems, warningsOf } from "./flow-problems.ts";
import { missingMappings } from "./missing-mappings.ts";
import { StorageError, type StagedFlow, type StoredFlow } from "./flow-store.ts";
import { claimsTurn, decodeFlow, flowTurn, prepareFlow, type FlowParts, type InstalledFlow } from "./installed-flows.ts";

/** The hashes a caller is willing to replace; `*` takes any, but there must be one. */
export type IfMatch = readonly string[];

export interface InstallRequest {
  readonly id: string;
  readonly bytes: Uint8Array;
  /** As given; undefined keeps what is stored. */
  readonly params: unknown;
  /** Undefined when the caller does not mind what is there. */
  readonly ifMatch: IfMatch | undefined;
  readonly dryRun: boolean;
  /** The text of the flow's tests; undefined keeps what is stored, null removes it. */
  readonly tests: string | null | undefined;
  /** Only a flow whose tests pass comes into service. */
  readonly testsRequired: boolean;
}

export interface InstallOutcome {
  readonly flow: InstalledFlow;
  readonly created: boolean;
  /** False when what is there is the same already. */
  readonly changed: boolean;
  readonly routeIds: { readonly before: readonly string[]; readonly after: readonly string[] };
  /** Tests that passed; undefined when they were not asked for. */
  readonly testsPassed: number | undefined;
  /** Tables and documents it sends to that are not there at the moment. */
  readonly missing: readonly string[];
}

export function installFlow(parts: FlowParts, request: InstallRequest): Promise<InstallOutcome> {
  return parts.turns.take(flowTurn(request.id), () => install(parts, request));
}

async function install(parts: FlowParts, request: InstallRequest): Promise<InstallOutcome> {
  const { id, bytes } = request;
  refuseOtherSpelling(parts, id);
  const current = await parts.store.read(id);
  refuseChanged(id, request.ifMatch, current);
  const params = request.params === undefined ? (current?.params ?? {}) : readParams(request.params, current?.params ?? {});
  const hash = hashOf(bytes);
  const source = decodeFlow(bytes);
  if (source === undefined) throw new Refusal("yaml-invalid", "invalid YAML at line 1, column 1: the text is not UTF-8");
  if (typeof request.tests === "string") parts.trial.check(id, request.tests);
  const testsPassed = request.testsRequired ? await tried(parts, request, { source, hash, params }) : undefined;
  const before = routeIdsOf(parts.runtime.deployments.get(id));
  const known = parts.installed.get(id);
  if (current?.hash === hash && known?.hash === hash && known.error === undefined && sameParams(current.params, params) && parts.runtime.deployments.has(id)) {
    if (!request.dryRun) await keepTests(parts, request);
    return { flow: known, created: false, changed: false, routeIds: { before, after: before }, testsPassed, missing: [] };
  }
  return parts.turns.take(claimsTurn, async () => {
    const { prepared, secrets } = prepareFlow(parts, { id, source, hash, params });
    refuseProblems(prepared);
    const deployment = prepared.deployment as Deployment;
    const missing = missingMappings(prepared.flow, parts.mappings).map(({ line, message }) => `line ${line}: ${message}`);
    const flow = { id, hash, params, warnings: warningsOf(prepared), routeCount: prepared.flow.routes.length, error: undefined };
    const outcome = { created: current === undefined, changed: true, routeIds: { before, after: routeIdsOf(deployment) }, testsPassed, missing };
    if (request.dryRun) return { ...outcome, flow: { ...flow, file: current?.file ?? `${id}.yaml`, lastModified: current?.lastModified ?? 0 } };
    const staged = await parts.store.stage({ id, bytes, hash, params }).catch(asRefusal);
    parts.secrets.set(id, [...secrets]);
    await deployOrDiscard(parts, deployment, staged, before.length > 0);
    const kept = await staged.commit().catch((error: unknown) => putBack(parts, id, current).then(() => asRefusal(error)));
    const installed: InstalledFlow = { ...flow, ...kept };
    parts.installed.set(id, installed);
    await keepTests(parts, request);
    parts.announce("deployed", id, hash);
    return { ...outcome, flow: installed };
  });
}

/** Runs the flow's tests. What is wrong with the flow itself is told first, as it would be without tests. */
async function tried(
  parts: FlowParts,
  { id, tests: given }: InstallRequest,
  flow: { readonly source: string; readonly hash: string; readonly params: StoredFlow["params"] },
): Promise<number> {
  const tests = given === undefined ? await parts.tests.read(id) : (given ?? undefined);
  if (tests === undefined) throw new Refusal("flow-invalid", `flow '${id}' has no tests: send them as 'tests' beside 'yaml'`);
  refuseProblems(prepareFlow(parts, { id, ...flow }).prepared);
  return (await parts.trial.run({ id, source: flow.source, params: flow.params, tests })).passed;
}

/** Kept after the flow: a crash in between leaves the flow with the tests it had. */
async function keepTests({ tests }: FlowParts, { id, tests: given }: InstallRequest): Promise<void> {
  if (given === null) await tests.remove(id).catch(asRefusal);
  else if (given !== undefined) await tests.write(id, given).catch(asRefusal);
}

async function deployOrDiscard(parts: FlowParts, deployment: Deployment, staged: StagedFlow, hasPrevious: boolean): Promise<void> {
  try {
    const { drained } = await parts.runtime.deploy(deployment);
    void drained.then((report) => {
      for (const { routeId, stepId, runId } of report.abandoned) {
        parts.log.write(
          "WARN",
          "sluice.flows",
          `run ${runId} of the replaced route '${routeId}' was cancelled at step '${stepId ?? "none"}': it did not finish in time`,
        );
      }
    });
  } catch (error) {
    await staged.discard();
    if (error instanceof DeployError)
      throw new Refusal("flow-start-failed", hasPrevious ? `${error.message}; the previous version is still running` : error.message);
    throw error;
  }
}

/** The disk refused at the very end: the version that is on disk goes back into service. */
async function putBack(parts: FlowParts, id: string, current: StoredFlow | undefined): Promise<void> {
  const source = current === undefined ? undefined : decodeFlow(current.bytes);
  const deployment = current === undefined || source === undefined ? undefined : prepareFlow(parts, { ...current, source }).prepared.deployment;
  if (deployment === undefined) await parts.runtime.undeploy(id);
  else await parts.runtime.deploy(deployment);
}

function asRefusal(error: unknown): never {
  if (error instanceof StorageError) throw new Refusal(error.kind === "full" ? "storage-full" : "storage-refused", error.message);
  throw error;
}

/** File systems differ on whether case counts; two flows must never share a file on any of them. */
function refuseOtherSpelling(parts: FlowParts, id: string): void {
  if (parts.installed.has(id)) return;
  for (const other of parts.installed.keys()) {
    if (other.toLowerCase() === id.toLowerCase()) throw new Refusal("conflict", `flow id '${id}' differs from flow '${other}' only in case`);
  }
}

/** Refuses a change that was made for another version than the one that is there. */
export function refuseChanged(id: string, ifMatch: IfMatch | undefined, current: StoredFlow | undefined): void {
  if (ifMatch === undefined || (current !== undefined && (ifMatch.includes("*") || ifMatch.includes(current.hash)))) return;
  throw new Refusal("changed", `flow '${id}' changed since hash ${ifMatch.join(", ")}`);
}

const routeIdsOf = (deployment: Deployment | undefined): readonly string[] => deployment?.routes.map((route) => route.identity.id) ?? [];

function sameParams(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => JSON.stringify(a[name]) === JSON.stringify(b[name]));
}
