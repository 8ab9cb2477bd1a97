// Cleans up at the end of a benchmark: on success, failure or Ctrl-C.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const cleanups = new Set();
process.on("exit", () => {
  for (const cleanUp of cleanups)
    try {
      cleanUp();
    } catch {
      // A failed cleanup (already gone) must not stop the others.
    }
});
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
])
  process.once(signal, () => process.exit(code));

/** A temporary folder that is removed when this process exits. */
export function temporaryFolder(name, within = tmpdir()) {
  const folder = mkdtempSync(join(within, `sluice-bench-${name}-`));
  cleanups.add(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Kills a child when this process exits first, including its own children if it was spawned `detached` as a process group. */
export function killOnExit(child, { isGroup = false } = {}) {
  const kill = () => (isGroup ? process.kill(-child.pid, "SIGKILL") : child.kill("SIGKILL"));
  cleanups.add(kill);
  child.once("exit", () => cleanups.delete(kill));
  return child;
}
