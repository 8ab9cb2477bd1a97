import { flowKey, type FlowParts } from "./installed-flows.ts";
import { undeployMasked } from "./masked-deployment.ts";

/** Undeploys a flow that was deleted from the store. Its runs in flight finish afterwards. */
export function unloadFlow(parts: FlowParts, id: string): Promise<void> {
  return parts.mutex.run(flowKey(id), async () => {
    if ((await parts.store.read(id)) !== undefined || !parts.installed.has(id)) return;
    parts.installed.delete(id);
    undeployMasked(parts, id).catch((error: unknown) =>
      parts.log.write("ERROR", "sluice.flows", `Cannot stop the routes of flow '${id}'`, undefined, { error }),
    );
    parts.announce("removed", id, "");
    parts.log.write("INFO", "sluice.flows", `Removed flow '${id}': it was deleted from the store`);
  });
}
