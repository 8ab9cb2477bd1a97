import { watch, type FSWatcher } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Terminal } from "../../terminal/terminal.ts";

/** Debounce time, because editors save in several steps. */
const settleMs = 150;

/** Runs once, and again on every file change below the paths, until interrupted; resolves to the last exit code. */
export async function watchAndRun(paths: readonly string[], signal: AbortSignal, terminal: Terminal, runOnce: () => Promise<number>): Promise<number> {
  let changed: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isDue = false;
  const watchers = await watchPaths(paths, () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      isDue = true;
      changed?.();
    }, settleMs);
  });
  let exit = 0;
  try {
    while (!signal.aborted) {
      isDue = false;
      exit = await runOnce().catch((error: Error) => {
        if (signal.aborted) return exit;
        terminal.note(error.message);
        return 2;
      });
      if (signal.aborted) break;
      terminal.note("Watching for changes; press Ctrl-C to stop.");
      await new Promise<void>((resolve) => {
        changed = () => {
          signal.removeEventListener("abort", changed as () => void);
          resolve();
        };
        signal.addEventListener("abort", changed, { once: true });
        if (isDue) changed();
      });
    }
  } finally {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  }
  return exit;
}

/** Calls back when a YAML or JSON file in these paths changes. */
async function watchPaths(paths: readonly string[], changed: () => void): Promise<readonly FSWatcher[]> {
  const watchers: FSWatcher[] = [];
  for (const path of paths.length === 0 ? ["."] : paths) {
    const folder = (await stat(path)).isDirectory() ? path : dirname(path);
    watchers.push(
      watch(folder, { recursive: true }, (_event, name) => {
        if (name === null || (/\.(ya?ml|json)$/.test(name) && !/(^|[\\/])(node_modules|\.)/.test(name))) changed();
      }),
    );
  }
  return watchers;
}
