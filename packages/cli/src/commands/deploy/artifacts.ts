// What a deploy is made of: files on this side, in the order in which they are put in.
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, extname, join, resolve } from "node:path";
import { FlowTestFileError, readFlowTests } from "@sluice/flow-tests";
import { UsageError } from "../../command/declaration.ts";
import { paramsBeside, type Params } from "../../files/flow-params.ts";
import { findYamlFiles, flowIdOf, readText, type YamlFile } from "../../files/yaml-files.ts";

type Kind = "value-mapping" | "message-mapping" | "policy" | "flow";

export interface Artifact {
  readonly kind: Kind;
  readonly id: string;
  readonly file: string;
  /** Below `/_api`. */
  readonly path: string;
  readonly text: string;
  /** What is sent, and as what. */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

const folders = [
  { folder: "value-mappings", kind: "value-mapping", path: "value-mappings", types: { ".json": undefined, ".csv": "text/csv", ".xml": "application/xml" } },
  { folder: "message-mappings", kind: "message-mapping", path: "message-mappings", types: { ".json": undefined } },
  { folder: "policies", kind: "policy", path: "auth", types: { ".json": undefined } },
] as const;

/** Everything to be deployed, documents before the flows that use them. */
export async function collectArtifacts(
  paths: readonly string[],
  options: { readonly params: Params; readonly id: string | undefined; readonly tests: boolean },
): Promise<readonly Artifact[]> {
  const documents: Artifact[] = [];
  for (const path of paths) {
    const facts = await stat(path).catch(() => undefined);
    if (facts?.isDirectory() === true) documents.push(...(await documentsOf(path)));
  }
  const files = await findYamlFiles(paths);
  const flows = files.filter(({ kind }) => kind === "flow");
  if (options.id !== undefined && flows.length !== 1) throw new UsageError(`--id needs exactly one flow, and there are ${flows.length}`);
  if (flows.length + documents.length === 0) throw new UsageError(`there is nothing to deploy in ${paths.join(", ")}`);
  const made: Artifact[] = [];
  for (const { path, text } of flows) {
    const id = options.id ?? flowIdOf(path);
    const twin = made.find((other) => other.id === id);
    if (twin !== undefined) throw new UsageError(`'${path}' and '${twin.file}' are both flow '${id}': rename one of them`);
    const params = { ...(await paramsBeside(path)), ...options.params };
    const tests = options.tests ? await testsOf(path, files) : undefined;
    const body = { yaml: text, ...(Object.keys(params).length === 0 ? {} : { params }), ...(tests === undefined ? {} : { tests }) };
    made.push({ kind: "flow", id, file: path, path: `/flows/${encodeURIComponent(id)}`, text, body, headers: {} });
  }
  return [...documents, ...made];
}

async function documentsOf(folder: string): Promise<readonly Artifact[]> {
  const found: Artifact[] = [];
  for (const { folder: name, kind, path, types } of folders) {
    const inside = join(folder, name);
    for (const file of (await readdir(inside).catch(() => [] as string[])).toSorted()) {
      const extension = extname(file);
      if (!(extension in types)) continue;
      const id = basename(file, extension);
      const mediaType = (types as Readonly<Record<string, string | undefined>>)[extension];
      const text = await readText(join(inside, file));
      const body = mediaType === undefined ? parsed(join(inside, file), text) : text;
      found.push({
        kind,
        id,
        file: join(inside, file),
        path: `/${path}/${encodeURIComponent(id)}`,
        text,
        body,
        headers: mediaType === undefined ? {} : { "content-type": mediaType },
      });
    }
  }
  return found;
}

/** The tests that name this flow, as the runtime takes them. */
async function testsOf(flowPath: string, files: readonly YamlFile[]): Promise<string | undefined> {
  const beside = files.some(({ kind }) => kind === "tests") ? files : await findYamlFiles([dirname(flowPath)]);
  for (const { path, text, kind } of beside) {
    if (kind !== "tests") continue;
    try {
      const { flow, flowId } = readFlowTests(text);
      if ((flow !== undefined && resolve(dirname(path), flow) === resolve(flowPath)) || flowId === flowIdOf(flowPath)) return text;
    } catch (error) {
      if (!(error instanceof FlowTestFileError)) throw error;
      const [first] = error.faults;
      throw new UsageError(`${path}:${first?.line}:${first?.column} ${first?.message}`);
    }
  }
  return undefined;
}

function parsed(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`'${path}' is no valid JSON: ${(error as Error).message}`);
  }
}
