// Resolves SERVICE_KAMELETS: folders, and npm packages with `sluice.kamelets` in package.json.
import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { isBelow } from "@sluice/connectors";
import type { Settings } from "../config.ts";
import { PluginError, type PluginProblem } from "../plugins/plugin-error.ts";
import { installedIn, isFolderPath } from "../plugins/find-package.ts";

/** The folder `kamelets` in the data directory, then those of the setting. Throws one PluginError with all problems. */
export function findKameletFolders({ kamelets, dataDir }: Pick<Settings, "kamelets" | "dataDir">, workingDirectory: string = process.cwd()): readonly string[] {
  const entries = kamelets.split(",").flatMap((entry) => (entry.trim() === "" ? [] : [entry.trim()]));
  const found = entries.map((entry) => folderOf(entry, workingDirectory));
  const problems = found.filter((folder) => typeof folder !== "string");
  if (problems.length > 0) throw new PluginError(problems);
  return [join(resolve(workingDirectory, dataDir), "kamelets"), ...(found as readonly string[])];
}

function folderOf(entry: string, workingDirectory: string): string | PluginProblem {
  if (isFolderPath(entry)) {
    const folder = resolve(workingDirectory, entry);
    return isFolder(folder) ? folder : missing(entry, `the folder '${folder}' does not exist`, "correct the path; it is relative to the working directory");
  }
  const installed = installedIn(entry, workingDirectory);
  if (installed === undefined) return missing(entry, `the package '${entry}' is not installed`, `run 'npm install ${entry}', or write a folder as ./folder`);
  const inside = folderInPackage(installed);
  const folder = inside === undefined ? undefined : join(installed, inside);
  return folder !== undefined && isFolder(folder) && (folder === installed || isBelow(installed, folder))
    ? folder
    : missing(entry, `the package '${entry}' has no Kamelets`, `its package.json must name their folder: "sluice": {"kamelets": "kamelets"}`);
}

function folderInPackage(installed: string): string | undefined {
  try {
    const content = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as { readonly sluice?: { readonly kamelets?: unknown } };
    const folder = content.sluice?.kamelets;
    return typeof folder === "string" ? folder : undefined;
  } catch {
    return undefined;
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

function missing(entry: string, what: string, fix: string): PluginProblem {
  return { code: "kamelets-missing", file: entry, message: `SERVICE_KAMELETS: ${what}`, fix };
}
