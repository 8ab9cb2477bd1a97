// Changes to files in the data directory: crash-safe, and with errors that name the file.
import { constants } from "node:fs";
import { open, readdir, rm, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { createFolder } from "@sluice/connectors/create-folder";
import * as durable from "@sluice/connectors/durable-file";
import { StorageError, type Removal, type Unflushed } from "./flow-store.ts";

/** Writes and flushes a new file under a temporary name; returns that name. */
export const writeTemporary = (directory: string, name: string, bytes: Uint8Array, mode: number): Promise<string> =>
  withStorageErrors(name, () => durable.writeTemporary(directory, name, bytes, mode));

/** Renames a temporary file to its final name; if that fails, removes it and throws. The directory must be flushed afterwards. */
export const putInPlace = (directory: string, temporary: string, name: string): Promise<void> =>
  withStorageErrors(name, () => durable.putInPlace(directory, temporary, name));

/** Creates a directory below `parent`; true when it did not exist. The parent must be flushed afterwards. */
export const makeDirectory = (parent: string, name: string, mode: number): Promise<boolean> =>
  withStorageErrors(name, async () => (await createFolder(join(parent, name), mode)) !== undefined);

/** Removes a directory with its files, if it exists. */
export const removeDirectory = (parent: string, name: string): Promise<void> =>
  withStorageErrors(name, () => rm(join(parent, name), { recursive: true, force: true }));

async function withStorageErrors<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storageError(error, name);
  }
}

/** Larger than any stored document. */
const maxFileBytes = 128 * 1024 * 1024;

/** Reads a whole file. Rejects pipes and devices, which could block, and files above the limit. */
export async function readEntireFile(path: string, maxBytes = maxFileBytes): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw Object.assign(new Error("not a regular file"), { code: "ENOTFILE" });
    if (stats.size > maxBytes) throw Object.assign(new Error(`the file is too large: ${stats.size} bytes, the limit is ${maxBytes}`), { code: "EFBIG" });
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Writes a file durably. If it throws a StorageError, the previous content is unchanged. */
export async function writeDurably(directory: string, name: string, bytes: Uint8Array, mode: number): Promise<Unflushed> {
  if (bytes.length > maxFileBytes) throw new StorageError("refused", `cannot store '${name}': ${bytes.length} bytes, the limit is ${maxFileBytes}`);
  await putInPlace(directory, await writeTemporary(directory, name, bytes, mode), name);
  return flushDirectory(directory, name);
}

/** Removes a file durably. If it throws a StorageError, the file still exists. */
export async function removeDurably(directory: string, name: string): Promise<Removal> {
  const found = await removeFile(directory, name);
  return { found, unflushed: found ? await flushDirectory(directory, name) : undefined };
}

/** Flushes a directory. The change to `name` is already visible, so a failure is returned, not thrown. */
export async function flushDirectory(directory: string, name: string): Promise<Unflushed> {
  return durable.flushDirectory(directory).then(
    () => undefined,
    (error: unknown) => storageError(error, name),
  );
}

/** Modification time of a file that was just written, in milliseconds since the epoch. */
export async function modifiedAt(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => Math.round(mtimeMs),
    () => Date.now(),
  );
}

/** Removes a file; false when it did not exist. */
export async function removeFile(directory: string, name: string): Promise<boolean> {
  try {
    await unlink(join(directory, name));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw storageError(error, name);
  }
}

/** Removes temporary files left by a crash. */
export async function removeLeftovers(directory: string): Promise<void> {
  const names = await readdir(directory);
  await Promise.all(names.filter((name) => durable.temporaryName.test(name)).map((name) => unlink(join(directory, name)).catch(() => undefined)));
}

function storageError(cause: unknown, name: string): StorageError {
  const { code = "unknown" } = cause as NodeJS.ErrnoException;
  if (["ENOSPC", "EDQUOT", "EFBIG"].includes(code)) return new StorageError("full", `no space left to store '${name}'`, { cause });
  const reason = reasons[code];
  return new StorageError("refused", `cannot change '${name}': ${reason ?? `disk error (${code})`}`, { cause, isFault: reason === undefined });
}

const permissionDenied = "permission denied in the data directory";
const reasons: Readonly<Partial<Record<string, string>>> = { EROFS: "the data directory is read-only", EACCES: permissionDenied, EPERM: permissionDenied };
