// The history of a flow as returned by the API.
import { ServiceError } from "../service-error.ts";
import type { FlowVersion, StoredFlow } from "./flow-store.ts";
import type { FlowParts } from "./installed-flows.ts";
import { hasContent, unrecordedVersion } from "./unrecorded-version.ts";

export interface FlowHistory {
  readonly stored: StoredFlow;
  /** Newest first. */
  readonly versions: readonly FlowVersion[];
  /** The revision of the deployed version; undefined when the flow is not deployed, or its version is no longer stored. */
  readonly running: number | undefined;
}

/** The history of a flow. A file changed outside the API is its newest version. */
export async function historyOf(parts: FlowParts, id: string): Promise<FlowHistory> {
  const stored = await parts.store.read(id);
  if (stored === undefined) throw new ServiceError("not-found", `flow '${id}' not found`);
  const recorded = await parts.store.versions(id);
  const unrecorded = unrecordedVersion(stored, recorded);
  const versions = unrecorded === undefined ? recorded : [{ ...unrecorded, revision: (recorded[0]?.revision ?? 0) + 1 }, ...recorded];
  const deployed = parts.runtime.deployments.get(id)?.hash;
  const params = parts.installed.get(id)?.params ?? stored.params;
  const running = deployed === undefined ? undefined : versions.find((version) => hasContent(version, { hash: deployed, params }));
  return { stored, versions, running: running?.revision };
}

/** Returns one version; the error for an unknown revision lists those that exist. */
export function versionOf(id: string, { versions }: FlowHistory, revision: number): FlowVersion {
  const version = versions.find((candidate) => candidate.revision === revision);
  if (version !== undefined) return version;
  const revisions = versions.map((candidate) => candidate.revision).sort((a, b) => a - b);
  throw new ServiceError(
    "not-found",
    `revision ${revision} of flow '${id}' not found; ${revisions.length === 0 ? "the flow has no versions" : `available revisions: ${revisions.join(", ")}`}`,
  );
}

export function versionJson(
  { revision, hash, at, by, comment, bytes, restoredFrom, params }: FlowVersion,
  { running }: FlowHistory,
): Readonly<Record<string, unknown>> {
  return {
    revision,
    hash,
    at: new Date(at).toISOString(),
    by: by ?? null,
    comment: comment ?? null,
    size: bytes.length,
    running: revision === running,
    restoredFrom: restoredFrom ?? null,
    params,
  };
}
