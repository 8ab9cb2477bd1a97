import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { createFolder } from "@sluice/connectors/create-folder";
import { writeDurably } from "@sluice/connectors/durable-file";
import { HttpError } from "../http/http-error.ts";

/** Replaced in tests to simulate a full disk. */
export type WriteFile = (path: string, bytes: Uint8Array) => Promise<void>;

export const hashOf = (bytes: Uint8Array | string): string => createHash("sha256").update(bytes).digest("hex");

/** Writes a file of the workspace durably; creates its folder if needed. */
export const writeWorkspaceFile: WriteFile = async (path, bytes) => {
  await createFolder(dirname(path));
  await writeDurably(path, bytes, 0o644);
};

/** Converts a file system error to an HTTP error. */
export function diskError(error: unknown, name: string): HttpError {
  if (error instanceof HttpError) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG") return new HttpError(507, `no space left on the disk to save '${name}'; nothing was changed`);
  const reason =
    code === "EROFS"
      ? "the disk is read-only"
      : code === "EACCES" || code === "EPERM"
        ? "no write permission for the folder"
        : `disk error (${code ?? "unknown"})`;
  return new HttpError(500, `cannot save '${name}': ${reason}; nothing was changed`);
}
