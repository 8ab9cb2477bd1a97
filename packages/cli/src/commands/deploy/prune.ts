// What `deploy --prune` removes: everything of the kinds that a deployment installs which the folders do not contain. A wrong folder, an empty one and
// a file that cannot be recognized must not remove anything.
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { Flow } from "@sluice/client";
import { CommandError, UsageError } from "../../command/declaration.ts";
import { countOf } from "../../command/output.ts";
import { projectKameletFolders } from "../../files/project-kamelet-folders.ts";
import { flowIdOf, isDirectory, yamlPathsIn } from "../../files/yaml-files.ts";
import { inOrder } from "../../runtime/in-order.ts";
import type { Connection } from "../../runtime/connection.ts";
import type { Artifact } from "./artifacts.ts";

export interface Removal {
  readonly kind: Artifact["kind"];
  readonly id: string;
  /** The version that was compared; a later one is not removed. */
  readonly hash: string | undefined;
}

export interface Pruning {
  /** In the order in which they are removed: what is used is removed after what uses it. */
  readonly removals: readonly Removal[];
  /** What stays although the folders do not contain it, and why. */
  readonly kept: readonly string[];
}

/** Throws if the paths cannot be all that is deployed. */
export async function assertWholeFolders(paths: readonly string[], id: string | undefined): Promise<void> {
  if (id !== undefined) throw new UsageError("--prune and --id exclude each other: --id deploys a single flow");
  for (const path of paths)
    if (!(await isDirectory(path))) throw new UsageError(`--prune needs folders that contain everything that is deployed, and '${path}' is not a folder`);
}

export async function planPruning(connection: Connection, artifacts: readonly Artifact[], paths: readonly string[]): Promise<Pruning> {
  const { flows } = await connection.call("GET /flows");
  const isKept = keptIds(artifacts);
  const removedFlows = flows.filter(({ id }) => !isKept("flow", id));
  await assertSameProject(artifacts, flows, paths);
  await assertAllRecognized(removedFlows, artifacts, paths);
  const policies = await planPolicies(connection, artifacts, new Set(removedFlows.map(({ id }) => id)), paths);
  const { kamelets } = await connection.call("GET /kamelets");
  const { messageMappings } = await connection.call("GET /message-mappings");
  const { valueMappings } = await connection.call("GET /value-mappings");
  const isUsed = ({ flows: users }: { readonly flows: readonly string[] }): boolean => users.some((id) => isKept("flow", id));
  const unlisted = (kind: Artifact["kind"], items: readonly { readonly id: string; readonly hash: string }[]): readonly Removal[] =>
    items.filter(({ id }) => !isKept(kind, id)).map(({ id, hash }) => ({ kind, id, hash }));
  const files = await kameletFilesOf(artifacts, paths);
  const deployedKamelets = kamelets.filter(({ name, origin }) => origin === "deployed" && !isKept("kamelet", name) && !files.has(name));
  return {
    removals: [
      ...unlisted("flow", removedFlows),
      ...unlisted(
        "kamelet",
        deployedKamelets.filter((kamelet) => !isUsed(kamelet)).map(({ name, hash }) => ({ id: name, hash })),
      ),
      ...policies.removals,
      ...unlisted("message-mapping", messageMappings),
      ...unlisted("value-mapping", valueMappings),
    ],
    kept: [
      ...policies.kept,
      ...deployedKamelets.filter(isUsed).map(({ name, flows: users }) => `kamelet '${name}' is kept: ${users.join(", ")} used it before this deployment`),
    ],
  };
}

/** The names of the project's Kamelets, including those that no flow uses at the moment. */
async function kameletFilesOf(artifacts: readonly Artifact[], paths: readonly string[]): Promise<ReadonlySet<string>> {
  const flowFiles = artifacts.filter(({ kind }) => kind === "flow").map(({ file }) => file);
  const found = (await inOrder([...paths, ...projectKameletFolders(flowFiles)], yamlPathsIn)).flat();
  return new Set(found.flatMap((path) => /^(.+)\.kamelet\.ya?ml$/.exec(basename(path))?.[1] ?? []));
}

/** The ids of flows are compared as the runtime does, which rejects ids that differ in case only. */
function keptIds(artifacts: readonly Artifact[]): (kind: Artifact["kind"], id: string) => boolean {
  const keys = new Set(artifacts.map(({ kind, id }) => `${kind} ${id.toLowerCase()}`));
  return (kind, id) => keys.has(`${kind} ${id.toLowerCase()}`);
}

/** A folder that has no flow in common with the runtime is probably another project's. */
async function assertSameProject(artifacts: readonly Artifact[], flows: readonly Pick<Flow, "id">[], paths: readonly string[]): Promise<void> {
  const isKept = keptIds(artifacts);
  if (flows.length === 0 || flows.some(({ id }) => isKept("flow", id))) return;
  const removed = `${countOf(flows.length, "deployed flow")} (${flows
    .slice(0, 3)
    .map(({ id }) => id)
    .join(", ")}${flows.length > 3 ? ", …" : ""})`;
  throw new CommandError(
    `none of the ${removed} is in ${paths.join(", ")}, so --prune would remove all of them; nothing was changed: check the folder and --runtime, or deploy it without --prune first`,
  );
}

/** A YAML file that is not recognized as a flow, for example because it is damaged, must not cause the removal of its flow. */
async function assertAllRecognized(removed: readonly Pick<Flow, "id">[], artifacts: readonly Artifact[], paths: readonly string[]): Promise<void> {
  const recognized = new Set(artifacts.map(({ file }) => file));
  const others = (await inOrder(paths, yamlPathsIn)).flat().filter((path) => !recognized.has(path));
  for (const { id } of removed) {
    const file = others.find((path) => flowIdOf(path).toLowerCase() === id.toLowerCase());
    if (file !== undefined)
      throw new CommandError(
        `'${file}' is not recognized as a flow, so --prune would remove flow '${id}'; nothing was changed: check it with \`sluice lint ${file}\`, or rename it`,
      );
  }
}

/** Without its policy, a webhook that stays could be called by everyone: only folders that contain policies remove the policies of their flows. */
async function planPolicies(
  connection: Connection,
  artifacts: readonly Artifact[],
  removedFlows: ReadonlySet<string>,
  paths: readonly string[],
): Promise<Pruning> {
  const { policies } = await connection.call("GET /auth");
  const isKept = keptIds(artifacts);
  const hasFolder = (await Promise.all(paths.map((path) => stat(`${path}/policies`).catch(() => undefined)))).some((found) => found?.isDirectory() === true);
  const extra = policies.filter(({ flowId }) => !isKept("policy", flowId));
  const isRemoved = ({ flowId }: { readonly flowId: string }): boolean => hasFolder || removedFlows.has(flowId) || !isKept("flow", flowId);
  return {
    removals: extra.filter(isRemoved).map(({ flowId, hash }) => ({ kind: "policy", id: flowId, hash: hash ?? undefined })),
    kept: extra
      .filter((policy) => !isRemoved(policy))
      .map(({ flowId }) => `policy '${flowId}' is kept, because its flow stays: to manage policies with this deployment, create the folder 'policies'`),
  };
}

/** `2 flows, 1 policy`. */
export function removalsText(removals: readonly Removal[]): string {
  const kinds = new Map<string, number>();
  for (const { kind } of removals) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  return [...kinds].map(([kind, count]) => countOf(count, kind.replace("-", " "), kind === "policy" ? "policies" : undefined)).join(", ");
}
