// Flows as returned by the API. The list comes from the directory, so manual changes are visible.
import type { KameletFiles } from "@sluice/engine";
import { systemClock } from "../host/clock.ts";
import { Refusal } from "../refusal.ts";
import { maskUris } from "../masking/secret-uris.ts";
import { shownParams } from "./flow-params.ts";
import type { FlowFile } from "./flow-store.ts";
import { decodeFlow, prepareFlow, problemOfFlow, shownProblem, statusOfFlow, type FlowParts, type InstalledFlow } from "./installed-flows.ts";

export interface FlowViews {
  readonly parts: FlowParts;
  hasPolicy(flowId: string): boolean;
  /** The author of changes whose caller names none. */
  readonly fingerprint: string | undefined;
  /** The installed Kamelets, with the YAML of these replaced. */
  withKamelets(replaced: ReadonlyMap<string, string>): KameletFiles;
  /** Data of files whose content is not deployed, by id. */
  readonly seen: Map<string, { readonly stamp: string; readonly hash: string; readonly routeCount: number }>;
}

/** Entries written per event loop turn. */
const writtenAtOnce = 100;

interface FoundFlow {
  readonly hash: string;
  readonly routeCount: number;
}

interface FlowEntry {
  readonly id: string;
  readonly [name: string]: unknown;
}

/** All flows as JSON. */
export async function listFlows(views: FlowViews): Promise<string> {
  const { store, installed } = views.parts;
  const files = await store.list();
  const entries: string[] = [];
  for (const file of files) {
    if (entries.length % writtenAtOnce === writtenAtOnce - 1) await systemClock.yieldToEventLoop();
    const known = installed.get(file.id);
    const found = known?.lastModified === file.lastModified ? known : await inspect(views, file, known);
    entries.push(JSON.stringify(entry(views, file, known, found)));
  }
  if (views.seen.size > 0) {
    const there = new Set(files.map(({ id }) => id));
    for (const id of views.seen.keys()) if (!there.has(id)) views.seen.delete(id);
  }
  return `{"flows":[${entries.join(",")}],"total":${entries.length}}`;
}

export async function readFlow(views: FlowViews, id: string): Promise<FlowEntry & { readonly yaml: string; readonly hash: string }> {
  const { parts } = views;
  const stored = await parts.store.read(id);
  if (stored === undefined) throw new Refusal("not-found", `flow '${id}' not found`);
  const known = parts.installed.get(id);
  const deployed = parts.runtime.deployments.get(id);
  return {
    id,
    file: stored.file,
    yaml: Buffer.from(stored.bytes).toString("utf8"),
    lastModified: new Date(stored.lastModified).toISOString(),
    hash: stored.hash,
    deployedHash: deployed?.hash ?? null,
    routeCount: known?.routeCount ?? deployed?.routes.length ?? 0,
    status: statusOfFlow(parts.runtime, id, known?.error),
    routes: routesJson(views, id),
    params: shownParams(stored.params),
    tests: (await parts.tests.read(id).catch(() => undefined)) ?? null,
    paramNames: Object.keys(stored.params).sort(),
    hasPolicy: views.hasPolicy(id),
    warnings: known?.warnings ?? [],
    error: shownError(views, stored.problem ?? known?.error ?? problemOfFlow(parts.runtime, id)),
  };
}

/** The deployed routes of a flow. */
export function routesJson({ parts }: FlowViews, flowId: string): readonly Readonly<Record<string, unknown>>[] {
  const deployment = parts.runtime.deployments.get(flowId);
  return (deployment?.routes ?? []).map(({ identity, from, status, trigger }) => ({
    id: identity.id,
    from: shownTrigger(from),
    status,
    ...(trigger === "request" ? { url: `/api/${identity.id}` } : {}),
  }));
}

const shownError = ({ parts }: FlowViews, error: string | undefined): string | null => (error === undefined ? null : shownProblem(parts, error));

/** Shows `webhook:` without a path as `webhook`, as authors write it. */
const shownTrigger = (uri: string): string => maskUris(uri).replace(/:$/, "");

function entry(views: FlowViews, file: FlowFile, known: InstalledFlow | undefined, { hash, routeCount }: FoundFlow): FlowEntry {
  const { parts } = views;
  const deployment = parts.runtime.deployments.get(file.id);
  return {
    id: file.id,
    file: file.file,
    lastModified: new Date(file.lastModified).toISOString(),
    hash,
    routeCount,
    status: statusOfFlow(parts.runtime, file.id, known?.error),
    routes: (deployment?.routes ?? []).map(({ identity, status }) => ({ id: identity.id, status })),
    paramNames: Object.keys(known?.params ?? {}).sort(),
    hasPolicy: views.hasPolicy(file.id),
    error: shownError(views, known?.error ?? file.problem ?? problemOfFlow(parts.runtime, file.id)),
    ...(deployment === undefined || deployment.hash === hash ? {} : { deployedHash: deployment.hash }),
  };
}

/** Reads a file whose content is not the deployed one, if it changed since the last time. */
async function inspect(views: FlowViews, file: FlowFile, known: InstalledFlow | undefined): Promise<FoundFlow> {
  const seen = views.seen.get(file.id);
  if (seen?.stamp === file.stamp) return seen;
  const stored = file.unreadable === true ? undefined : await views.parts.store.readListed(file).catch(() => undefined);
  if (stored === undefined) return { hash: "", routeCount: 0 };
  const source = file.problem === undefined ? decodeFlow(stored.bytes) : undefined;
  const routeCount =
    stored.hash === known?.hash
      ? known.routeCount
      : source === undefined
        ? 0
        : (await prepareFlow(views.parts, { ...stored, source })).prepared.flow.routes.length;
  const found = { stamp: file.stamp, hash: stored.hash, routeCount };
  views.seen.set(file.id, found);
  return found;
}
