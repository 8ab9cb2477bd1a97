import type { FlowParts } from "./installed-flows.ts";
import { reloadFlow, stampsOf, type LoadReport } from "./load-flows.ts";
import { unloadFlow } from "./unload-flow.ts";
import { watchDirectories } from "./watch-directory.ts";

/** Watches the store's directories and reloads flows that have changed since `loaded` was read; the returned function stops watching. */
export function watchFlows(parts: FlowParts, directories: readonly string[], loaded: LoadReport["stamps"]): () => void {
  let stamps = loaded;

  async function checkForChanges(): Promise<void> {
    const files = await parts.store.list();
    const previousStamps = stamps;
    stamps = stampsOf(files);
    for (const file of files) if (previousStamps.get(file.id) !== file.stamp) await reloadFlow(parts, file);
    // Checks the installed flows, not the previous listing: a flow may be deployed and its file deleted between two checks.
    for (const id of [...parts.installed.keys()]) if (!stamps.has(id)) await unloadFlow(parts, id, true);
  }

  return watchDirectories({ directories, log: parts.log, logger: "sluice.flows", noun: "flows", checkForChanges });
}
