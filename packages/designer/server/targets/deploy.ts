// Deploy: saves the text if it differs from the file, sends it to the runtime, and records the outcome. A deployment made elsewhere
// is replaced only if the caller has seen exactly that version.
import { HttpError } from "../http/http-error.ts";
import { hashOf } from "../workspace/durable-file.ts";
import type { DeployRecord } from "../workspace/deploy-records.ts";
import type { TextFile } from "../workspace/text-files.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { authorQuery } from "./author.ts";
import { callRuntime, type RuntimeResponse } from "./runtime-call.ts";
import type { Target, Targets } from "./targets.ts";

export interface DeployRequest {
  readonly id: string;
  readonly text: string;
  /** Hash of the file content that the page has loaded; null if it has loaded none. */
  readonly baseHash: string | null;
  readonly target: string | undefined;
  /** Hash of the deployment made elsewhere that may be replaced, because its diff was shown. */
  readonly overwrite: string | null;
}

export interface DeployReply {
  readonly file: TextFile;
  readonly saved: boolean;
  readonly record: DeployRecord;
  readonly reply: unknown;
}

export async function deploy(workspace: Workspace, targets: Targets, request: DeployRequest): Promise<DeployReply> {
  const target = targets.find(request.target);
  const file = await workspace.flows.save(request.id, request.text, request.baseHash);
  // As when saving, continue if the version cannot be stored.
  if (file.changed) await workspace.versions.add(request.id, request.text, "save").catch(() => undefined);
  const { changed: saved, ...savedFile } = file;
  try {
    const response = await install(workspace, targets, target, request);
    const reply = jsonOf(response) as { hash?: string; lastModified?: string };
    const record: DeployRecord = {
      target: target.name,
      outcome: "deployed",
      at: new Date().toISOString(),
      hash: file.hash,
      deployedHash: reply.hash ?? file.hash,
      deployedAt: reply.lastModified ?? new Date().toISOString(),
    };
    await workspace.records.put(request.id, record).catch(() => undefined);
    await workspace.versions.add(request.id, request.text, "deploy").catch(() => undefined);
    return { file: savedFile, saved, record, reply };
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    // A conflict needs a decision by the user; it is not a failed deployment.
    if (error.detail["conflict"] === undefined) await recordFailure(workspace, target, request.id, file.hash, error.message);
    throw new HttpError(error.status, error.message, { ...error.detail, file: savedFile, saved });
  }
}

async function install(workspace: Workspace, targets: Targets, target: Target, { id, text, overwrite }: DeployRequest): Promise<RuntimeResponse> {
  const path = `/_api/flows/${encodeURIComponent(id)}`;
  const current = await callRuntime(targets, target, { method: "GET", path, timeoutMs: 10_000 });
  if (current.status !== 200 && current.status !== 404) throw runtimeError(current, target);
  const running = current.status === 200 ? (jsonOf(current) as { hash: string; yaml: string; lastModified: string }) : undefined;
  const lastDeployedHash = (await workspace.records.of(id))[target.name]?.deployedHash ?? null;
  if (running !== undefined && ![lastDeployedHash, overwrite, hashOf(text)].includes(running.hash)) {
    throw new HttpError(412, `flow '${id}' on target '${target.name}' was changed elsewhere`, {
      conflict: "deployment",
      deployed: { text: running.yaml, hash: running.hash, lastModified: running.lastModified },
    });
  }
  const response = await callRuntime(targets, target, {
    method: "PUT",
    path: path + authorQuery(),
    headers: { "content-type": "application/yaml", ...(running === undefined ? {} : { "if-match": `"${running.hash}"` }) },
    body: Buffer.from(text, "utf8"),
  });
  if (response.status === 412) {
    throw new HttpError(412, `flow '${id}' on target '${target.name}' was changed in the meantime: deploy again to see the differences`, {
      conflict: "deployment",
    });
  }
  if (response.status < 200 || response.status > 299) throw runtimeError(response, target);
  return response;
}

/** The error for a call that the runtime rejected. */
export function runtimeError(response: RuntimeResponse, target: Target): HttpError {
  const { error } = (jsonOf(response) ?? {}) as { error?: unknown };
  const text = typeof error === "string" ? error : `the runtime '${target.name}' responded with ${response.status}`;
  const hint = response.status === 401 ? `: the token in ${target.tokenEnv} was rejected by '${target.name}'` : "";
  // A 401 of the designer means "sign in", so a 401 of the runtime gets another status.
  return new HttpError(response.status === 401 ? 502 : response.status, text + hint, { runtime: "refused", runtimeStatus: response.status });
}

async function recordFailure(workspace: Workspace, target: Target, id: string, hash: string, error: string): Promise<void> {
  const lastRecord = (await workspace.records.of(id))[target.name];
  const record: DeployRecord = {
    target: target.name,
    outcome: "failed",
    at: new Date().toISOString(),
    hash,
    deployedHash: lastRecord?.deployedHash ?? null,
    deployedAt: lastRecord?.deployedAt ?? null,
    error,
  };
  await workspace.records.put(id, record).catch(() => undefined);
}

export function jsonOf({ text }: RuntimeResponse): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
