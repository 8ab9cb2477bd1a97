// A flow whose file was changed outside the API is not in the history yet. It gets the next revision when the flow is changed through the
// API, and is listed with that number until then.
import { isDeepStrictEqual } from "node:util";
import type { NewVersion } from "./disk-versions.ts";
import { shownParams } from "./flow-params.ts";
import type { FlowVersion, StoredFlow } from "./flow-store.ts";

/** True when the version has this content, apart from the values of secrets. */
export const hasContent = (version: Pick<FlowVersion, "hash" | "params">, { hash, params }: Pick<StoredFlow, "hash" | "params">): boolean =>
  version.hash === hash && isDeepStrictEqual(version.params, shownParams(params));

/** The stored flow as a version, unless the history already contains it. */
export function unrecordedVersion(stored: StoredFlow | undefined, versions: readonly FlowVersion[]): NewVersion | undefined {
  if (stored === undefined || stored.problem !== undefined || versions.some((version) => hasContent(version, stored))) return undefined;
  return { bytes: stored.bytes, hash: stored.hash, at: stored.lastModified, params: shownParams(stored.params) };
}
