import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { GivenFlow, GivenFlows } from "@sluice/server";
import { UsageError } from "../../command/declaration.ts";
import { paramsBeside, type Params } from "../../files/flow-params.ts";
import { findYamlFiles, flowIdOf } from "../../files/yaml-files.ts";

/** The flows among the files a user names, now and later; two of one id are refused. Undefined when nothing is named. */
export async function givenFlows(paths: readonly string[], params: Params = {}): Promise<GivenFlows | undefined> {
  if (paths.length === 0) return undefined;
  const list = async (): Promise<readonly GivenFlow[]> => {
    const owners = new Map<string, string>();
    const flows: GivenFlow[] = [];
    for (const { path, kind } of await findYamlFiles(paths)) {
      if (kind !== "flow") continue;
      const id = flowIdOf(path);
      const owner = owners.get(id);
      if (owner !== undefined) throw new UsageError(`'${path}' and '${owner}' are both flow '${id}': rename one of them`);
      owners.set(id, path);
      flows.push({ id, path: resolve(path), params: { ...(await paramsBeside(path)), ...params } });
    }
    return flows;
  };
  const flows = await list();
  if (flows.length === 0) throw new UsageError(`there is no flow in ${paths.map((path) => `'${path}'`).join(", ")}`);
  const named = await Promise.all(paths.map(async (path) => ((await stat(path)).isDirectory() ? resolve(path) : dirname(resolve(path)))));
  return { list, folders: [...new Set([...named, ...flows.map(({ path }) => dirname(path))])] };
}
