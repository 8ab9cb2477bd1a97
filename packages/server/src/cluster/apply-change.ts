// Applies a change made by another node, with the same code as for files edited by hand.
import { flowKey, maskProblem } from "../flows/installed-flows.ts";
import { reloadFlow } from "../flows/load-flows.ts";
import { unloadFlow } from "../flows/unload-flow.ts";
import type { FollowedParts } from "../other-nodes/cluster-view.ts";
import type { ApplyChange, ReplicatedConfig } from "./replicated-config.ts";
import { connectionKind, mappingKind, policyKind, readState, routeKind, tableKind } from "./replicated-documents.ts";
import { fileOf, flowKind } from "./replicated-flow-store.ts";
import { kameletKind } from "./replicated-kamelets.ts";

/** Returns a function that applies a change. Fills `behind` with the records that this node could not apply, and the reason for each. */
export function applyChanges(config: ReplicatedConfig, parts: FollowedParts, behind: Map<string, string>): ApplyChange {
  const { flows, runtime, mappings, policies, connections, kamelets } = parts;

  async function apply(id: string): Promise<string | undefined> {
    const unreadable = config.unreadable.get(id);
    if (unreadable !== undefined) return unreadable;
    const record = config.records.get(id);
    if (id.startsWith(flowKind)) {
      const flowId = id.slice(flowKind.length);
      if (record === undefined) {
        await unloadFlow(flows, flowId, false);
        return undefined;
      }
      await reloadFlow(flows, fileOf(record), behind.has(id) ? {} : undefined);
      return flows.installed.get(flowId)?.error;
    }
    if (id.startsWith(connectionKind)) return connections.follow(id.slice(connectionKind.length));
    if (id.startsWith(kameletKind)) return kamelets.follow(id.slice(kameletKind.length));
    if (id.startsWith(tableKind)) await mappings.tables.reload();
    else if (id.startsWith(mappingKind)) await mappings.documents.reload();
    else if (id.startsWith(policyKind)) await policies.reload();
    else if (id.startsWith(routeKind)) {
      const routeId = id.slice(routeKind.length);
      const stored = record === undefined ? undefined : readState(record);
      const status = stored?.state === "stopped" ? "Stopped" : "Suspended";
      const route = runtime.routes.get(routeId);
      const flowId = stored?.flow ?? route?.identity.flowId ?? "";
      // The state must not change while the flow is being replaced.
      await flows.mutex.run(flowKey(flowId), () => flows.routeStates.adopt(routeId, stored && { flowId: stored.flow, status }, runtime.routes.get(routeId)));
    }
    return undefined;
  }

  async function applyOne(id: string): Promise<void> {
    let reason: string | undefined;
    try {
      reason = await apply(id);
    } catch (error) {
      reason = (error as Error).message;
      flows.log.write("ERROR", "sluice.cluster", `Cannot apply the change to '${id}'`, undefined, { error });
    }
    if (reason === undefined) behind.delete(id);
    else behind.set(id, maskProblem(flows, reason));
  }

  for (const id of config.records.keys()) {
    const error = id.startsWith(flowKind)
      ? flows.installed.get(id.slice(flowKind.length))?.error
      : id.startsWith(connectionKind)
        ? connections.list().find((connection) => connection.id === id.slice(connectionKind.length))?.error
        : undefined;
    if (error !== undefined) behind.set(id, maskProblem(flows, error));
  }
  return async (id) => {
    await applyOne(id);
    // Also applies records that failed because of this one.
    for (const other of dependentsOf(id, behind)) await applyOne(other);
  };
}

/** The records that may have failed because this one was missing. */
function dependentsOf(id: string, behind: ReadonlyMap<string, string>): readonly string[] {
  const kinds = id.startsWith(connectionKind) || id.startsWith(kameletKind) ? [flowKind] : id.startsWith(flowKind) ? [connectionKind, kameletKind] : [];
  return [...behind.keys()].filter((other) => other !== id && kinds.some((kind) => other.startsWith(kind)));
}
