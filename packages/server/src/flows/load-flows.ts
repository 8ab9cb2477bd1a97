// Deploys the flows of the store: all at start, changed ones while watching. A broken flow is listed with its error and does not
// affect the others.
import { isDeepStrictEqual } from "node:util";
import type { Deployment, KameletFiles, Supervision } from "@sluice/engine";
import { systemClock } from "../host/clock.ts";
import { oneSentence, ServiceError } from "../service-error.ts";
import { assertDeployable, warningsOf } from "./flow-problems.ts";
import type { FlowFile } from "./flow-store.ts";
import { claimsKey, decodeFlow, flowKey, prepareFlow, problemOfFlow, inactiveRouteWarnings, type FlowParts, type InstalledFlow } from "./installed-flows.ts";
import { deployMasked } from "./masked-deployment.ts";

export interface LoadReport {
  readonly loaded: number;
  readonly failed: number;
  /** The stamps of the loaded files by flow id. */
  readonly stamps: ReadonlyMap<string, string>;
}

/** Number of flows started per turn of the event loop. */
const flowsPerTurn = 50;

export const stampsOf = (files: readonly FlowFile[]): ReadonlyMap<string, string> => new Map(files.map(({ id, stamp }) => [id, stamp]));

/** Loads every flow of the store. */
export async function loadFlows(parts: FlowParts): Promise<LoadReport> {
  const files = await parts.store.list();
  let failed = 0;
  for (const [index, file] of files.entries()) {
    if (index % flowsPerTurn === flowsPerTurn - 1) await systemClock.yieldToEventLoop();
    const flow = await read(parts, file);
    // Routes that fail to start are retried, because there is no client to report the error to.
    const installed = "error" in flow ? failedFlow(file, flow) : await start(parts, file, flow, "always");
    parts.installed.set(file.id, installed);
    for (const sentence of inactiveRouteWarnings(parts, file.id)) parts.log.write("WARN", "sluice.flows", `Flow '${file.id}': ${sentence}`);
    const problem = installed.error ?? problemOfFlow(parts.runtime, file.id);
    if (problem === undefined) continue;
    failed++;
    parts.log.write("ERROR", "sluice.flows", `Flow '${file.id}' is not running: ${problem}`);
  }
  return { loaded: files.length - failed, failed, stamps: stampsOf(files) };
}

/** A change to something that a flow uses. */
export interface DependencyChange {
  /** Used instead of the installed Kamelets. */
  readonly kamelets?: KameletFiles | undefined;
}

/**
 * Reloads a flow if its file changed. With `change`, reloads it even if the file is unchanged, because something that it uses changed. If the
 * new version is invalid, the running version continues.
 */
export function reloadFlow(parts: FlowParts, file: FlowFile, change?: DependencyChange): Promise<void> {
  return parts.mutex.run(flowKey(file.id), async () => {
    const flow = await read(parts, file);
    const current = parts.installed.get(file.id);
    const isUnchanged = !("error" in flow) && current?.hash === flow.hash && isDeepStrictEqual(current.params, flow.params) && current.error === undefined;
    if (change === undefined && isUnchanged) return;
    const installed =
      "error" in flow ? failedFlow(file, flow) : await parts.mutex.run(claimsKey, () => start(parts, file, { ...flow, kamelets: change?.kamelets }));
    parts.installed.set(file.id, installed);
    if (installed.error === undefined) parts.announce("deployed", file.id, installed.hash);
    parts.log.write(
      installed.error === undefined ? "INFO" : "ERROR",
      "sluice.flows",
      `Flow '${file.id}' was ${installed.error === undefined ? "reloaded" : `not reloaded: ${installed.error}`}`,
    );
  });
}

/** Recompiles every flow after a change to something that every flow can use. */
export async function reloadFlows(parts: FlowParts): Promise<void> {
  for (const file of await parts.store.list()) await reloadFlow(parts, file, {});
}

/** Restarts the flows that failed for this reason. */
export async function restartFailed(parts: FlowParts, reason: string): Promise<void> {
  try {
    for (const route of parts.runtime.routes.values()) if (route.status === "Failed" && route.problem?.includes(reason) === true) await route.start();
    for (const file of await parts.store.list()) if (parts.installed.get(file.id)?.error?.includes(reason) === true) await reloadFlow(parts, file);
  } catch (error) {
    parts.log.write("ERROR", "sluice.flows", "Cannot restart flows that failed to start", undefined, { error });
  }
}

interface ReadFlow {
  readonly source: string;
  readonly hash: string;
  readonly params: InstalledFlow["params"];
  readonly kamelets?: KameletFiles | undefined;
}

interface UnreadableFlow {
  readonly error: string;
  /** Empty when the file could not be read. */
  readonly hash: string;
}

/** Reads the flow; if it cannot be used, returns the reason. */
async function read(parts: FlowParts, file: FlowFile): Promise<ReadFlow | UnreadableFlow> {
  if (file.unreadable === true && file.problem !== undefined) return { error: file.problem, hash: "" };
  try {
    const stored = await parts.store.readListed(file);
    if (stored === undefined) return { error: "the file no longer exists", hash: "" };
    const { hash, params } = stored;
    if (file.problem !== undefined) return { error: file.problem, hash };
    const source = decodeFlow(stored.bytes);
    return source === undefined ? { error: "invalid YAML at line 1, column 1: the text is not UTF-8", hash } : { source, hash, params };
  } catch (error) {
    return { error: `the file cannot be read: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`, hash: "" };
  }
}

async function start(parts: FlowParts, file: FlowFile, flow: ReadFlow, supervision?: Supervision): Promise<InstalledFlow> {
  const metadata = { id: file.id, file: file.file, lastModified: file.lastModified, hash: flow.hash, params: flow.params };
  let routeCount = 0;
  try {
    const { prepared, secrets } = await prepareFlow(parts, { id: file.id, ...flow });
    routeCount = prepared.flow.routes.length;
    assertDeployable(prepared);
    await deployMasked(parts, prepared.deployment as Deployment, secrets, supervision);
    return { ...metadata, routeCount, warnings: warningsOf(prepared), error: undefined };
  } catch (error) {
    if (!(error instanceof ServiceError) && (error as Error).name !== "DeployError")
      parts.log.write("ERROR", "sluice.flows", `Failed to load flow '${file.id}'`, undefined, { error });
    return { ...metadata, routeCount, warnings: [], error: oneSentence((error as Error).message) };
  }
}

const failedFlow = (file: FlowFile, { error, hash }: UnreadableFlow): InstalledFlow => ({
  id: file.id,
  file: file.file,
  lastModified: file.lastModified,
  hash,
  params: {},
  warnings: [],
  routeCount: 0,
  error,
});
