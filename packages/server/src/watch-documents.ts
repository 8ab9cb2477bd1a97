// Watches the directories of mappings, policies, connections and Kamelets, and applies manual changes.
import { join } from "node:path";
import type { Log } from "@sluice/engine";
import { watchDirectories } from "./flows/watch-directory.ts";

interface Reloadable {
  reload(): Promise<void>;
}

export interface WatchedDocuments {
  readonly dataDir: string;
  readonly log: Log;
  readonly tables: Reloadable;
  readonly documents: Reloadable;
  readonly policies: Reloadable;
  readonly connections: Reloadable;
  /** Folders outside of the data directory with connections and with files that they reference. */
  readonly connectionFolders: readonly string[];
  readonly kamelets: Reloadable;
  /** Folders outside of the data directory with Kamelets. */
  readonly kameletFolders: readonly string[];
  /** Called after each check. */
  changed?(): void;
}

/** Starts watching; the returned functions stop watching. */
export function watchDocuments({
  dataDir,
  log,
  tables,
  documents,
  policies,
  connections,
  connectionFolders,
  kamelets,
  kameletFolders,
  changed,
}: WatchedDocuments): readonly (() => void)[] {
  const watch = (folder: string, logger: string, noun: string, reloadable: Reloadable, extraFolders: readonly string[] = []): (() => void) =>
    watchDirectories({
      directories: [join(dataDir, folder), ...extraFolders],
      log,
      logger,
      noun,
      checkForChanges: () => reloadable.reload().then(() => changed?.()),
    });
  return [
    watch("value-mappings", "sluice.mappings", "value mappings", tables),
    watch("message-mappings", "sluice.mappings", "message mappings", documents),
    watch("policies", "sluice.access", "access policies", policies),
    watch("connections", "sluice.connections", "connections", connections, connectionFolders),
    watch("kamelets", "sluice.kamelets", "Kamelets", kamelets, kameletFolders),
  ];
}
