import { flowKey, type FlowParts } from "./installed-flows.ts";
import { undeployMasked } from "./masked-deployment.ts";

/**
 * Undeploys a flow that was deleted from the store. Its runs in flight finish afterwards. `isDeletedHere` is false when another node
 * removed the flow, which also removes the states of its routes. Tests and history stay, in case the file is restored.
 */
export function unloadFlow(parts: FlowParts, id: string, isDeletedHere: boolean): Promise<void> {
  return parts.mutex.run(flowKey(id), async () => {
    if ((await parts.store.read(id)) !== undefined || !parts.installed.has(id)) return;
    parts.installed.delete(id);
    // The states would apply to the next flow with this id.
    if (isDeletedHere) await parts.routeStates.retain(id, []);
    undeployMasked(parts, id).catch((error: unknown) =>
      parts.log.write("ERROR", "sluice.flows", `Cannot stop the routes of flow '${id}'`, undefined, { error }),
    );
    parts.announce("removed", id, "");
    parts.log.write("INFO", "sluice.flows", `Removed flow '${id}': it was deleted from the store`);
  });
}
