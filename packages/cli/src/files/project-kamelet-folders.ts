// The Kamelet folders of a project: the folder of a flow, and `kamelets` folders there and above, up to the project root.
import { readdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { foldersNamed } from "./project-folders.ts";

/** The folders with Kamelets for these flow files, the nearest first. */
export function projectKameletFolders(flowPaths: readonly string[]): readonly string[] {
  const flowFolders = new Set(flowPaths.map((path) => dirname(resolve(path))));
  return [...new Set([...[...flowFolders].filter(containsKamelets), ...foldersNamed("kamelets", flowPaths)])];
}

function containsKamelets(folder: string): boolean {
  try {
    return readdirSync(folder).some((file) => /\.kamelet\.ya?ml$/.test(file));
  } catch {
    return false;
  }
}
