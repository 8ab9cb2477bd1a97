// Reloads the operator's functions when their module changes, for development.
import { dirname } from "node:path";
import type { BeanDeclaration, Log } from "@sluice/engine";
import { watchDirectories } from "../flows/watch-directory.ts";
import { loadFunctions, stampOfFile } from "./load-functions.ts";

export interface WatchedFunctions {
  /** The absolute path of the module. */
  readonly path: string;
  /** The file's stamp before it was loaded. */
  readonly stamp: string | undefined;
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
export function watchFunctions({ path, stamp: loadedStamp, beans, names, log, changed }: WatchedFunctions): () => void {
  let ownNames = new Set(names);
  let stamp = loadedStamp;

  function replace(found: readonly BeanDeclaration[]): void {
    const conflict = found.flatMap((bean) => bean.names).find((name) => beans.has(name) && !ownNames.has(name));
    if (conflict !== undefined) throw new Error(`the bean '${conflict}' already exists: rename the function`);
    for (const name of ownNames) beans.delete(name);
    for (const bean of found) for (const name of bean.names) beans.set(name, bean);
    ownNames = new Set(found.flatMap((bean) => bean.names));
  }

  async function checkForChanges(): Promise<void> {
    const found = await stampOfFile(path);
    // The file does not exist for a moment while an editor replaces it.
    if (found === undefined || found === stamp) return;
    stamp = found;
    const functions = await loadFunctions(path, stamp);
    if ("code" in functions) {
      log.write("ERROR", logger, `${functions.message}; the previous version stays active`);
      return;
    }
    replace(functions);
    await changed();
    log.write("INFO", logger, `The functions in '${path}' were reloaded`);
  }

  return watchDirectories({ directories: [dirname(path)], log, logger, noun: "functions", checkForChanges });
}
