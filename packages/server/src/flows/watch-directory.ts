import { watch as watchFile } from "node:fs";
import type { Log } from "@sluice/engine";

/** Polling interval where the system does not report changes. */
const pollMs = 2_000;
/** Delay before a check, because editors write files in several steps. */
const settleMs = 200;

export interface WatchOptions {
  readonly directories: readonly string[];
  readonly log: Log;
  readonly logger: string;
  /** The kind of documents in the directories, for the log: `flows`. */
  readonly noun: string;
  /** Calls never overlap. */
  checkForChanges(): Promise<void>;
  /** Reports changes in a directory; replaceable in tests. */
  readonly watch?: typeof watchFile;
}

/** Calls `checkForChanges` at once and after each change in a directory; the returned function stops watching. */
export function watchDirectories({ directories, log, logger, noun, checkForChanges, watch = watchFile }: WatchOptions): () => void {
  let timer: NodeJS.Timeout | undefined;
  let lastCheck = Promise.resolve();
  const schedule = (): void => {
    lastCheck = lastCheck
      .then(checkForChanges)
      .catch((error: unknown) => log.write("ERROR", logger, `Failed to check for changed ${noun}`, undefined, { error }));
  };
  schedule();
  let pollTimer: NodeJS.Timeout | undefined;
  const poll = (error: unknown): void => {
    if (pollTimer !== undefined) return;
    log.write("WARN", logger, `The system does not report changes to ${noun}: checking every ${pollMs / 1_000} seconds`, undefined, { error });
    pollTimer = setInterval(schedule, pollMs);
  };
  const watchers = directories.flatMap((directory) => {
    try {
      const watcher = watch(directory, () => {
        clearTimeout(timer);
        timer = setTimeout(schedule, settleMs);
      });
      watcher.on("error", poll);
      return [watcher];
    } catch (error) {
      // No file watchers are available, or the file system does not support them.
      poll(error);
      return [];
    }
  });
  return () => {
    clearTimeout(timer);
    clearInterval(pollTimer);
    for (const watcher of watchers) watcher.close();
  };
}
