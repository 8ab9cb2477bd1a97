// Creates folders with their parents, for the connectors, the runtime, the designer's server and the command. Node's own `recursive: true` never returns
// where the system answers ENOENT although the parent exists, as in /proc: it creates the parent again and again.
import { mkdirSync, statSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** The permissions that Node uses too. */
const defaultMode = 0o777;

/** Creates a folder and its parents unless they exist; returns the first one that was created. The `path` of an error is the whole path. */
export async function createFolder(path: string, mode = defaultMode): Promise<string | undefined> {
  const missing: string[] = [];
  for (let level = path; ; level = dirname(level)) {
    const found = await stat(level).catch((error: NodeJS.ErrnoException) => error);
    if (isFolder(found)) break;
    missing.unshift(level);
    if (!mayHaveMissingParent(found, level)) break;
  }
  let first: string | undefined;
  for (const level of missing) {
    try {
      await mkdir(level, mode);
      first ??= level;
    } catch (error) {
      // Another process may have created it.
      if (!isFolder(await stat(level).catch(() => undefined))) throw Object.assign(error as Error, { path });
    }
  }
  return first;
}

/** Like `createFolder`, without a promise. */
export function createFolderSync(path: string, mode = defaultMode): string | undefined {
  const missing: string[] = [];
  for (let level = path; ; level = dirname(level)) {
    const found = statOrError(level);
    if (isFolder(found)) break;
    missing.unshift(level);
    if (!mayHaveMissingParent(found, level)) break;
  }
  let first: string | undefined;
  for (const level of missing) {
    try {
      mkdirSync(level, mode);
      first ??= level;
    } catch (error) {
      if (!isFolder(statOrError(level))) throw Object.assign(error as Error, { path });
    }
  }
  return first;
}

type Found = ReturnType<typeof statSync> | Error | undefined;

const isFolder = (found: Found): boolean => found !== undefined && !(found instanceof Error) && found.isDirectory();

/** False where a parent cannot help, such as for a file: creating this level then fails with the reason. */
const mayHaveMissingParent = (found: Found, level: string): boolean =>
  found instanceof Error && (found as NodeJS.ErrnoException).code === "ENOENT" && dirname(level) !== level;

function statOrError(path: string): Found {
  try {
    return statSync(path);
  } catch (error) {
    return error as Error;
  }
}
