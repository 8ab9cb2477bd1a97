// Derives the configuration of the runtime's parts from the settings.
import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import type { ConnectionSettings, ConnectorSettings } from "@sluice/connectors";
import type { Clock, RuntimeLimits } from "@sluice/engine";
import { createCatalog, type ServerCatalog } from "./catalog.ts";
import type { Settings } from "./config.ts";
import type { ConnectionTypes } from "./connections/connection-types.ts";
import { loadJsLanguage } from "./js-language/load-js-language.ts";
import { systemClock } from "./host/clock.ts";
import type { SecretValues } from "./masking/secret-values.ts";
import type { Plugins } from "./plugins/load-plugins.ts";

/** The catalog including plug-ins and enabled languages. */
export async function catalogFor(
  settings: Settings,
  plugins: Plugins,
  ports: Omit<ConnectorSettings, "languages" | "http"> & { readonly connectionTypes: ConnectionTypes },
): Promise<ServerCatalog> {
  return createCatalog({
    plugins,
    ...(settings.enableJs ? { js: await loadJsLanguage() } : {}),
    ...ports,
    http: {
      egress: {
        allowPrivate: settings.egressAllowPrivate,
        allowHosts: settings.egressAllowHosts
          .split(",")
          .map((name) => name.trim())
          .filter((name) => name !== ""),
      },
    },
  });
}

/** The settings of connection types: the folders in which SQLite connections may store their files. */
export function connectionSettings({ databases, dataDir }: Pick<Settings, "databases" | "dataDir">): ConnectionSettings {
  const folders = databases.split(",").flatMap((folder) => (folder.trim() === "" ? [] : [resolve(folder.trim())]));
  return { databaseFolders: [...folders, join(resolve(dataDir), "databases")] };
}

export function runtimeLimits(settings: Settings): RuntimeLimits {
  return {
    callDepth: settings.callDepth,
    inflightPerRoute: settings.maxInflight,
    runMs: settings.runMs,
    drainMs: settings.drainMs,
    exchanges: settings.maxExchanges,
    messageSize: settings.maxMessage,
  };
}

export interface StreamBufferOptions {
  /** The name of this node in a cluster. */
  readonly node: string | undefined;
  readonly boot: string;
  readonly maxEvents: number;
  readonly maxBytes: number;
  readonly clock: Clock;
  readonly secrets: SecretValues;
}

/** The buffer settings of an event stream. Both streams of a process share the boot id. */
export function streamBufferOptions(settings: Settings, secrets: SecretValues, node?: string): StreamBufferOptions {
  return { node, boot: randomBytes(3).toString("hex"), maxEvents: settings.streamEvents, maxBytes: settings.streamBytes, clock: systemClock, secrets };
}
