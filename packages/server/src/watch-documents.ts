// Follows the directories of what is kept beside flows, and takes over what is changed in them by hand.
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
  /** Told after each look. */
  changed?(): void;
}

/** The returned functions end it. */
export function watchDocuments({ dataDir, log, tables, documents, policies, changed }: WatchedDocuments): readonly (() => void)[] {
  const follow = (folder: string, logger: string, noun: string, { reload }: Reloadable): (() => void) =>
    watchDirectories({ directories: [join(dataDir, folder)], log, logger, noun, look: () => reload().then(() => changed?.()) });
  return [
    follow("value-mappings", "sluice.mappings", "value mappings", tables),
    follow("message-mappings", "sluice.mappings", "message mappings", documents),
    follow("policies", "sluice.access", "access policies", { reload: () => policies.reload() }),
  ];
}
