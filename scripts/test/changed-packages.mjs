// Which packages differ from the upstream branch, committed or not.
import { spawnSync } from "node:child_process";

/** Names of the folders in `packages` with changes; empty if nothing changed or git cannot tell. */
export function changedPackages(root) {
  const git = (...parameters) => spawnSync("git", parameters, { cwd: root, encoding: "utf8" });
  const base = git("merge-base", "HEAD", "@{upstream}");
  const changed = git("diff", "--name-only", base.status === 0 ? base.stdout.trim() : "HEAD");
  const added = git("ls-files", "--others", "--exclude-standard", "packages");
  const names = `${changed.stdout ?? ""}${added.stdout ?? ""}`.split("\n").map((path) => /^packages\/([^/]+)\//.exec(path)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].toSorted();
}
