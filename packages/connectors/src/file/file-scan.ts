// Lists the matching files of a directory in sort order.
import { lstat, readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { CompileError, isFlowError, type EndpointScope } from "@sluice/engine/spi";
import { compilePattern } from "@sluice/engine/values";
import type { FileOptions } from "./file-shape.ts";
import { isMissing, isWithin } from "./file-path.ts";
import { fileNameOption } from "./file-name-option.ts";

export interface FoundFile {
  /** Relative to the endpoint's directory, with slashes. */
  readonly name: string;
  readonly path: string;
  readonly size: number;
  readonly modified: number;
}

export const markerSuffix = ".camelLock";
export const renameSuffix = ".camelExclusiveReadLock";

type FileFilter = (name: string) => boolean;
type Order = (a: FoundFile, b: FoundFile) => number;

/** Compiles the filters once; the result lists the directory. */
export function fileScan(directory: string, options: FileOptions, scope: EndpointScope): () => Promise<FoundFile[]> {
  const matches = fileFilter(options, scope);
  const order = orderOf(options.sortBy);
  return async () => {
    const files: FoundFile[] = [];
    await collect("", 1);
    return order === undefined ? files : files.sort(order);

    async function collect(folder: string, depth: number): Promise<void> {
      for (const entry of (await readdir(join(directory, folder), { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1))) {
        const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
        if (entry.isDirectory()) {
          if (options.recursive && depth < options.maxDepth && !entry.name.startsWith(".")) await collect(name, depth + 1);
        } else if (depth >= options.minDepth && depth <= options.maxDepth && matches(name)) {
          const found = await findFile(directory, name);
          if (found !== undefined) files.push(found);
        }
      }
    }
  };
}

/** The current file; undefined when it does not exist, is not a regular file or is a symbolic link that points outside the directory. */
export async function findFile(directory: string, name: string, path = join(directory, name)): Promise<FoundFile | undefined> {
  try {
    const isLink = (await lstat(path)).isSymbolicLink();
    if (isLink && !(await isWithin(directory, path))) return undefined;
    const found = await stat(path);
    return found.isFile() ? { name, path, size: found.size, modified: Math.floor(found.mtimeMs) } : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function fileFilter(options: FileOptions, scope: EndpointScope): FileFilter {
  const tests: FileFilter[] = [(name) => !name.endsWith(markerSuffix) && !name.endsWith(renameSuffix)];
  if (!options.includeHiddenFiles) tests.push((name) => !basename(name).startsWith("."));
  const { include, exclude, includeExt, excludeExt, antInclude, antExclude, fileName, doneFileName } = options;
  if (include !== undefined) tests.push(onBaseName(regexFilter("include", include, true)));
  if (exclude !== undefined) tests.push(not(onBaseName(regexFilter("exclude", exclude, true))));
  if (includeExt !== undefined) tests.push(hasExtension(includeExt));
  if (excludeExt !== undefined) tests.push(not(hasExtension(excludeExt)));
  if (antInclude !== undefined) tests.push(antFilter("antInclude", antInclude, options));
  if (antExclude !== undefined) tests.push(not(antFilter("antExclude", antExclude, options)));
  if (fileName !== undefined) {
    const template = fileNameOption("fileName", fileName, scope);
    tests.push((name) => name === template({ name }));
  }
  // A done file marks another file as ready and is not processed itself.
  if (doneFileName !== undefined) tests.push(not(doneFileFilter(doneFileName)));
  return (name) => tests.every((test) => test(name));
}

const not =
  (test: FileFilter): FileFilter =>
  (name) =>
    !test(name);
const onBaseName =
  (test: FileFilter): FileFilter =>
  (name) =>
    test(basename(name));

function regexFilter(option: string, source: string, ignoreCase: boolean): FileFilter {
  try {
    const pattern = compilePattern(source, { ignoreCase });
    return (text) => pattern.matches(text);
  } catch (error) {
    if (isFlowError(error)) throw new CompileError("bad-option", `${option}: ${error.message}`);
    throw error;
  }
}

function hasExtension(list: string): FileFilter {
  const extensions = list.split(",").map((extension) => `.${extension.trim().toLowerCase()}`);
  return (name) => extensions.some((extension) => name.toLowerCase().endsWith(extension));
}

function antFilter(option: string, list: string, { antFilterCaseSensitive }: FileOptions): FileFilter {
  const tests = list.split(",").map((pattern) => regexFilter(option, antPattern(pattern.trim()), !antFilterCaseSensitive));
  return (name) => tests.some((test) => test(name));
}

/** `**` matches any folders, `*` any characters in a name, `?` one character. */
function antPattern(pattern: string): string {
  const expanded = pattern.endsWith("/") ? `${pattern}**` : pattern;
  return expanded.replaceAll(/\*\*\/|\*\*|\*|\?|[^*?]/g, (part) => {
    if (part === "**/") return "(?:[^/]+/)*";
    if (part === "**") return ".*";
    if (part === "*") return "[^/]*";
    return part === "?" ? "[^/]" : part.replace(/[.+^${}()|[\]\\]/, String.raw`\$&`);
  });
}

function doneFileFilter(doneFileName: string): FileFilter {
  const escaped = doneFileName.split(/\$\{[^}]*\}/).map((literal) => literal.replaceAll(/[.+*?^${}()|[\]\\]/g, String.raw`\$&`));
  return onBaseName(regexFilter("doneFileName", escaped.join(".*"), false));
}

const sortKeys: Readonly<Record<string, (file: FoundFile) => string | number>> = {
  "file:name": ({ name }) => name,
  name: ({ name }) => name,
  "file:onlyname": ({ name }) => basename(name),
  "file:modified": ({ modified }) => modified,
  "date:file": ({ modified }) => modified,
  date: ({ modified }) => modified,
  "file:length": ({ size }) => size,
  "file:size": ({ size }) => size,
  size: ({ size }) => size,
  "file:ext": ({ name }) => basename(name).split(".").slice(1).join("."),
  "file:name.ext": ({ name }) => basename(name).split(".").slice(1).join("."),
};

function orderOf(sortBy: string | undefined): Order | undefined {
  if (sortBy === undefined) return undefined;
  const orders = sortBy.split(";").map((part): Order => {
    const [, reverse, ignoreCase, name] = /^\s*(reverse:)?\s*(ignoreCase:)?\s*(.*?)\s*$/.exec(part) as RegExpExecArray;
    const key = sortKeys[(name as string).replace(/^\$\{(.*)\}$/, "$1")];
    if (key === undefined)
      throw new CompileError("bad-option", `unknown sort key '${part}' in sortBy`, {
        hint: `use ${Object.keys(sortKeys).slice(0, 9).join(", ")}`,
      });
    const value = ignoreCase === undefined ? key : (file: FoundFile) => String(key(file)).toLowerCase();
    const sign = reverse === undefined ? 1 : -1;
    return (a, b) => {
      const [left, right] = [value(a), value(b)];
      return left === right ? 0 : left < right ? -sign : sign;
    };
  });
  return (a, b) => orders.reduce((result, order) => result || order(a, b), 0);
}
