import type { Plugins } from "@sluice/server/check";
import { readConfiguration, SettingsError } from "@sluice/server/config";
import { UsageError } from "../command/declaration.ts";

/** Loads SERVICE_CONNECTORS and SERVICE_FUNCTIONS as a runtime started in this folder would. */
export async function operatorPlugins(): Promise<Plugins> {
  const { loadPlugins } = await import("@sluice/server/check");
  try {
    return await loadPlugins(readConfiguration().settings);
  } catch (error) {
    throw error instanceof SettingsError ? new UsageError(error.messages.join("\n")) : error;
  }
}
