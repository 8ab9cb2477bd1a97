// Text files that flows may load with `resource:`; only folders of the operator are searched.
import { readFileSync, realpathSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { isBelow } from "@sluice/connectors";
import type { ResourceFile, ResourceFiles } from "@sluice/engine";
import { CompileError, isCompileError } from "@sluice/engine/spi";
import type { Settings } from "../config.ts";

const maxBytes = 1024 * 1024;

/** The folder `resources` of the data directory first, then those of the setting. */
export function findResourceFolders({ resources, dataDir }: Pick<Settings, "resources" | "dataDir">): readonly string[] {
  const configured = resources.split(",").flatMap((folder) => (folder.trim() === "" ? [] : [resolve(folder.trim())]));
  return [join(resolve(dataDir), "resources"), ...configured];
}

/** The files of these folders; if several have a file of the same name, the first folder is used. Missing folders are ignored. */
export function resourceFolders(folders: readonly string[]): ResourceFiles {
  return {
    read(place, path) {
      const name = place === "file" ? path.replace(/^\/\/(?=\/)/, "") : path.replace(/^\/+/, "");
      checkName(name);
      for (const folder of folders) {
        const found = readInside(folder, resolve(folder, name), name);
        if (found !== undefined) return found;
      }
      throw new CompileError("resource-missing", `the file '${name}' is not in any folder from which text can be loaded`, {
        hint: `put it into one of them (${folders.join(", ")}), or add its folder to SERVICE_RESOURCES`,
        offset: 0,
      });
    },
  };
}

function checkName(name: string): void {
  const segments = name.split(/[\\/]/).filter((segment) => segment !== "." && segment !== "");
  const problem =
    segments.length === 0
      ? "is empty"
      : name.includes("\0")
        ? "contains a NUL character"
        : segments.includes("..")
          ? "must not contain '..'"
          : segments.some((segment) => segment.startsWith("."))
            ? "is hidden, and hidden files are not read"
            : undefined;
  if (problem !== undefined)
    throw new CompileError("resource-refused", `the file name '${name.replaceAll("\0", "")}' ${problem}`, {
      hint: "write it as resource:file:folder/name.txt",
      offset: 0,
    });
}

function readInside(folder: string, path: string, name: string): ResourceFile | undefined {
  if (!isBelow(resolve(folder), path)) return undefined;
  try {
    // Links are resolved first: a link in the folder must point neither to a file outside it nor to a hidden one.
    const root = realpathSync(folder);
    const real = realpathSync(path);
    if (!isBelow(root, real)) throw unusable(name, "is a link to a file outside its folder", "put the file itself into the folder");
    if (
      relative(root, real)
        .split(sep)
        .some((segment) => segment.startsWith("."))
    )
      throw unusable(name, "is a link to a hidden file or into a hidden folder", "link to a file whose path has no name that starts with a dot");
    const { size } = fileStats(real, name);
    if (size > maxBytes) throw unusable(name, `has ${size} bytes, more than the maximum of ${maxBytes}`, "make it smaller, or split it");
    return { file: name, text: new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(real)) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (isCompileError(error)) throw error;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") throw unusable(name, "is not UTF-8 text", "save it as UTF-8");
    throw unusable(name, `cannot be read (${code ?? (error as Error).message})`, "correct its permissions");
  }
}

function fileStats(path: string, name: string): { readonly size: number } {
  const stats = statSync(path);
  if (!stats.isFile()) throw unusable(name, "is not a file", "specify a file in the folder");
  return stats;
}

const unusable = (name: string, what: string, hint: string): CompileError =>
  new CompileError("resource-unusable", `the file '${name}' ${what}`, { hint, offset: 0 });
