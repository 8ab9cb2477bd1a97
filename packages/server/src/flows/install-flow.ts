// Installs or replaces a flow. All checks run before the running version is touched. The file changes last, with one rename, so that after a
// crash either the old or the new flow is complete.
import { DeployError, type Deployment, type KameletFiles } from "@sluice/engine";
import { ServiceError } from "../service-error.ts";
import { checkPrecondition, type Precondition } from "../precondition.ts";
import { logAbandoned } from "./log-abandoned.ts";
import { hashOf } from "./flow-hash.ts";
import { compareVersions, type FlowComparison } from "./flow-comparison.ts";
import { fileNameOf } from "./flow-file-name.ts";
import { readParams } from "./flow-params.ts";
import { assertDeployable, warningsOf } from "./flow-problems.ts";
import { throwStorageError, throwIfUnflushed } from "./storage-errors.ts";
import { deployMasked, undeployMasked } from "./masked-deployment.ts";
import { missingConsumers } from "./missing-consumers.ts";
import { missingMappings } from "./missing-mappings.ts";
import type { StagedFlow, StoredFlow, VersionMetadata } from "./flow-store.ts";
import { claimsKey, decodeFlow, flowKey, prepareFlow, inactiveRouteWarnings, maskProblem, type FlowParts, type InstalledFlow } from "./installed-flows.ts";

export interface InstallRequest {
  readonly id: string;
  readonly bytes: Uint8Array;
  /** As sent; undefined keeps the stored parameters. */
  readonly params: unknown;
  readonly precondition: Precondition;
  readonly dryRun: boolean;
  /** The flow's tests; undefined keeps the stored tests, null removes them. */
  readonly tests: string | null | undefined;
  /** Deploy only if the tests pass. */
  readonly testsRequired: boolean;
  readonly metadata: VersionMetadata;
  /** For a dry run: the Kamelets to check the flow with, if not the installed ones. */
  readonly kamelets?: KameletFiles | undefined;
}

export interface InstallOutcome {
  readonly flow: InstalledFlow;
  readonly created: boolean;
  /** False when the flow is unchanged. */
  readonly changed: boolean;
  /** The new entry in the history; undefined when nothing was stored. */
  readonly revision: number | undefined;
  readonly routeIds: { readonly before: readonly string[]; readonly after: readonly string[] };
  /** Number of passed tests; undefined when they were not run. */
  readonly testsPassed: number | undefined;
  /** Only for a dry run, if both versions of the flow can be parsed. */
  readonly difference?: FlowComparison | undefined;
  /** Warnings about the state of the runtime: missing tables, documents and called routes, and routes that cannot connect yet or that an operator stopped. */
  readonly stateWarnings: readonly string[];
}

export function installFlow(parts: FlowParts, request: InstallRequest): Promise<InstallOutcome> {
  return parts.mutex.run(flowKey(request.id), () => install(parts, request));
}

async function install(parts: FlowParts, request: InstallRequest): Promise<InstallOutcome> {
  const { id, bytes } = request;
  rejectCaseConflict(parts, id);
  const current = await parts.store.read(id);
  checkPrecondition(`flow '${id}'`, request.precondition, current);
  const params = request.params === undefined ? (current?.params ?? {}) : readParams(request.params, current?.params ?? {});
  const hash = hashOf(bytes);
  const source = decodeFlow(bytes);
  if (source === undefined) throw new ServiceError("yaml-invalid", "invalid YAML at line 1, column 1: the text is not UTF-8");
  if (typeof request.tests === "string") parts.trial.check(id, request.tests);
  // Tests that cannot be read prevent only a deployment that requires them.
  const storedTests = (await parts.tests.read(id).catch((error: unknown) => (request.testsRequired ? Promise.reject(error) : undefined))) ?? null;
  const tests = request.tests === undefined ? storedTests : request.tests;
  const testsPassed = request.testsRequired ? await runTests(parts, request, tests, { source, hash, params }) : undefined;
  const previousRouteIds = routeIdsOf(parts.runtime.deployments.get(id));
  const known = parts.installed.get(id);
  const isSame =
    current?.hash === hash && known?.hash === hash && known.error === undefined && sameParams(current.params, params) && parts.runtime.deployments.has(id);
  const deployed = parts.runtime.deployments.get(id);
  const differenceTo = (deployment: Deployment | undefined): FlowComparison | undefined => {
    const previousSource = current === undefined ? "[]" : decodeFlow(current.bytes);
    if (!request.dryRun || previousSource === undefined) return undefined;
    const versions = { before: { source: previousSource, deployment: deployed }, after: { source, deployment }, tests };
    return compareVersions(id, versions, (text) => maskProblem(parts, text));
  };
  if (isSame && request.kamelets === undefined) {
    const revision = request.dryRun || tests === storedTests ? undefined : await recordTests(parts, request, { hash, params, tests });
    const routeIds = { before: previousRouteIds, after: previousRouteIds };
    return { flow: known, created: false, changed: false, revision, routeIds, testsPassed, stateWarnings: [], difference: differenceTo(deployed) };
  }
  return parts.mutex.run(claimsKey, async () => {
    const { prepared, secrets } = await prepareFlow(parts, { id, source, hash, params, kamelets: request.kamelets });
    assertDeployable(prepared);
    const deployment = prepared.deployment as Deployment;
    const missing = [...missingMappings(prepared.flow, parts.mappings), ...missingConsumers(id, prepared, parts.runtime)];
    const missingWarnings = missing.map(({ line, message }) => `line ${line}: ${message}`);
    const flow = { id, hash, params, warnings: warningsOf(prepared), routeCount: prepared.flow.routes.length, error: undefined };
    const outcome = {
      created: current === undefined,
      changed: !isSame,
      revision: undefined,
      routeIds: { before: previousRouteIds, after: routeIdsOf(deployment) },
      testsPassed,
      stateWarnings: missingWarnings,
    };
    if (request.dryRun) {
      const location = { file: current?.file ?? fileNameOf(id), lastModified: current?.lastModified ?? 0 };
      return { ...outcome, flow: { ...flow, ...location }, difference: differenceTo(deployment) };
    }
    const staged = await parts.store.stage({ id, bytes, hash, params, tests, metadata: request.metadata }).catch(throwStorageError);
    const disconnected = await deployOrDiscard(parts, { deployment, secrets }, staged, previousRouteIds.length > 0);
    const committed = await staged.commit().catch((error: unknown) => restorePrevious(parts, id, current).then(() => throwStorageError(error)));
    const { unflushed, revision, ...location } = committed;
    const installed: InstalledFlow = { ...flow, ...location };
    parts.installed.set(id, installed);
    parts.announce("deployed", id, hash);
    logDeployed(parts, request, revision, hash);
    await parts.routeStates.retain(id, outcome.routeIds.after);
    await storeTests(parts, request);
    throwIfUnflushed(unflushed, "the new version is running, but may be lost");
    return { ...outcome, revision, stateWarnings: [...missingWarnings, ...disconnected, ...inactiveRouteWarnings(parts, id)], flow: installed };
  });
}

/** Logs who deployed which version, as an audit trail. */
function logDeployed({ log }: FlowParts, { id, metadata }: InstallRequest, revision: number, hash: string): void {
  const origin = metadata.restoredFrom === undefined ? "" : `, restored from revision ${metadata.restoredFrom}`;
  log.write("INFO", "sluice.flows", `Deployed revision ${revision} of flow '${id}' (hash ${hash.slice(0, 12)}, by ${metadata.by ?? "unknown"}${origin})`);
}

/** Stores new tests of an unchanged flow as a new version, so that a rollback also restores the tests. */
async function recordTests(
  parts: FlowParts,
  request: InstallRequest,
  flow: { readonly hash: string; readonly params: StoredFlow["params"]; readonly tests: string | null },
): Promise<number> {
  const { id, bytes, metadata } = request;
  const staged = await parts.store.stage({ id, bytes, metadata, ...flow }).catch(throwStorageError);
  const { revision, unflushed } = await staged.commit().catch(throwStorageError);
  await storeTests(parts, request);
  throwIfUnflushed(unflushed, "the new tests are active, but may be lost");
  return revision;
}

/** Runs the flow's tests. Problems in the flow itself are reported first. */
async function runTests(
  parts: FlowParts,
  { id, metadata: { restoredFrom } }: InstallRequest,
  tests: string | null,
  flow: { readonly source: string; readonly hash: string; readonly params: StoredFlow["params"] },
): Promise<number> {
  if (tests === null && restoredFrom !== undefined)
    throw new ServiceError("flow-invalid", `revision ${restoredFrom} of flow '${id}' has no tests to run: roll back without requiring tests`);
  if (tests === null) throw new ServiceError("flow-invalid", `flow '${id}' has no tests: send them as 'tests' together with 'yaml'`);
  assertDeployable((await prepareFlow(parts, { id, ...flow })).prepared);
  return (await parts.trial.run({ id, source: flow.source, params: flow.params, tests })).passed;
}

/** Stores the tests after the flow: a crash in between leaves the flow with its previous tests. */
async function storeTests({ tests }: FlowParts, { id, tests: text }: InstallRequest): Promise<void> {
  if (text === undefined) return;
  try {
    throwIfUnflushed(await (text === null ? tests.remove(id) : tests.write(id, text)).catch(throwStorageError), "the new tests are active, but may be lost");
  } catch (error) {
    throw error instanceof ServiceError
      ? new ServiceError(error.code, `flow '${id}' is running, but its tests were not stored safely: ${error.message}`)
      : error;
  }
}

/** Deploys the flow, or discards the staged change and throws. Returns a warning for each running route that cannot connect yet. */
async function deployOrDiscard(
  parts: FlowParts,
  { deployment, secrets }: { readonly deployment: Deployment; readonly secrets: ReadonlySet<string> },
  staged: StagedFlow,
  hasPrevious: boolean,
): Promise<readonly string[]> {
  try {
    const { drained, disconnected } = await deployMasked(parts, deployment, secrets);
    void drained.then((report) => logAbandoned(parts.log, report, "replaced"));
    return disconnected.map(({ routeId, problem }) => `route '${routeId}' cannot connect yet and is retrying: ${maskProblem(parts, problem)}`);
  } catch (error) {
    await staged.discard();
    if (error instanceof DeployError)
      throw new ServiceError("flow-start-failed", hasPrevious ? `${error.message}; the previous version is still running` : error.message);
    throw error;
  }
}

/** Redeploys the version on disk after the commit failed. */
async function restorePrevious(parts: FlowParts, id: string, current: StoredFlow | undefined): Promise<void> {
  const source = current === undefined ? undefined : decodeFlow(current.bytes);
  const previous = current === undefined || source === undefined ? undefined : await prepareFlow(parts, { ...current, source });
  if (previous?.prepared.deployment === undefined) await undeployMasked(parts, id);
  else await deployMasked(parts, previous.prepared.deployment, previous.secrets, "always");
}

/** Rejects ids that differ only in case, which would share a file on case-insensitive file systems. */
function rejectCaseConflict(parts: FlowParts, id: string): void {
  if (parts.installed.has(id)) return;
  for (const other of parts.installed.keys()) {
    if (other.toLowerCase() === id.toLowerCase()) throw new ServiceError("conflict", `flow id '${id}' differs from flow '${other}' only in case`);
  }
}

const routeIdsOf = (deployment: Deployment | undefined): readonly string[] => deployment?.routes.map((route) => route.identity.id) ?? [];

function sameParams(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => JSON.stringify(a[name]) === JSON.stringify(b[name]));
}
