import { resolve } from "node:path";
import { UsageError } from "../../command/declaration.ts";
import { paramsBeside } from "../../files/flow-params.ts";
import { findYamlFiles, flowIdOf } from "../../files/yaml-files.ts";

export interface GivenFlow {
  readonly id: string;
  /** Absolute. */
  readonly path: string;
  /** As a deploy would give them. */
  readonly params?: Readonly<Record<string, unknown>>;
}

/** The flows among the files a user names; two of one id are refused. */
export async function givenFlows(paths: readonly string[], params: Readonly<Record<string, unknown>> = {}): Promise<readonly GivenFlow[]> {
  if (paths.length === 0) return [];
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
  if (flows.length === 0) throw new UsageError(`there is no flow in ${paths.map((path) => `'${path}'`).join(", ")}`);
  return flows;
}
