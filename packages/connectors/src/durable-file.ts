// Crash-safe file changes, for the runtime and the designer: write a temporary file, flush it, rename it, flush the directory.
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { open, rename, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** The names of temporary files, which a crash may leave behind. */
export const temporaryName = /^\..*\.[0-9a-f]{16}\.tmp$/;

/** Writes and flushes a new file under a temporary name; returns that name. */
export async function writeTemporary(directory: string, name: string, bytes: Uint8Array, mode: number): Promise<string> {
  const temporary = `.${name}.${randomBytes(8).toString("hex")}.tmp`;
  const path = join(directory, temporary);
  return removeOnFailure(path, async () => {
    const file = await open(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0), mode);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    return temporary;
  });
}

/** Renames a temporary file to its final name; if that fails, removes it and throws. The directory must be flushed afterwards. */
export async function putInPlace(directory: string, temporary: string, name: string): Promise<void> {
  const path = join(directory, temporary);
  await removeOnFailure(path, () => rename(path, join(directory, name)));
}

export async function flushDirectory(directory: string): Promise<void> {
  const handle = await open(directory, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Writes a file so that after a crash it has either the old or the new content. */
export async function writeDurably(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  const directory = dirname(path);
  await putInPlace(directory, await writeTemporary(directory, basename(path), bytes, mode), basename(path));
  await flushDirectory(directory);
}

async function removeOnFailure<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await unlink(path).catch(() => undefined);
    throw error;
  }
}
