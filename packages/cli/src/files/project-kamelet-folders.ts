// The Kamelet folders of a project: the folder of a flow, and `kamelets` folders there and above, up to the project root.
import { readdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { foldersNamed } from "./project-folders.ts";

/** The folders with Kamelets for these flow files, the nearest first. */
export function projectKameletFolders(flowPaths: readonly string[]): readonly string[] {
  const beside = new Set(flowPaths.map((path) => dirname(resolve(path))));
  return [...new Set([...[...beside].filter(holdsKamelets), ...foldersNamed("kamelets", flowPaths)])];
}

function holdsKamelets(folder: string): boolean {
  try {
    return readdirSync(folder).some((file) => /\.kamelet\.ya?ml$/.test(file));
  } catch {
    return false;
  }
}
