// A benchmark leaves nothing behind, however it ends: by itself, with a failure, or by Ctrl-C.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const endings = new Set();
process.on("exit", () => {
  for (const end of endings)
    try {
      end();
    } catch {
      // What is gone already needs no ending, and the others still do.
    }
});
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
])
  process.once(signal, () => process.exit(code));

/** A folder that goes with this process. */
export function temporaryFolder(name, within = tmpdir()) {
  const folder = mkdtempSync(join(within, `sluice-bench-${name}-`));
  endings.add(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Ends a child when this process ends before it, and those it started when it was spawned `detached`, as a group of its own. */
export function endsWithUs(child, { isGroup = false } = {}) {
  const end = () => (isGroup ? process.kill(-child.pid, "SIGKILL") : child.kill("SIGKILL"));
  endings.add(end);
  child.once("exit", () => endings.delete(end));
  return child;
}
