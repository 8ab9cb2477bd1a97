// Deploys an earlier version that the runtime stores, and records it as the deployed one. The file of the workspace does not change.
import { HttpError } from "../http/http-error.ts";
import type { DeployRecord } from "../workspace/deploy-records.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { authorQuery } from "./author.ts";
import { jsonOf, runtimeError } from "./deploy.ts";
import { callRuntime } from "./runtime-call.ts";
import type { Targets } from "./targets.ts";

export interface RollbackRequest {
  readonly id: string;
  readonly target: string | undefined;
  readonly revision: number;
  /** Hash of the version that the user has seen and wants to replace. */
  readonly replacing: string;
}

export interface RollbackReply {
  readonly record: DeployRecord;
  readonly reply: unknown;
}

export async function rollBack(workspace: Workspace, targets: Targets, { id, target: name, revision, replacing }: RollbackRequest): Promise<RollbackReply> {
  const target = targets.find(name);
  const response = await callRuntime(targets, target, {
    method: "POST",
    path: `/_api/flows/${encodeURIComponent(id)}/rollback${authorQuery()}`,
    headers: { "content-type": "application/json", "if-match": `"${replacing}"` },
    body: Buffer.from(JSON.stringify({ revision }), "utf8"),
  });
  if (response.status === 412)
    throw new HttpError(412, `flow '${id}' on target '${target.name}' was changed in the meantime: roll back again to see the difference`);
  if (response.status !== 200) throw runtimeError(response, target);
  const reply = jsonOf(response) as { readonly hash: string; readonly lastModified: string };
  const at = new Date().toISOString();
  const record: DeployRecord = { target: target.name, outcome: "deployed", at, hash: reply.hash, deployedHash: reply.hash, deployedAt: reply.lastModified };
  await workspace.records.put(id, record).catch(() => undefined);
  return { record, reply };
}
