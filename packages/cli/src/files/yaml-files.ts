// Finds flows, flow tests and connections in the given paths.
import { readFileSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { UsageError, type CommandError } from "../command/declaration.ts";
import { assertYaml, nothingFound } from "./file-types.ts";
import { readProblem } from "./read-problem.ts";

export interface YamlFile {
  /** Path as the user would write it. */
  readonly path: string;
  readonly text: string;
  readonly kind: "flow" | "tests" | "connection";
}

const ignoredFolders = /^(node_modules|dist|\..*)$/;
const maxFiles = 10_000;

/**
 * The flows, tests and connections in these paths; folders are searched recursively. Throws if a path does not exist, and if a file
 * cannot be read unless `onUnreadable` is passed.
 */
export async function findYamlFiles(paths: readonly string[], onUnreadable?: (path: string, problem: string) => void): Promise<readonly YamlFile[]> {
  const found: YamlFile[] = [];
  const seen = new Set<string>();
  for (const path of paths.length === 0 ? ["."] : paths) {
    const stats = await stat(path).catch(() => undefined);
    if (stats === undefined) throw new UsageError(`file or folder '${path}' not found: check the path`);
    if (!stats.isDirectory() && !isConnectionFile(path)) assertYaml(path);
    for (const file of stats.isDirectory() ? (await walk(path)).filter(isYamlOrConnection) : [path]) {
      if (seen.has(file)) continue;
      seen.add(file);
      const text = await readText(file).catch((error: unknown) => {
        if (onUnreadable === undefined || !(error instanceof UsageError)) throw error;
        onUnreadable(file, error.message);
        return undefined;
      });
      if (text === undefined) continue;
      const kind = isConnectionFile(file) ? "connection" : kindOf(text);
      if (kind !== undefined || !stats.isDirectory()) found.push({ path: file, text, kind: kind ?? "flow" });
      if (found.length > maxFiles) throw new UsageError(`more than ${maxFiles} files: pass fewer paths`);
    }
  }
  return found;
}

async function walk(folder: string): Promise<readonly string[]> {
  const entries = (await readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
  const found: string[] = [];
  for (const entry of entries) {
    const path = folder === "." ? entry.name : join(folder, entry.name);
    if (entry.isDirectory() && !ignoredFolders.test(entry.name)) found.push(...(await walk(path)));
    else if (entry.isFile()) found.push(path);
  }
  return found;
}

/** True for a readable YAML file with routes or parts of them. */
export async function isFlowFile(path: string): Promise<boolean> {
  if (!/\.ya?ml$/i.test(path) || isConnectionFile(path)) return false;
  return kindOf(await readText(path).catch(() => "")) === "flow";
}

export const isDirectory = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined))?.isDirectory() === true;

/** All YAML files below a folder that could be flows, whatever they contain. */
export const yamlPathsIn = async (folder: string): Promise<readonly string[]> =>
  (await walk(folder)).filter((path) => /\.ya?ml$/i.test(path) && !isConnectionFile(path));

const isYamlOrConnection = (path: string): boolean => /\.ya?ml$/.test(path) || isConnectionFile(path);

/** The error for paths that contain none of what the command needs. */
export async function nothingIn(paths: readonly string[], what: string, fix: string): Promise<CommandError> {
  const folders = paths.length === 0 ? ["."] : paths;
  const found = await Promise.all(folders.map((path) => walk(path).catch(() => [])));
  return nothingFound(what, paths, fix, found.flat());
}

/** Every document in a folder `connections` is a connection. */
export const isConnectionFile = (path: string): boolean => basename(dirname(resolve(path))) === "connections" && /\.(json|ya?ml)$/.test(path);

/** Reads synchronously: for many small files, the overhead of the thread pool takes ten times as long as the read. */
export async function readText(path: string): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(`'${path}' is not UTF-8 text`);
    throw new UsageError(`file '${path}' ${readProblem((error as NodeJS.ErrnoException).code)}`);
  }
}

/** Keys that identify a flow, because other tools use YAML lists too. */
const flowKeys =
  /(^|[\s{[,-])["']?(route|routes|from|uri|beans|rest|restConfiguration|onException|onCompletion|errorHandler|intercept\w*|routeTemplate|templatedRoute|routeConfiguration)["']?\s*:/;

/** A list with flow keys or an empty file is a flow; a map with tests is a test file; other files are ignored. */
function kindOf(text: string): "flow" | "tests" | undefined {
  if (/^(["']?)tests\1\s*:/m.test(text) && /^(["']?)(flow|flowId)\1\s*:/m.test(text)) return "tests";
  if (isCamelDocument(text)) return "flow";
  const first = text.split("\n").find((line) => /^\s*[^\s#]/.test(line) && !/^(---|%)/.test(line));
  if (first === undefined) return "flow";
  return (/^\s*[-[]/.test(first) || /^\s*(routes?|from)\s*:/.test(first)) && flowKeys.test(text) ? "flow" : undefined;
}

/** A Camel K pipe or integration, which is a flow. Kamelets are used by flows but are not flows. */
const isCamelDocument = (text: string): boolean =>
  /^apiVersion:\s*["']?camel\.apache\.org\//m.test(text) && /^kind:\s*["']?(Pipe|KameletBinding|Integration)["']?\s*$/m.test(text);

/** The id a flow gets from its file: `orders` of `orders.camel.yaml`; the folder's name for `flow.yaml`. */
export function flowIdOf(path: string): string {
  const stem = basename(path).replace(/(\.camel)?\.ya?ml$/, "");
  const folder = basename(join(process.cwd(), path, ".."));
  const id = stem === "flow" && folder !== "" ? folder : stem;
  return id.replaceAll(/[^A-Za-z0-9._-]/g, "-").replace(/^[^A-Za-z0-9]+/, "") || "flow";
}
