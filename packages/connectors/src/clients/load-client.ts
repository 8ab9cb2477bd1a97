// The only place that imports packages the user installs for a connector, next to the runtime or in the working directory.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { FlowError, type ClientPackage } from "@sluice/engine/spi";
import { importModule } from "./import-module.ts";
import { mainModule } from "./main-module.ts";

export interface InstalledClient {
  readonly folder: string;
  readonly version: string;
  /** False when the major version differs from the tested one. */
  readonly isTested: boolean;
}

/** Where a package is installed: resolved from the runtime first, then from the working directory. */
export function findClient({ package: name, version: tested }: ClientPackage, workingDirectory = process.cwd()): InstalledClient | undefined {
  const searchPaths = [import.meta.url, join(workingDirectory, "package.json")].flatMap((from) => createRequire(from).resolve.paths(name) ?? []);
  const folder = searchPaths.map((path) => join(path, name)).find((candidate) => existsSync(join(candidate, "package.json")));
  if (folder === undefined) return undefined;
  const version = String(manifestOf(folder)["version"] ?? "0.0.0");
  return { folder, version, isTested: majorOf(version) === majorOf(tested) };
}

/** The command that installs the package of a client. */
export const installCommand = ({ package: name, version }: ClientPackage): string => `npm i ${name}@${version}`;

const howToInstall = (clientPackage: ClientPackage): string =>
  `${clientPackage.package} (${clientPackage.reason}): run '${installCommand(clientPackage)}' in ${process.cwd()}, then deploy again`;

/** Explains why a client cannot be used and how to install it. */
export const missingClient = (clientPackage: ClientPackage, user: string): string => `${user} needs the package ${howToInstall(clientPackage)}`;

/** Imports the package of a client. Rejects with a FlowError that says how to install it. */
export async function loadClient<T>(clientPackage: ClientPackage): Promise<T> {
  const found = findClient(clientPackage);
  const module = found === undefined ? undefined : mainModule(manifestOf(found.folder));
  if (found === undefined || module === undefined)
    throw new FlowError("java.lang.ClassNotFoundException", `this connection needs the package ${howToInstall(clientPackage)}`, { code: "client-missing" });
  return (await importModule(pathToFileURL(join(found.folder, module)).href)) as T;
}

const manifestOf = (folder: string): Readonly<Record<string, unknown>> =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Readonly<Record<string, unknown>>;

const majorOf = (version: string): string => version.split(".", 1)[0] ?? "";
