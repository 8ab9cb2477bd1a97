// Flows as the API shows them. The list is the directory's, so files that came or changed by hand show up as they are.
import type { Deployment } from "@sluice/engine";
import { systemClock } from "../host/clock.ts";
import { Refusal } from "../refusal.ts";
import { maskUris } from "../masking/secret-uris.ts";
import { shownParams } from "./flow-params.ts";
import type { FlowFile } from "./flow-store.ts";
import { decodeFlow, prepareFlow, statusOfFlow, type FlowParts, type InstalledFlow } from "./installed-flows.ts";

export interface FlowViews {
  readonly parts: FlowParts;
  hasPolicy(flowId: string): boolean;
  /** What was found in files that are not in service as they are, by id. */
  readonly seen: Map<string, { readonly stamp: string; readonly hash: string; readonly routeCount: number }>;
  /** How files are listed whose flows run as they are written. */
  readonly texts: WeakMap<FlowFile, ListedText>;
  /** The last list; while every entry is the same text it is given out again. */
  lastList: { readonly entries: readonly string[]; readonly bytes: Uint8Array };
}

/** Entries put into words before others get their turn. */
const madeAtOnce = 100;

/** A list before anything was listed. */
export const noFlows: FlowViews["lastList"] = { entries: [], bytes: Buffer.from('{"flows":[],"total":0}') };

/** The entry of a file in the list, and what it was made of. */
interface ListedText {
  readonly known: InstalledFlow;
  readonly deployment: Deployment;
  readonly hasPolicy: boolean;
  readonly text: string;
}

interface FoundFlow {
  readonly hash: string;
  readonly routeCount: number;
}

interface FlowEntry {
  readonly id: string;
  readonly [name: string]: unknown;
}

/** All flows as JSON, in bytes. */
export async function listFlows(views: FlowViews): Promise<Uint8Array> {
  const files = await views.parts.store.list();
  const entries: string[] = [];
  // Nothing is waited for, or put into words again, where nothing has to be: there may be ten thousand.
  let made = 0;
  for (const file of files) {
    const before = textBefore(views, file);
    if (before === undefined && ++made % madeAtOnce === 0) await systemClock.breathe();
    entries.push(before ?? (await newText(views, file)));
  }
  if (views.seen.size > 0) {
    const there = new Set(files.map(({ id }) => id));
    for (const id of views.seen.keys()) if (!there.has(id)) views.seen.delete(id);
  }
  const { lastList } = views;
  if (entries.length === lastList.entries.length && entries.every((text, index) => text === lastList.entries[index])) return lastList.bytes;
  const bytes = Buffer.from(`{"flows":[${entries.join(",")}],"total":${entries.length}}`);
  views.lastList = { entries, bytes };
  return bytes;
}

/** The entry as it was made for an earlier list, while everything in it still holds. */
function textBefore({ parts, hasPolicy, texts }: FlowViews, file: FlowFile): string | undefined {
  const before = texts.get(file);
  if (before === undefined || parts.installed.get(file.id) !== before.known || parts.runtime.deployments.get(file.id) !== before.deployment) return undefined;
  return hasPolicy(file.id) === before.hasPolicy && areStarted(before.deployment) ? before.text : undefined;
}

async function newText(views: FlowViews, file: FlowFile): Promise<string> {
  const { parts, texts } = views;
  const known = parts.installed.get(file.id);
  const isLoaded = known?.lastModified === file.lastModified;
  const text = JSON.stringify(entry(views, file, known, isLoaded ? known : await look(views, file, known)));
  const deployment = parts.runtime.deployments.get(file.id);
  if (isLoaded && known.error === undefined && file.problem === undefined && deployment !== undefined && areStarted(deployment))
    texts.set(file, { known, deployment, hasPolicy: views.hasPolicy(file.id), text });
  return text;
}

function areStarted({ routes }: Deployment): boolean {
  for (const { status } of routes) if (status !== "Started") return false;
  return true;
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
    error: shownError(views, known?.error),
  };
}

/** The routes in service of a flow. */
export function routesJson({ parts }: FlowViews, flowId: string): readonly Readonly<Record<string, unknown>>[] {
  const deployment = parts.runtime.deployments.get(flowId);
  return (deployment?.routes ?? []).map(({ identity, from, status }) => ({
    id: identity.id,
    from: shownTrigger(from),
    status,
    ...(isWebhook(from) ? { url: `/api/${identity.id}` } : {}),
  }));
}

const shownError = ({ parts }: FlowViews, error: string | undefined): string | null => (error === undefined ? null : parts.secrets.scrub(maskUris(error)));

/** `webhook:` without a path is what authors write as `webhook`. */
const shownTrigger = (uri: string): string => maskUris(uri).replace(/:$/, "");

const isWebhook = (uri: string): boolean => /^(webhook|platform-http|rest-api|rest)(:|\?|$)/.test(uri);

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
    error: shownError(views, known?.error ?? file.problem),
    ...(deployment === undefined || deployment.hash === hash ? {} : { deployedHash: deployment.hash }),
  };
}

/** A file whose content is not the one that was loaded: it is read when it changed since it was last looked at. */
async function look(views: FlowViews, file: FlowFile, known: InstalledFlow | undefined): Promise<FoundFlow> {
  const seen = views.seen.get(file.id);
  if (seen?.stamp === file.stamp) return seen;
  const stored = file.problem === undefined ? await views.parts.store.read(file.id).catch(() => undefined) : undefined;
  if (stored === undefined) return { hash: known?.hash ?? "", routeCount: 0 };
  const source = decodeFlow(stored.bytes);
  const routeCount =
    stored.hash === known?.hash ? known.routeCount : source === undefined ? 0 : prepareFlow(views.parts, { ...stored, source }).prepared.flow.routes.length;
  const found = { stamp: file.stamp, hash: stored.hash, routeCount };
  views.seen.set(file.id, found);
  return found;
}
