// Deploys the flows of the store: all at start, changed ones while watching. A broken flow is listed with its error and does not
// affect the others.
import { isDeepStrictEqual } from "node:util";
import type { Deployment, KameletFiles, Supervision } from "@sluice/engine";
import { systemClock } from "../host/clock.ts";
import { oneSentence, Refusal } from "../refusal.ts";
import { refuseProblems, warningsOf } from "./flow-problems.ts";
import type { FlowFile } from "./flow-store.ts";
import { claimsKey, decodeFlow, flowKey, prepareFlow, problemOfFlow, inactiveRoutes, type FlowParts, type InstalledFlow } from "./installed-flows.ts";
import { deployMasked } from "./masked-deployment.ts";

export interface LoadReport {
  readonly loaded: number;
  readonly failed: number;
}

/** Flows started per event loop turn. */
const startedAtOnce = 50;

/** Loads every flow of the store. */
export async function loadFlows(parts: FlowParts): Promise<LoadReport> {
  const files = await parts.store.list();
  let failed = 0;
  for (const [index, file] of files.entries()) {
    if (index % startedAtOnce === startedAtOnce - 1) await systemClock.yieldToEventLoop();
    const flow = await read(parts, file);
    // No caller can correct it, so routes that fail to start are retried.
    const installed = "error" in flow ? broken(file, flow) : await start(parts, file, flow, "always");
    parts.installed.set(file.id, installed);
    for (const sentence of inactiveRoutes(parts, file.id)) parts.log.write("WARN", "sluice.flows", `Flow '${file.id}': ${sentence}`);
    const problem = installed.error ?? problemOfFlow(parts.runtime, file.id);
    if (problem === undefined) continue;
    failed++;
    parts.log.write("ERROR", "sluice.flows", `Flow '${file.id}' is not running: ${problem}`);
  }
  return { loaded: files.length - failed, failed };
}

/** Something that a flow uses has changed. */
export interface Affected {
  /** Used instead of the installed Kamelets. */
  readonly kamelets?: KameletFiles | undefined;
}

/** Reloads a flow after its file changed, or with `affected` something it uses; the running version stays when the new one is invalid. */
export function reloadFlow(parts: FlowParts, file: FlowFile, affected?: Affected): Promise<void> {
  return parts.mutex.run(flowKey(file.id), async () => {
    const flow = await read(parts, file);
    const known = parts.installed.get(file.id);
    if (affected === undefined && !("error" in flow) && known?.hash === flow.hash && isDeepStrictEqual(known.params, flow.params) && known.error === undefined)
      return;
    const installed =
      "error" in flow ? broken(file, flow) : await parts.mutex.run(claimsKey, () => start(parts, file, { ...flow, kamelets: affected?.kamelets }));
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

interface Unusable {
  readonly error: string;
  /** Empty when the file could not be read. */
  readonly hash: string;
}

/** Reads the flow, or returns why it cannot be used. */
async function read(parts: FlowParts, file: FlowFile): Promise<ReadFlow | Unusable> {
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
  const facts = { id: file.id, file: file.file, lastModified: file.lastModified, hash: flow.hash, params: flow.params };
  let routeCount = 0;
  try {
    const { prepared, secrets } = await prepareFlow(parts, { id: file.id, ...flow });
    routeCount = prepared.flow.routes.length;
    refuseProblems(prepared);
    await deployMasked(parts, prepared.deployment as Deployment, secrets, supervision);
    return { ...facts, routeCount, warnings: warningsOf(prepared), error: undefined };
  } catch (error) {
    if (!(error instanceof Refusal) && (error as Error).name !== "DeployError")
      parts.log.write("ERROR", "sluice.flows", `Failed to load flow '${file.id}'`, undefined, { error });
    return { ...facts, routeCount, warnings: [], error: oneSentence((error as Error).message) };
  }
}

const broken = (file: FlowFile, { error, hash }: Unusable): InstalledFlow => ({
  id: file.id,
  file: file.file,
  lastModified: file.lastModified,
  hash,
  params: {},
  warnings: [],
  routeCount: 0,
  error,
});
