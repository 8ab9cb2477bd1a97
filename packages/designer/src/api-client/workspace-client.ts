// The API of the designer server: files, versions, targets, deployments.
import { createSender } from "@sluice/client";
import type { DeployRecord } from "../document/flow-state.ts";
import type { SavedFile } from "../document/open-flow.ts";
import { callTimeoutMs, toError } from "./api-errors.ts";

export interface FlowEntry {
  readonly id: string;
  readonly name: string;
  readonly category: string | null;
  readonly hash: string;
  readonly lastModified: string;
  readonly routeIds: readonly string[];
  readonly routeCount: number;
  readonly readable: boolean;
  readonly deploys: Readonly<Record<string, DeployRecord>>;
}

export interface FlowFile extends SavedFile {
  readonly id: string;
  readonly deploys: Readonly<Record<string, DeployRecord>>;
}

export interface Category {
  readonly id: string;
  readonly label: string;
  readonly color?: string;
}

export interface CategoryFile {
  readonly categories: readonly Category[];
  readonly text: string;
  readonly hash: string | null;
  readonly error?: string;
}

export interface TargetEntry {
  readonly name: string;
  readonly baseUrl: string;
  readonly tokenEnv: string;
  readonly hasToken: boolean;
}

/** The targets to save. Sending a token to a new address requires a confirmation, and the password if one is set. */
export interface TargetsBody {
  readonly targets: readonly Omit<TargetEntry, "hasToken">[];
  readonly confirmed?: readonly string[];
  readonly password?: string;
}

export interface VersionEntry {
  readonly id: string;
  readonly at: string;
  readonly reason: "save" | "deploy";
  readonly hash: string;
}

export interface DeployReply {
  readonly file: SavedFile;
  readonly saved: boolean;
  readonly record: DeployRecord;
  readonly reply: { readonly warnings?: readonly string[]; readonly routes?: readonly { readonly id: string; readonly url?: string }[] };
}

export interface DeployBody {
  readonly text: string;
  readonly baseHash: string | null;
  readonly target: string | null;
  readonly overwrite: string | null;
}

export interface RollbackBody {
  readonly target: string;
  readonly revision: number;
  /** Hash of the version on the target that the user has seen. */
  readonly replacing: string;
}

/** A workspace file other than a flow: a test or a mapping. */
export interface DocumentFile extends SavedFile {
  readonly id: string;
}

/** A call to a webhook, by its route or by its own path. */
export interface TryBody {
  readonly target: string | null;
  readonly routeId?: string;
  readonly path?: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface TryReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly truncated: boolean;
  readonly durationMs: number;
  readonly runId: string | null;
}

const sender = createSender({ root: "/_designer", timeoutMs: callTimeoutMs, toError });

const pathOf = (...names: readonly string[]): string => `/${names.map(encodeURIComponent).join("/")}`;

async function callJson<T>(method: string, path: string, { body }: { readonly body?: unknown } = {}): Promise<T> {
  return (await sender.send(method, path, { body })).body as T;
}

export const workspaceClient = {
  session: () => callJson<{ signedIn: boolean; passwordRequired: boolean }>("GET", pathOf("session")),
  signIn: (password: string) => callJson<unknown>("POST", pathOf("session"), { body: { password } }),
  signOut: () => callJson<unknown>("DELETE", pathOf("session")),
  flows: () => callJson<{ flows: readonly FlowEntry[] }>("GET", pathOf("flows")).then(({ flows }) => flows),
  flow: (id: string) => callJson<FlowFile>("GET", pathOf("flows", id)),
  saveFlow: (id: string, text: string, expectedHash: string | null) =>
    callJson<SavedFile & { versionStored: boolean }>("PUT", pathOf("flows", id), { body: { text, expectedHash } }),
  removeFlow: (id: string, expectedHash: string) => callJson<unknown>("DELETE", pathOf("flows", id), { body: { expectedHash } }),
  deployFlow: (id: string, body: DeployBody) => callJson<DeployReply>("POST", pathOf("flows", id, "deploy"), { body }),
  rollBackFlow: (id: string, body: RollbackBody) => callJson<Pick<DeployReply, "record" | "reply">>("POST", pathOf("flows", id, "rollback"), { body }),
  versions: (id: string) => callJson<{ versions: readonly VersionEntry[] }>("GET", pathOf("flows", id, "versions")).then(({ versions }) => versions),
  versionText: (id: string, version: string) => callJson<{ text: string }>("GET", pathOf("flows", id, "versions", version)).then(({ text }) => text),
  tests: (flowId: string) => callJson<{ tests: readonly DocumentFile[] }>("GET", pathOf("flows", flowId, "tests")).then(({ tests }) => tests),
  test: (flowId: string, id: string) => callJson<DocumentFile>("GET", pathOf("flows", flowId, "tests", id)),
  saveTest: (flowId: string, id: string, text: string, expectedHash: string | null) =>
    callJson<DocumentFile>("PUT", pathOf("flows", flowId, "tests", id), { body: { text, expectedHash } }),
  removeTest: (flowId: string, id: string, expectedHash: string) =>
    callJson<unknown>("DELETE", pathOf("flows", flowId, "tests", id), { body: { expectedHash } }),
  documents: (kind: string) => callJson<{ documents: readonly DocumentFile[] }>("GET", pathOf("documents", kind)).then(({ documents }) => documents),
  saveDocument: (kind: string, id: string, text: string, expectedHash: string | null) =>
    callJson<DocumentFile>("PUT", pathOf("documents", kind, id), { body: { text, expectedHash } }),
  removeDocument: (kind: string, id: string, expectedHash: string) => callJson<unknown>("DELETE", pathOf("documents", kind, id), { body: { expectedHash } }),
  categories: () => callJson<CategoryFile>("GET", pathOf("categories")),
  saveCategories: (text: string, expectedHash: string | null) => callJson<CategoryFile>("PUT", pathOf("categories"), { body: { text, expectedHash } }),
  targets: () => callJson<{ targets: readonly TargetEntry[] }>("GET", pathOf("targets")).then(({ targets }) => targets),
  saveTargets: (body: TargetsBody) => callJson<{ targets: readonly TargetEntry[] }>("PUT", pathOf("targets"), { body }).then((reply) => reply.targets),
  tryWebhook: (body: TryBody) => callJson<TryReply>("POST", pathOf("try"), { body }),
};
