// Resolves an entry of SERVICE_CONNECTORS: a folder, or an installed package. Node resolves names from the runtime's own location, but
// plug-ins are usually installed in the operator's folder.
import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { isAbsolute, join, resolve } from "node:path";
import { mainModule } from "@sluice/connectors";
import type { PluginProblem } from "./plugin-error.ts";

export interface FoundPackage {
  /** As written in the setting. */
  readonly entry: string;
  readonly name: string;
  readonly version: string;
  /** The path of package.json. */
  readonly manifestFile: string;
  /** The `sluice` key of package.json, not validated. */
  readonly manifest: unknown;
  /** The module to import. */
  readonly module: string;
}

type Json = Readonly<Record<string, unknown>>;

export const isFolderPath = (entry: string): boolean => /^\.{1,2}([/\\]|$)/.test(entry) || isAbsolute(entry);
const packageName = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/** Finds the package of an entry, or returns why there is none. */
export function findPackage(entry: string, workingDirectory: string): FoundPackage | PluginProblem {
  if (isFolderPath(entry)) {
    const folder = resolve(workingDirectory, entry);
    if (!existsSync(folder) || !statSync(folder).isDirectory())
      return missingProblem(entry, `the folder '${folder}' does not exist`, "correct the path in SERVICE_CONNECTORS; it is relative to the working directory");
    return readPackage(entry, folder);
  }
  if (!packageName.test(entry))
    return missingProblem(entry, `'${entry}' is neither a package name nor a folder`, "write folders as ./folder, and separate entries with commas");
  const folder = findInstalledPackage(entry, workingDirectory);
  if (folder === undefined)
    return missingProblem(
      entry,
      `the package '${entry}' is not installed in '${workingDirectory}' or next to the runtime`,
      `run 'npm install ${entry}' in '${workingDirectory}', or remove it from SERVICE_CONNECTORS`,
    );
  return readPackage(entry, folder);
}

function missingProblem(entry: string, what: string, fix: string): PluginProblem {
  return { code: "plugin-missing", file: entry, message: `SERVICE_CONNECTORS: ${what}`, fix };
}

/** The folder of an installed package, searched from the working directory, then from the runtime. */
export function findInstalledPackage(name: string, workingDirectory: string): string | undefined {
  const folders = [join(workingDirectory, "package.json"), import.meta.url].flatMap((from) => createRequire(from).resolve.paths(name) ?? []);
  return folders.map((parent) => join(parent, name)).find((folder) => existsSync(join(folder, "package.json")));
}

function readPackage(entry: string, folder: string): FoundPackage | PluginProblem {
  const manifestFile = join(folder, "package.json");
  const invalid = (message: string, fix: string): PluginProblem => ({ code: "plugin-invalid", file: manifestFile, message: `'${entry}': ${message}`, fix });
  let content: Json;
  try {
    content = JSON.parse(readFileSync(manifestFile, "utf8")) as Json;
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === "ENOENT" ? "does not exist" : `cannot be read: ${(error as Error).message}`;
    return invalid(`'${manifestFile}' ${reason}`, "a plug-in is a package: add a package.json with name, version, exports and sluice");
  }
  const target = mainModule(content);
  const module = target === undefined ? undefined : join(folder, target);
  if (module === undefined || !existsSync(module))
    return invalid(
      module === undefined ? "package.json does not export an importable module" : `the module '${module}' does not exist`,
      "build the package, or correct 'exports' in its package.json",
    );
  const { name = entry, version = "0.0.0" } = content;
  return { entry, name: String(name), version: String(version), manifestFile, manifest: content["sluice"], module };
}
