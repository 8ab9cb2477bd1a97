// Resolves SERVICE_KAMELETS: folders, and npm packages with `sluice.kamelets` in package.json.
import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { isBelow } from "@sluice/connectors";
import type { Settings } from "../config.ts";
import { PluginError, type PluginProblem } from "../plugins/plugin-error.ts";
import { findInstalledPackage, isFolderPath } from "../plugins/find-package.ts";

/** Where a Kamelet comes from. Only deployed ones can be changed through the API. */
export interface KameletOrigin {
  readonly origin: "deployed" | "folder" | "package";
  /** The folder or package as the operator named it, or the cluster. */
  readonly name: string;
}

/** A folder with Kamelets. Those of the data directory are deployed. */
export interface KameletFolder extends KameletOrigin {
  readonly folder: string;
}

/** The folder `kamelets` in the data directory, then those of the setting. Throws one PluginError with all problems. */
export function kameletSearchPath(
  { kamelets, dataDir }: Pick<Settings, "kamelets" | "dataDir">,
  workingDirectory: string = process.cwd(),
): readonly [KameletFolder, ...KameletFolder[]] {
  const entries = kamelets.split(",").flatMap((entry) => (entry.trim() === "" ? [] : [entry.trim()]));
  const results = entries.map((name) => {
    const folder = folderOf(name, workingDirectory);
    return typeof folder === "string" ? { origin: isFolderPath(name) ? ("folder" as const) : ("package" as const), name, folder } : folder;
  });
  const problems = results.filter((result) => "code" in result);
  if (problems.length > 0) throw new PluginError(problems);
  const deployed = join(resolve(workingDirectory, dataDir), "kamelets");
  return [{ origin: "deployed", name: deployed, folder: deployed }, ...results.flatMap((result) => ("code" in result ? [] : [result]))];
}

/** The paths of all these folders, in the order in which they are searched. */
export const findKameletFolders = (settings: Pick<Settings, "kamelets" | "dataDir">, workingDirectory?: string): readonly string[] =>
  kameletSearchPath(settings, workingDirectory).map(({ folder }) => folder);

function folderOf(entry: string, workingDirectory: string): string | PluginProblem {
  if (isFolderPath(entry)) {
    const folder = resolve(workingDirectory, entry);
    return isFolder(folder)
      ? folder
      : missingProblem(entry, `the folder '${folder}' does not exist`, "correct the path; it is relative to the working directory");
  }
  const installed = findInstalledPackage(entry, workingDirectory);
  if (installed === undefined)
    return missingProblem(entry, `the package '${entry}' is not installed`, `run 'npm install ${entry}', or write a folder as ./folder`);
  const inside = folderInPackage(installed);
  const folder = inside === undefined ? undefined : join(installed, inside);
  return folder !== undefined && isFolder(folder) && (folder === installed || isBelow(installed, folder))
    ? folder
    : missingProblem(
        entry,
        `the package '${entry}' has no Kamelets`,
        `set the folder with the Kamelets in its package.json: "sluice": {"kamelets": "kamelets"}`,
      );
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

function missingProblem(entry: string, problem: string, fix: string): PluginProblem {
  return { code: "kamelets-missing", file: entry, message: `SERVICE_KAMELETS: ${problem}`, fix };
}
