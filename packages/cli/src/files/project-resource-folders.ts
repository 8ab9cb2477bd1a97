// The folders with text files that a project's flows load: next to a flow and above it, up to the project root, and the class path folder of a Java project.
import { dirname, join, resolve } from "node:path";
import { isProjectRoot } from "./project-properties.ts";

/** The folders with text files for these flow files, the nearest first. */
export function projectResourceFolders(flowPaths: readonly string[]): readonly string[] {
  const folders = new Set<string>();
  for (const path of flowPaths) {
    let folder = dirname(resolve(path));
    for (; !isProjectRoot(folder); folder = dirname(folder)) folders.add(folder);
    folders.add(folder);
    folders.add(join(folder, "src", "main", "resources"));
  }
  return [...folders];
}
