// The only place where names become paths. A path never points outside its directory.
import { realpath } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { FlowError } from "@sluice/engine/spi";
import { createFolder } from "../create-folder.ts";

const maxSegmentBytes = 255;
const maxPathBytes = 4096;

/** The path of a name in a directory; throws a FlowError for an invalid name or one outside the directory. */
export function pathWithin(directory: string, name: string): string {
  const segments = name.split(/[/\\]/).filter((segment) => segment !== "" && segment !== ".");
  const reason = name.includes("\0")
    ? "it contains a NUL character"
    : /^([/\\]|[A-Za-z]:)/.test(name)
      ? "it is absolute"
      : segments.includes("..")
        ? "it points outside the directory"
        : segments.length === 0 || /[/\\]$/.test(name)
          ? "it does not name a file"
          : segments.some((segment) => Buffer.byteLength(segment) > maxSegmentBytes) || Buffer.byteLength(name) > maxPathBytes
            ? "it is too long"
            : undefined;
  if (reason !== undefined) throw fileError(`file name '${displayName(name)}' rejected: ${reason}`, "file-name-refused");
  return join(directory, ...segments);
}

/** Creates the directories of a file and checks that no symbolic link among them points outside `directory`. */
export async function prepareParent(directory: string, path: string, create: boolean): Promise<void> {
  const parent = dirname(path);
  if (create) await createFolder(parent);
  if (!(await isWithin(directory, parent)))
    throw fileError(`file name '${displayName(relative(directory, path))}' rejected: a symbolic link points outside the directory`, "file-name-refused");
}

/** True when the resolved path is inside the directory. */
export async function isWithin(directory: string, path: string): Promise<boolean> {
  const [root, real] = await Promise.all([realpath(directory), realpath(path)]);
  return real === root || real.startsWith(root.endsWith(sep) ? root : root + sep);
}

export function fileError(message: string, code = "file-failed", cause?: unknown): FlowError {
  return new FlowError("org.apache.camel.component.file.GenericFileOperationFailedException", message, { code, cause, retryable: code === "file-failed" });
}

export function isMissing(error: unknown): boolean {
  return hasCode(error, "ENOENT");
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

function displayName(name: string): string {
  const text = name.replaceAll(/[^\x20-\x7e]/g, "?");
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
