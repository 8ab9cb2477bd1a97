// Writing that survives a loss of power: beside its place, flushed, renamed, directory flushed.
import { createHash, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, rename, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { HttpError } from "../http/http-error.ts";

/** How files reach the disk; tests give one that is full. */
export type WriteFile = (path: string, bytes: Uint8Array) => Promise<void>;

export const hashOf = (bytes: Uint8Array | string): string => createHash("sha256").update(bytes).digest("hex");

export const writeDurably: WriteFile = async (path, bytes) => {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  const passing = join(folder, `.${basename(path)}.${randomBytes(8).toString("hex")}.tmp`);
  try {
    const file = await open(passing, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0), 0o644);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(passing, path);
  } catch (error) {
    await unlink(passing).catch(() => undefined);
    throw error;
  }
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** A failure of the disk in the words of the page. */
export function diskError(error: unknown, name: string): HttpError {
  if (error instanceof HttpError) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG") return new HttpError(507, `no space left on the disk to save '${name}'; nothing was changed`);
  const reason =
    code === "EROFS"
      ? "the disk is read-only"
      : code === "EACCES" || code === "EPERM"
        ? "the folder does not allow it"
        : `the disk failed (${code ?? "unknown"})`;
  return new HttpError(500, `cannot save '${name}': ${reason}; nothing was changed`);
}
