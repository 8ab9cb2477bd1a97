// Flows as returned by the API. The list comes from the directory, so manual changes are visible.
import type { KameletFiles } from "@sluice/engine";
import { systemClock } from "../host/clock.ts";
import { ServiceError } from "../service-error.ts";
import { maskUris } from "../masking/secret-uris.ts";
import { shownParams } from "./flow-params.ts";
import type { FlowFile } from "./flow-store.ts";
import { decodeFlow, prepareFlow, problemOfFlow, maskProblem, statusOfFlow, type FlowParts, type InstalledFlow } from "./installed-flows.ts";

export interface FlowViews {
  readonly parts: FlowParts;
  hasPolicy(flowId: string): boolean;
  /** Fingerprint of the deploy token, recorded as the author when the caller does not name one. */
  readonly fingerprint: string | undefined;
  /** The installed Kamelets and these YAML texts, which take precedence. */
  withKamelets(texts: ReadonlyMap<string, string>): KameletFiles;
  /** Cached data of files whose content is not deployed, by flow id. */
  readonly inspected: Map<string, { readonly stamp: string; readonly hash: string; readonly routeCount: number }>;
}

/** Number of entries written per turn of the event loop. */
const entriesPerTurn = 100;

interface FlowContent {
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
    if (entries.length % entriesPerTurn === entriesPerTurn - 1) await systemClock.yieldToEventLoop();
    const flow = installed.get(file.id);
    const content = flow?.lastModified === file.lastModified ? flow : await inspect(views, file, flow);
    entries.push(JSON.stringify(entry(views, file, flow, content)));
  }
  if (views.inspected.size > 0) {
    const ids = new Set(files.map(({ id }) => id));
    for (const id of views.inspected.keys()) if (!ids.has(id)) views.inspected.delete(id);
  }
  return `{"flows":[${entries.join(",")}],"total":${entries.length}}`;
}

export async function readFlow(views: FlowViews, id: string): Promise<FlowEntry & { readonly yaml: string; readonly hash: string }> {
  const { parts } = views;
  const stored = await parts.store.read(id);
  if (stored === undefined) throw new ServiceError("not-found", `flow '${id}' not found`);
  const flow = parts.installed.get(id);
  const deployed = parts.runtime.deployments.get(id);
  return {
    id,
    file: stored.file,
    yaml: Buffer.from(stored.bytes).toString("utf8"),
    lastModified: new Date(stored.lastModified).toISOString(),
    hash: stored.hash,
    deployedHash: deployed?.hash ?? null,
    routeCount: flow?.routeCount ?? deployed?.routes.length ?? 0,
    status: statusOfFlow(parts.runtime, id, flow?.error),
    routes: routesJson(views, id),
    params: shownParams(stored.params),
    tests: (await parts.tests.read(id).catch(() => undefined)) ?? null,
    paramNames: Object.keys(stored.params).sort(),
    hasPolicy: views.hasPolicy(id),
    warnings: flow?.warnings ?? [],
    error: shownError(views, stored.problem ?? flow?.error ?? problemOfFlow(parts.runtime, id)),
  };
}

/** The deployed routes of a flow. */
export function routesJson({ parts }: FlowViews, flowId: string): readonly Readonly<Record<string, unknown>>[] {
  const deployment = parts.runtime.deployments.get(flowId);
  return (deployment?.routes ?? []).map(({ identity, from, status, trigger }) => ({
    id: identity.id,
    // `webhook:` without a path is shown as `webhook`, as authors write it.
    from: parts.secrets.scrub(maskUris(from)).replace(/:$/, ""),
    status,
    ...(trigger === "request" ? { url: `/api/${identity.id}` } : {}),
  }));
}

const shownError = ({ parts }: FlowViews, error: string | undefined): string | null => (error === undefined ? null : maskProblem(parts, error));

function entry(views: FlowViews, file: FlowFile, flow: InstalledFlow | undefined, { hash, routeCount }: FlowContent): FlowEntry {
  const { parts } = views;
  const deployment = parts.runtime.deployments.get(file.id);
  return {
    id: file.id,
    file: file.file,
    lastModified: new Date(file.lastModified).toISOString(),
    hash,
    routeCount,
    status: statusOfFlow(parts.runtime, file.id, flow?.error),
    routes: (deployment?.routes ?? []).map(({ identity, status }) => ({ id: identity.id, status })),
    paramNames: Object.keys(flow?.params ?? {}).sort(),
    hasPolicy: views.hasPolicy(file.id),
    error: shownError(views, flow?.error ?? file.problem ?? problemOfFlow(parts.runtime, file.id)),
    ...(deployment === undefined || deployment.hash === hash ? {} : { deployedHash: deployment.hash }),
  };
}

/** Reads a file whose content is not deployed; uses the cached result if the file is unchanged. */
async function inspect(views: FlowViews, file: FlowFile, flow: InstalledFlow | undefined): Promise<FlowContent> {
  const cached = views.inspected.get(file.id);
  if (cached?.stamp === file.stamp) return cached;
  const stored = file.unreadable === true ? undefined : await views.parts.store.readListed(file).catch(() => undefined);
  if (stored === undefined) return { hash: "", routeCount: 0 };
  const source = file.problem === undefined ? decodeFlow(stored.bytes) : undefined;
  const routeCount =
    stored.hash === flow?.hash
      ? flow.routeCount
      : source === undefined
        ? 0
        : (await prepareFlow(views.parts, { ...stored, source })).prepared.flow.routes.length;
  const content = { stamp: file.stamp, hash: stored.hash, routeCount };
  views.inspected.set(file.id, content);
  return content;
}
