// Folders of a project that belong to its flows: next to a flow and above it, up to the project root.
import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isProjectRoot } from "./project-properties.ts";

/** The folders of this name next to and above the flow files, the nearest first. */
export function foldersNamed(name: string, flowPaths: readonly string[]): readonly string[] {
  const found = new Set<string>();
  const seen = new Set<string>();
  for (const path of flowPaths)
    for (let folder = dirname(resolve(path)); !seen.has(folder); folder = dirname(folder)) {
      seen.add(folder);
      const candidate = join(folder, name);
      if (statSync(candidate, { throwIfNoEntry: false })?.isDirectory() === true) found.add(candidate);
      if (isProjectRoot(folder)) break;
    }
  return [...found];
}

/** A setting that lists folders, with those of the project before those of the operator. */
export function withFolders(setting: string, folders: readonly string[]): string {
  // A comma separates entries, so a path that contains one cannot be listed.
  return [...folders.filter((folder) => !folder.includes(",")), setting].filter((entry) => entry !== "").join(",");
}
