// Kamelet files in their published form: `<name>.kamelet.yaml`. Files are read on demand, so that large catalogs cost nothing until used.
import { readdirSync, readFileSync, statSync, type Stats } from "node:fs";
import { basename, join } from "node:path";
import type { KameletFile, KameletFiles } from "@sluice/engine";
import { CompileError } from "@sluice/engine/spi";
import { defaultLimits } from "@sluice/model";

const extensions = [".kamelet.yaml", ".kamelet.yml"] as const;
/** Also prevents names that point outside the folder. */
const validName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,200}$/;
const maxNames = 10_000;

/** The Kamelets in these folders. If several have a Kamelet of the same name, the first folder is used. Missing folders are ignored. */
export function kameletFolders(folders: readonly string[]): KameletFiles {
  return {
    find(name) {
      for (const path of pathsOf(folders, name)) {
        const file = readKamelet(path);
        if (file !== undefined) return file;
      }
      return undefined;
    },
    names() {
      const names = folders.flatMap((folder) => filesOf(folder).map((file) => basename(file).replace(/\.kamelet\.ya?ml$/, "")));
      return [...new Set(names)].sort().slice(0, maxNames);
    },
  };
}

/** The file of a Kamelet, without reading it. */
export function findKameletFile(folders: readonly string[], name: string): { readonly path: string; readonly stats: Stats } | undefined {
  for (const path of pathsOf(folders, name)) {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() === true) return { path, stats };
  }
  return undefined;
}

function pathsOf(folders: readonly string[], name: string): readonly string[] {
  if (!validName.test(name) || name.includes("..")) return [];
  return folders.flatMap((folder) => extensions.map((extension) => join(folder, `${name}${extension}`)));
}

function filesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((file) => extensions.some((extension) => file.endsWith(extension)));
  } catch {
    return [];
  }
}

function readKamelet(path: string): KameletFile | undefined {
  try {
    if (!statSync(path).isFile()) return undefined;
    // Larger files are truncated just beyond the limit, so that the parser rejects them.
    return { file: path, text: new TextDecoder("utf-8").decode(readFileSync(path).subarray(0, defaultLimits.bytes + 1)) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" || (error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw new CompileError(
      "kamelet-unreadable",
      `cannot read the Kamelet file '${path}': ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`,
    );
  }
}
