import { watch } from "node:fs";
import type { Log } from "@sluice/engine";

/** Changes settle for this long before they are looked at: editors write in several steps. */
const settleMs = 200;

export interface WatchOptions {
  readonly directories: readonly string[];
  readonly log: Log;
  readonly logger: string;
  /** What is kept there, for the log: `flows`. */
  readonly noun: string;
  /** Looks what changed; never called twice at the same time. */
  look(): Promise<void>;
}

/** Calls `look` at once and after something changed in one of the directories; the returned function ends it. */
export function watchDirectories({ directories, log, logger, noun, look }: WatchOptions): () => void {
  let timer: NodeJS.Timeout | undefined;
  let looking = Promise.resolve();
  const schedule = (): void => {
    looking = looking.then(look).catch((error: unknown) => log.write("ERROR", logger, `looking for changed ${noun} failed`, undefined, { error }));
  };
  schedule();
  const watchers = directories.map((directory) => {
    const watcher = watch(directory, () => {
      clearTimeout(timer);
      timer = setTimeout(schedule, settleMs);
    });
    watcher.on("error", (error) => log.write("ERROR", logger, `watching the directory of ${noun} failed`, undefined, { error }));
    return watcher;
  });
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
