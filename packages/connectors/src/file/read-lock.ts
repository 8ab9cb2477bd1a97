// Read locks: check that a file is complete before it is read. Each returns a release function, or undefined when the file is not ready.
import { open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@sluice/engine/spi";
import type { FileOptions } from "./file-shape.ts";
import { hasCode } from "./file-path.ts";
import { findFile, markerSuffix, renameSuffix, type FoundFile } from "./file-scan.ts";

export type ReadLock = (file: FoundFile) => Promise<(() => Promise<void>) | undefined>;

const releaseNothing = async (): Promise<void> => undefined;

export function readLock(directory: string, options: FileOptions, clock: Clock): ReadLock {
  switch (options.readLock) {
    case "none":
      return async () => releaseNothing;
    case "changed":
      return async (file) => ((await isUnchanged(directory, file, options, clock)) ? releaseNothing : undefined);
    case "rename":
      return renameLock;
    case "markerFile":
      return markerLock;
  }
}

async function isUnchanged(directory: string, file: FoundFile, options: FileOptions, clock: Clock): Promise<boolean> {
  const { readLockCheckInterval, readLockTimeout, readLockMinLength, readLockMinAge } = options;
  const startTime = clock.monotonic();
  let previous: FoundFile | undefined = file;
  while (previous !== undefined && clock.monotonic() - startTime + readLockCheckInterval <= readLockTimeout) {
    await new Promise<void>((resolve) => clock.after(readLockCheckInterval, resolve));
    const current: FoundFile | undefined = await findFile(directory, file.name);
    if (
      current !== undefined &&
      current.size >= readLockMinLength &&
      clock.now() - current.modified >= readLockMinAge &&
      current.size === previous.size &&
      current.modified === previous.modified
    )
      return true;
    previous = current;
  }
  return false;
}

/** On systems that reject renaming an open file, a successful rename shows that the file is not in use. */
async function renameLock({ path }: FoundFile): Promise<(() => Promise<void>) | undefined> {
  try {
    await rename(path, path + renameSuffix);
    await rename(path + renameSuffix, path);
    return releaseNothing;
  } catch {
    return undefined;
  }
}

async function markerLock({ path }: FoundFile): Promise<(() => Promise<void>) | undefined> {
  try {
    await (await open(path + markerSuffix, "wx")).close();
  } catch (error) {
    if (hasCode(error, "EEXIST")) return undefined;
    throw error;
  }
  return () => rm(path + markerSuffix, { force: true });
}

/** Removes marker files left by a crash, and restores the names of files that a crash left renamed. */
export async function clearLeftovers(directory: string, recursive: boolean): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true, recursive })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    if (entry.name.endsWith(markerSuffix)) await rm(path, { force: true });
    else if (entry.name.endsWith(renameSuffix)) await rename(path, path.slice(0, -renameSuffix.length));
  }
}
