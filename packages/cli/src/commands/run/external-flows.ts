import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { ExternalFlow, ExternalFlows } from "@sluice/server";
import { UsageError } from "../../command/declaration.ts";
import { readParamsFile, type Params } from "../../files/flow-params.ts";
import { readProjectProperties, type ProjectPropertiesOptions } from "../../files/project-properties.ts";
import { findYamlFiles, flowIdOf, nothingIn } from "../../files/yaml-files.ts";

/** The flows in the given paths; `list` reads them again on each call. Throws if two have the same id. Undefined without paths. */
export async function readExternalFlows(
  paths: readonly string[],
  { params, ...project }: ProjectPropertiesOptions & { readonly params: Params },
): Promise<(ExternalFlows & { readonly files: readonly string[] }) | undefined> {
  if (paths.length === 0) return undefined;
  let propertyFolders: readonly string[] = [];
  const list = async (): Promise<readonly ExternalFlow[]> => {
    const owners = new Map<string, string>();
    const flows: ExternalFlow[] = [];
    const properties = readProjectProperties(project);
    for (const { path, text, kind } of await findYamlFiles(paths)) {
      if (kind !== "flow") continue;
      const id = flowIdOf(path);
      // The runtime rejects ids that differ in case only.
      const owner = owners.get(id.toLowerCase());
      if (owner !== undefined) throw new UsageError(`'${path}' and '${owner}' have the same flow id '${id}': rename one of them`);
      owners.set(id.toLowerCase(), path);
      flows.push({ id, path: resolve(path), params: { ...(await properties.paramsFor(path, text)), ...(await readParamsFile(path)), ...params } });
    }
    propertyFolders = properties.folders;
    return flows;
  };
  const flows = await list();
  if (flows.length === 0) throw await nothingIn(paths, "flow", "pass a flow file, or a folder that contains one");
  const pathFolders = await Promise.all(paths.map(async (path) => ((await stat(path)).isDirectory() ? resolve(path) : dirname(resolve(path)))));
  return { list, files: flows.map(({ path }) => path), folders: [...new Set([...pathFolders, ...flows.map(({ path }) => dirname(path)), ...propertyFolders])] };
}
