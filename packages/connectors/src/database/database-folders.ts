// The folders that may contain database files; all other paths are rejected.
import { realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { CompileError } from "@sluice/engine/spi";
import { createFolder } from "../create-folder.ts";
import { isBelow } from "../is-below.ts";

/** Connection settings that only an operator may change. */
export interface ConnectionSettings {
  /** Folders for database files; a relative path is resolved against the first. Undefined allows every path, for hosts that check paths themselves. */
  readonly databaseFolders?: readonly string[];
}

/** The path of a database file; throws a CompileError when it is not in any of the folders. */
export function databasePath(file: string, { databaseFolders }: ConnectionSettings): string {
  if (file.includes("\0") || file.split(/[/\\]/).includes(".."))
    throw new CompileError("connection-file", "the path of a database file must not contain '..' or a NUL character", { hint: "write the path without them" });
  if (databaseFolders === undefined) return resolve(file);
  const path = resolve(databaseFolders[0] ?? ".", file);
  if (folderOf(path, databaseFolders) === undefined)
    throw new CompileError("connection-file", `the database file '${file}' is outside the database folders (${databaseFolders.join(", ")})`, {
      hint: "use a path relative to the first folder, or add the folder of the file to SERVICE_DATABASES",
    });
  return path;
}

/** Creates the folder of a database file and checks that no link points outside the folders. */
export async function prepareDatabaseFolder(path: string, { databaseFolders }: ConnectionSettings): Promise<void> {
  await createFolder(dirname(path));
  const folder = databaseFolders === undefined ? undefined : folderOf(path, databaseFolders);
  if (folder === undefined) return;
  const root = await realpath(folder);
  const real = await realpath(path).catch(async () => join(await realpath(dirname(path)), "new"));
  if (!isBelow(root, real))
    throw new CompileError("connection-file", "the path of the database is a link to a file outside its folder", {
      hint: "put the file itself into the folder",
    });
}

const folderOf = (path: string, folders: readonly string[]): string | undefined => folders.find((folder) => isBelow(resolve(folder), path));
