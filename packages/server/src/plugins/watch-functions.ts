// Reloads the operator's functions when their module changes, for development.
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { BeanDeclaration, Log } from "@sluice/engine";
import { watchDirectories } from "../flows/watch-directory.ts";
import { loadFunctions } from "./load-functions.ts";

export interface WatchedFunctions {
  /** The absolute path of the module. */
  readonly path: string;
  /** The beans of the catalog; those of the module are replaced in it. */
  readonly beans: Map<string, BeanDeclaration>;
  /** The names that the module currently provides. */
  readonly names: readonly string[];
  readonly log: Log;
  /** Called after a reload, to recompile the flows: a flow keeps the functions it was compiled with. */
  changed(): Promise<void>;
}

const logger = "sluice.functions";

/** Watches the module, but not its imports. The returned function stops watching. */
export function watchFunctions({ path, beans, names, log, changed }: WatchedFunctions): () => void {
  let ownNames = new Set(names);
  let stamp: string | undefined;

  function replace(found: readonly BeanDeclaration[]): void {
    const conflict = found.flatMap((bean) => bean.names).find((name) => beans.has(name) && !ownNames.has(name));
    if (conflict !== undefined) throw new Error(`the bean '${conflict}' already exists: rename the function`);
    for (const name of ownNames) beans.delete(name);
    for (const bean of found) for (const name of bean.names) beans.set(name, bean);
    ownNames = new Set(found.flatMap((bean) => bean.names));
  }

  async function checkForChanges(): Promise<void> {
    const stats = await stat(path, { bigint: true }).catch(() => undefined);
    const previousStamp = stamp;
    // The file does not exist for a moment while an editor replaces it.
    if (stats === undefined) return;
    stamp = `${stats.mtimeNs}-${stats.size}`;
    if (previousStamp === undefined || previousStamp === stamp) return;
    const found = await loadFunctions(path, stamp);
    if ("code" in found) {
      log.write("ERROR", logger, `${found.message}; the previous version stays active`);
      return;
    }
    replace(found);
    await changed();
    log.write("INFO", logger, `The functions in '${path}' were reloaded`);
  }

  return watchDirectories({ directories: [dirname(path)], log, logger, noun: "functions", checkForChanges });
}
