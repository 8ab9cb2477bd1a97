import type { Plugins } from "@sluice/server/check";
import { readConfiguration } from "@sluice/server/config";

/** Loads SERVICE_CONNECTORS and SERVICE_FUNCTIONS as a runtime started in this folder would. */
export async function operatorPlugins(): Promise<Plugins> {
  const { loadPlugins } = await import("@sluice/server/check");
  return loadPlugins(readConfiguration().settings);
}
