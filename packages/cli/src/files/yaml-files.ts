// Finds the flows and flow tests among the files a user names.
import { readFileSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { UsageError } from "../command/declaration.ts";

export interface YamlFile {
  /** As the user would write it. */
  readonly path: string;
  readonly text: string;
  readonly kind: "flow" | "tests";
}

const skipped = /^(node_modules|dist|\..*)$/;
const mostFiles = 10_000;

/** The YAML files of these paths; folders are searched through. Throws for a path that is not there. */
export async function findYamlFiles(paths: readonly string[]): Promise<readonly YamlFile[]> {
  const found: YamlFile[] = [];
  const seen = new Set<string>();
  for (const path of paths.length === 0 ? ["."] : paths) {
    const facts = await stat(path).catch(() => undefined);
    if (facts === undefined) throw new UsageError(`there is no file or folder '${path}': check the path`);
    for (const file of facts.isDirectory() ? await walk(path) : [path]) {
      if (seen.has(file)) continue;
      seen.add(file);
      const text = await readText(file);
      const kind = kindOf(text);
      if (kind !== undefined || !facts.isDirectory()) found.push({ path: file, text, kind: kind ?? "flow" });
      if (found.length > mostFiles) throw new UsageError(`more than ${mostFiles} files: name fewer`);
    }
  }
  return found;
}

async function walk(folder: string): Promise<readonly string[]> {
  const entries = (await readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
  const found: string[] = [];
  for (const entry of entries) {
    const path = folder === "." ? entry.name : join(folder, entry.name);
    if (entry.isDirectory() && !skipped.test(entry.name)) found.push(...(await walk(path)));
    else if (entry.isFile() && /\.ya?ml$/.test(entry.name)) found.push(path);
  }
  return found;
}

/** Reads at once: handing each of many small files to the thread pool takes ten times as long as reading it. */
export async function readText(path: string): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(`'${path}' is not UTF-8 text`);
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(code === "ENOENT" ? `there is no file '${path}': check the path` : `'${path}' cannot be read: ${code}`);
  }
}

/** Words that only flows hold: other tools keep lists in YAML too. */
const flowWords =
  /(^|[\s{[,-])["']?(route|routes|from|uri|beans|rest|restConfiguration|onException|onCompletion|errorHandler|intercept\w*|routeTemplate|templatedRoute|routeConfiguration)["']?\s*:/;

/** A list with a flow's words is a flow, and so is an empty file; a map that holds tests is a test file; anything else is somebody else's. */
function kindOf(text: string): "flow" | "tests" | undefined {
  if (/^(["']?)tests\1\s*:/m.test(text) && /^(["']?)(flow|flowId)\1\s*:/m.test(text)) return "tests";
  const first = text.split("\n").find((line) => /^\s*[^\s#]/.test(line) && !/^(---|%)/.test(line));
  if (first === undefined) return "flow";
  return (/^\s*[-[]/.test(first) || /^\s*(routes?|from)\s*:/.test(first)) && flowWords.test(text) ? "flow" : undefined;
}

/** The id a flow gets from its file: `orders` of `orders.camel.yaml`; the folder's name for `flow.yaml`. */
export function flowIdOf(path: string): string {
  const stem = basename(path).replace(/(\.camel)?\.ya?ml$/, "");
  const folder = basename(join(process.cwd(), path, ".."));
  const id = stem === "flow" && folder !== "" ? folder : stem;
  return id.replaceAll(/[^A-Za-z0-9._-]/g, "-").replace(/^[^A-Za-z0-9]+/, "") || "flow";
}
