// The files of a deployment, in the order in which they are installed.
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, extname, join, resolve } from "node:path";
import type { Operations } from "@sluice/client";
import { FlowTestFileError, readFlowTests } from "@sluice/flow-tests";
import { UsageError } from "../../command/declaration.ts";
import { flatParams, readParamsFile, type Params } from "../../files/flow-params.ts";
import { projectKameletFolders } from "../../files/project-kamelet-folders.ts";
import { readProjectProperties } from "../../files/project-properties.ts";
import { findYamlFiles, flowIdOf, nothingIn, readText, type YamlFile } from "../../files/yaml-files.ts";

interface ArtifactBase {
  readonly id: string;
  readonly file: string;
  readonly text: string;
}

export interface FlowArtifact extends ArtifactBase {
  readonly kind: "flow";
  readonly body: FlowBody;
  /** The names of the project's Kamelets that it uses. */
  readonly kamelets: readonly string[];
}

type FlowBody = Extract<Operations["PUT /flows/:id"]["body"], { readonly yaml: string }>;

export interface KameletArtifact extends ArtifactBase {
  readonly kind: "kamelet";
  readonly body: { readonly yaml: string };
}

export interface DocumentArtifact extends ArtifactBase {
  readonly kind: "value-mapping" | "message-mapping" | "policy";
  /** Request body: JSON, or text of the given type. */
  readonly body: unknown;
  readonly contentType: TableType | undefined;
}

export type Artifact = FlowArtifact | KameletArtifact | DocumentArtifact;

type TableType = Operations["GET /value-mappings/:id"]["replyText"];

const folders = [
  { folder: "value-mappings", kind: "value-mapping", types: { ".json": undefined, ".csv": "text/csv", ".xml": "application/xml" } },
  { folder: "message-mappings", kind: "message-mapping", types: { ".json": undefined } },
  { folder: "policies", kind: "policy", types: { ".json": undefined } },
] as const;

const kameletFile = /^(.+)\.kamelet\.ya?ml$/;

/** Everything to be deployed, documents and Kamelets before the flows that use them. */
export async function collectArtifacts(
  paths: readonly string[],
  options: { readonly params: Params; readonly profile: string | undefined; readonly id: string | undefined; readonly tests: boolean },
): Promise<readonly Artifact[]> {
  const documents: DocumentArtifact[] = [];
  for (const path of paths) {
    const stats = await stat(path).catch(() => undefined);
    if (stats?.isDirectory() === true) documents.push(...(await documentsOf(path)));
  }
  const files = await findYamlFiles(paths);
  const isKameletFile = ({ path }: YamlFile): boolean => kameletFile.test(basename(path));
  const flows = files.filter((file) => file.kind === "flow" && !isKameletFile(file));
  const kameletFiles = files.filter(isKameletFile);
  if (options.id !== undefined && flows.length !== 1) throw new UsageError(`--id requires exactly one flow, found ${flows.length}`);
  if (flows.length + documents.length + kameletFiles.length === 0)
    throw await nothingIn(paths, "flow, mapping or policy", "pass flow files, or folders that contain some");
  const flowArtifacts: FlowArtifact[] = [];
  // The environment is not used: variables of this machine are not those of the runtime.
  const project = readProjectProperties({ profile: options.profile, environment: {} });
  // Loaded on demand: it includes the flow checker.
  const usesKamelets = kameletFiles.length > 0 || projectKameletFolders(flows.map(({ path }) => path)).length > 0;
  const kamelets = usesKamelets ? new (await import("./used-kamelets.ts")).UsedKamelets() : undefined;
  for (const { path, text } of kameletFiles) kamelets?.addFile(kameletFile.exec(basename(path))?.[1] as string, path, text);
  for (const { path, text } of flows) {
    const id = options.id ?? flowIdOf(path);
    const duplicate = flowArtifacts.find((other) => other.id === id);
    if (duplicate !== undefined) throw new UsageError(`'${path}' and '${duplicate.file}' have the same flow id '${id}': rename one of them`);
    const params = { ...(await project.paramsFor(path, text)), ...(await readParamsFile(path)), ...options.params };
    const tests = options.tests ? await testsOf(path, files) : undefined;
    const body = { yaml: text, ...(Object.keys(params).length === 0 ? {} : { params }), ...(tests === undefined ? {} : { tests }) };
    const usedKamelets = kamelets?.add({ file: path, text, params: flatParams(params) }) ?? [];
    flowArtifacts.push({ kind: "flow", id, file: path, text, body, kamelets: usedKamelets });
  }
  return [...documents, ...(kamelets?.artifacts ?? []), ...flowArtifacts];
}

async function documentsOf(folder: string): Promise<readonly DocumentArtifact[]> {
  const found: DocumentArtifact[] = [];
  for (const { folder: name, kind, types } of folders) {
    const subfolder = join(folder, name);
    for (const file of (await readdir(subfolder).catch(() => [] as string[])).toSorted()) {
      const extension = extname(file);
      if (!(extension in types)) continue;
      const id = basename(file, extension);
      const contentType = (types as Readonly<Record<string, TableType | undefined>>)[extension];
      const text = await readText(join(subfolder, file));
      const body = contentType === undefined ? parseDocument(join(subfolder, file), text) : text;
      found.push({ kind, id, file: join(subfolder, file), text, body, contentType });
    }
  }
  return found;
}

/** The tests of this flow, in the format of the runtime. */
async function testsOf(flowPath: string, files: readonly YamlFile[]): Promise<string | undefined> {
  const candidates = files.some(({ kind }) => kind === "tests") ? files : await findYamlFiles([dirname(flowPath)]);
  let found: YamlFile | undefined;
  for (const file of candidates) {
    const { path, text, kind } = file;
    if (kind !== "tests") continue;
    try {
      const { flow, flowId } = readFlowTests(text);
      if ((flow === undefined || resolve(dirname(path), flow) !== resolve(flowPath)) && flowId !== flowIdOf(flowPath)) continue;
      // The API accepts one document, so the tests of the other file would not be run.
      if (found !== undefined)
        throw new UsageError(
          `'${found.path}' and '${path}' both contain tests of '${flowPath}', and a deployment sends one file: move the tests into one of them`,
        );
      found = file;
    } catch (error) {
      if (!(error instanceof FlowTestFileError)) throw error;
      const [first] = error.problems;
      throw new UsageError(`${path}:${first?.line}:${first?.column} ${first?.message}`);
    }
  }
  return found?.text;
}

function parseDocument(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`'${path}' is not valid JSON: ${(error as Error).message}`);
  }
}
