// Applies a change of another node: the same code as for files that were changed by hand.
import { flowKey } from "../flows/installed-flows.ts";
import { reloadFlow } from "../flows/load-flows.ts";
import { unloadFlow } from "../flows/unload-flow.ts";
import type { FollowedParts } from "../other-nodes/cluster-view.ts";
import type { ApplyChange, ConfigFollower } from "./config-follower.ts";
import { mappingKind, policyKind, readState, routeKind, tableKind } from "./replicated-documents.ts";
import { fileOf, flowKind } from "./replicated-flow-store.ts";

/** Why records of this id are not in service here; filled by the returned function. */
export function applyChanges(follower: ConfigFollower, parts: FollowedParts, behind: Map<string, string>): ApplyChange {
  const { flows, runtime, mappings, policies } = parts;

  async function apply(id: string): Promise<string | undefined> {
    const record = follower.records.get(id);
    if (id.startsWith(flowKind)) {
      const flowId = id.slice(flowKind.length);
      if (record === undefined) {
        await unloadFlow(flows, flowId);
        return undefined;
      }
      await reloadFlow(flows, fileOf(record), behind.has(id));
      return flows.installed.get(flowId)?.error;
    }
    if (id.startsWith(tableKind)) await mappings.tables.reload();
    else if (id.startsWith(mappingKind)) await mappings.documents.reload();
    else if (id.startsWith(policyKind)) await policies.reload();
    else if (id.startsWith(routeKind)) {
      const routeId = id.slice(routeKind.length);
      const stored = record === undefined ? undefined : readState(record);
      const status = stored?.state === "stopped" ? "Stopped" : "Suspended";
      const route = runtime.routes.get(routeId);
      const flowId = stored?.flow ?? route?.identity.flowId ?? "";
      // Not while the flow is being replaced.
      await flows.mutex.run(flowKey(flowId), () => flows.routeStates.adopt(routeId, stored && { flowId: stored.flow, status }, runtime.routes.get(routeId)));
    }
    return undefined;
  }

  return async (id) => {
    let reason: string | undefined;
    try {
      reason = await apply(id);
    } catch (error) {
      reason = (error as Error).message;
      flows.log.write("ERROR", "sluice.cluster", `Cannot apply the change of '${id}'`, undefined, { error });
    }
    if (reason === undefined) behind.delete(id);
    else behind.set(id, reason);
  };
}
