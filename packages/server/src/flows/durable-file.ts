// Files that survive a loss of power: written beside their place, flushed, then renamed, then the directory is flushed.
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { open, readdir, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import { StorageError } from "./flow-store.ts";

const temporary = /^\..*\.[0-9a-f]{16}\.tmp$/;

/** Writes a new file under a passing name and flushes it; returns that name. */
export async function writeTemporary(directory: string, name: string, bytes: Uint8Array, mode: number): Promise<string> {
  const passing = `.${name}.${randomBytes(8).toString("hex")}.tmp`;
  const path = join(directory, passing);
  try {
    const file = await open(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0), mode);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    return passing;
  } catch (error) {
    await unlink(path).catch(() => undefined);
    throw storageError(error, name);
  }
}

/** Reads a whole file. What is none, a pipe somebody put there, say, is refused at once instead of waited for. */
export async function readWhole(path: string): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!(await file.stat()).isFile()) throw Object.assign(new Error("what is there is no file"), { code: "ENOTFILE" });
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Puts a written file in its place; the directory still has to be flushed. */
export async function putInPlace(directory: string, passing: string, name: string): Promise<void> {
  try {
    await rename(join(directory, passing), join(directory, name));
  } catch (error) {
    throw storageError(error, name);
  }
}

/** Makes renames and removals in a directory last. */
export async function flushDirectory(directory: string): Promise<void> {
  const handle = await open(directory, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Removes a file; false when there was none. */
export async function removeFile(directory: string, name: string): Promise<boolean> {
  try {
    await unlink(join(directory, name));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw storageError(error, name);
  }
}

/** Removes what a crash left half written. */
export async function removeLeftovers(directory: string): Promise<void> {
  const names = await readdir(directory);
  await Promise.all(names.filter((name) => temporary.test(name)).map((name) => unlink(join(directory, name)).catch(() => undefined)));
}

function storageError(error: unknown, name: string): StorageError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG") return new StorageError("full", `no space left to store '${name}'`, error);
  const reason =
    code === "EROFS"
      ? "the data directory is read-only"
      : code === "EACCES" || code === "EPERM"
        ? "the data directory does not allow it"
        : `the disk failed (${code ?? "unknown"})`;
  return new StorageError("refused", `cannot change '${name}': ${reason}`, error);
}
