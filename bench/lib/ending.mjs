// Cleans up at the end of a benchmark: on success, failure or Ctrl-C.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const endings = new Set();
process.on("exit", () => {
  for (const end of endings)
    try {
      end();
    } catch {
      // A failed clean-up (already gone) must not stop the others.
    }
});
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
])
  process.once(signal, () => process.exit(code));

/** A temporary folder that is removed with this process. */
export function temporaryFolder(name, within = tmpdir()) {
  const folder = mkdtempSync(join(within, `sluice-bench-${name}-`));
  endings.add(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Kills a child when this process exits first, including its own children if it was spawned `detached` as a process group. */
export function killOnExit(child, { isGroup = false } = {}) {
  const end = () => (isGroup ? process.kill(-child.pid, "SIGKILL") : child.kill("SIGKILL"));
  endings.add(end);
  child.once("exit", () => endings.delete(end));
  return child;
}
