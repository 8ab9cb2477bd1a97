// Brings the flows found in the store into service: all of them at start, changed ones while watching. A broken one is
// remembered with its fault and never keeps the others from starting.
import type { Deployment } from "@sluice/engine";
import { systemClock } from "../host/clock.ts";
import { oneSentence, Refusal } from "../refusal.ts";
import { refuseProblems, warningsOf } from "./flow-problems.ts";
import type { FlowFile } from "./flow-store.ts";
import { claimsTurn, decodeFlow, emptyHash, flowTurn, prepareFlow, type FlowParts, type InstalledFlow } from "./installed-flows.ts";

export interface LoadReport {
  readonly loaded: number;
  readonly failed: number;
}

/** Flows started before timers, signals and what else waits get their turn. */
const startedAtOnce = 50;

/** Loads every flow of the store. */
export async function loadFlows(parts: FlowParts): Promise<LoadReport> {
  const files = await parts.store.list();
  let failed = 0;
  for (const [index, file] of files.entries()) {
    if (index % startedAtOnce === startedAtOnce - 1) await systemClock.breathe();
    const flow = await read(parts, file);
    const installed = typeof flow === "string" ? broken(file, flow) : await start(parts, file, flow);
    parts.installed.set(file.id, installed);
    if (installed.error === undefined) continue;
    failed++;
    parts.log.write("ERROR", "sluice.flows", `flow '${file.id}' is not in service: ${installed.error}`);
  }
  return { loaded: files.length - failed, failed };
}

/** Loads one flow again after its file changed; a running version stays when the new text is wrong. */
export function reloadFlow(parts: FlowParts, file: FlowFile): Promise<void> {
  return parts.turns.take(flowTurn(file.id), async () => {
    const flow = await read(parts, file);
    const known = parts.installed.get(file.id);
    if (typeof flow !== "string" && known?.hash === flow.hash && known.error === undefined) return;
    const installed = typeof flow === "string" ? broken(file, flow) : await parts.turns.take(claimsTurn, () => start(parts, file, flow));
    parts.installed.set(file.id, installed);
    if (installed.error === undefined) parts.announce("deployed", file.id, installed.hash);
    parts.log.write(
      installed.error === undefined ? "INFO" : "ERROR",
      "sluice.flows",
      `flow '${file.id}' was ${installed.error === undefined ? "reloaded" : `not reloaded: ${installed.error}`}`,
    );
  });
}

interface ReadFlow {
  readonly source: string;
  readonly hash: string;
  readonly params: InstalledFlow["params"];
}

/** The flow's content, or why there is none. */
async function read(parts: FlowParts, file: FlowFile): Promise<ReadFlow | string> {
  if (file.problem !== undefined) return file.problem;
  try {
    const stored = await parts.store.readListed(file);
    if (stored === undefined) return "the file is gone";
    const source = decodeFlow(stored.bytes);
    return source === undefined ? "invalid YAML at line 1, column 1: the text is not UTF-8" : { source, hash: stored.hash, params: stored.params };
  } catch (error) {
    return `the file cannot be read: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`;
  }
}

async function start(parts: FlowParts, file: FlowFile, flow: ReadFlow): Promise<InstalledFlow> {
  const facts = { id: file.id, file: file.file, lastModified: file.lastModified, hash: flow.hash, params: flow.params };
  let routeCount = 0;
  try {
    const { prepared, secrets } = prepareFlow(parts, { id: file.id, ...flow });
    routeCount = prepared.flow.routes.length;
    refuseProblems(prepared);
    parts.secrets.set(file.id, [...secrets]);
    await parts.runtime.deploy(prepared.deployment as Deployment);
    return { ...facts, routeCount, warnings: warningsOf(prepared), error: undefined };
  } catch (error) {
    if (!(error instanceof Refusal) && (error as Error).name !== "DeployError")
      parts.log.write("ERROR", "sluice.flows", `loading flow '${file.id}' failed`, undefined, { error });
    return { ...facts, routeCount, warnings: [], error: oneSentence((error as Error).message) };
  }
}

const broken = (file: FlowFile, error: string): InstalledFlow => ({
  id: file.id,
  file: file.file,
  lastModified: file.lastModified,
  hash: emptyHash,
  params: {},
  warnings: [],
  routeCount: 0,
  error,
});
