// Removes a flow: deletes the file first, so that a crash cannot restore a removed flow; then the routes drain.
import type { DrainReport } from "@sluice/engine";
import { ServiceError } from "../service-error.ts";
import { logAbandoned } from "./log-abandoned.ts";
import { checkPrecondition, type Precondition } from "../precondition.ts";
import { claimsKey, flowKey, type FlowParts } from "./installed-flows.ts";
import { throwStorageError, throwIfUnflushed } from "./storage-errors.ts";
import { undeployMasked } from "./masked-deployment.ts";

export interface RemoveOutcome {
  readonly routes: readonly string[];
  readonly drained: boolean;
}

export function removeFlow(parts: FlowParts, id: string, precondition: Precondition): Promise<RemoveOutcome> {
  return parts.mutex.run(flowKey(id), async () => {
    const current = await parts.store.read(id);
    if (current === undefined && !parts.runtime.deployments.has(id)) {
      parts.installed.delete(id);
      throw new ServiceError("not-found", `flow '${id}' not found`);
    }
    checkPrecondition(`flow '${id}'`, precondition, current);
    const { unflushed } = await parts.store.remove(id).catch(throwStorageError);
    // Remaining tests are harmless, but would apply to the next flow with this id.
    await parts.tests.remove(id).catch(() => undefined);
    // The states of its routes would apply to that flow too.
    await parts.routeStates.retain(id, []);
    const report = await undeploy(parts, id);
    parts.installed.delete(id);
    parts.announce("removed", id, current?.hash ?? "");
    throwIfUnflushed(unflushed, `flow '${id}' was removed, but may reappear`);
    return { routes: report?.routeIds ?? [], drained: report?.drained ?? true };
  });
}

/** Undeploys a flow. Other flows can claim its paths immediately; draining is awaited outside the mutex for claims. */
async function undeploy(parts: FlowParts, id: string): Promise<DrainReport | undefined> {
  let draining: Promise<DrainReport | undefined> | undefined;
  await parts.mutex.run(claimsKey, async () => {
    draining = undeployMasked(parts, id);
  });
  const report = await draining;
  if (report !== undefined) logAbandoned(parts.log, report, "removed");
  return report;
}
