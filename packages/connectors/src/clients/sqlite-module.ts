// SQLite through the API of node:sqlite. Node 20 lacks it, and some later versions contain one with a defect; for those, operators install a
// package with the same API, as they install the client of a database.
import { createRequire, isBuiltin } from "node:module";
import type { ClientPackage } from "@sluice/engine/spi";
import { findClient, installCommand } from "./load-client.ts";

export const sqlitePackage: ClientPackage = { package: "@photostructure/sqlite", version: "1.2.1", reason: "SQLite for a Node without it" };

const builtIn = "node:sqlite";
/** Older versions can corrupt a file with a write-ahead log that several connections write to. */
const fixedVersion = [3, 51, 3] as const;
const requireModule = createRequire(import.meta.url);

/** The module name or path of SQLite, valid for `require` in any thread; undefined when there is none. */
export function findSqlite(): string | undefined {
  const isBuiltIn = isBuiltin(builtIn);
  if (isBuiltIn && !isAffected()) return builtIn;
  const installed = findClient(sqlitePackage);
  if (installed !== undefined) return requireModule.resolve(installed.folder);
  return isBuiltIn ? builtIn : undefined;
}

/** True if the SQLite of this Node can corrupt files that several connections write to; false if Node contains none. */
export function isAffected(version = process.versions["sqlite"]): boolean {
  if (version === undefined) return false;
  const found = version.split(".").map(Number);
  const difference = fixedVersion.map((part, index) => (found[index] ?? 0) - part).find((each) => each !== 0);
  return difference !== undefined && difference < 0;
}

/** The two ways to get SQLite. */
export const howToGetSqlite = (workingDirectory = process.cwd()): string =>
  `run '${installCommand(sqlitePackage)}' in ${workingDirectory} and restart, or use Node 22.23 or newer`;
