// Storage of a table or document: saved as a workspace file, deployed to the runtime.
import { ApiError } from "@sluice/client";
import { documentText } from "@sluice/mapping";
import { parse } from "yaml";
import { runtimeAt, type MappingKind } from "../api-client/runtime-client.ts";
import { workspaceClient, type DocumentFile } from "../api-client/workspace-client.ts";

export interface SavedMapping {
  /** The saved version; undefined for a mapping that does not exist yet. */
  readonly document: unknown;
  /** The version that the runtime uses. */
  readonly deployed: unknown;
  /** The installed version; undefined when the runtime has none. */
  readonly hash: string | undefined;
  readonly file: DocumentFile | undefined;
  readonly tableIds: readonly string[];
  readonly documentIds: readonly string[];
}

export async function loadMapping(kind: MappingKind, id: string, target: string | undefined): Promise<SavedMapping> {
  // The hash is read before the content, so that a change in between is rejected on save instead of overwritten.
  const runtime = runtimeAt(target);
  const [{ valueMappings: tables }, { messageMappings: documents }, files] = await Promise.all([
    runtime.call("GET /value-mappings"),
    runtime.call("GET /message-mappings"),
    workspaceClient.documents(kind),
  ]);
  const installed = (kind === "value-mappings" ? tables : documents).find((entry) => entry.id === id);
  const file = files.find((entry) => entry.id === id);
  const deployed = installed === undefined ? undefined : await runtime.call(`GET /${kind}/:id`, { params: { id } });
  const saved = file === undefined ? undefined : contentOf(file.text);
  return {
    document: saved ?? deployed,
    deployed,
    hash: installed?.hash,
    file,
    tableIds: tables.map((entry) => entry.id),
    documentIds: documents.map((entry) => entry.id),
  };
}

export interface SaveOutcome {
  readonly file: DocumentFile | undefined;
  /** Why the workspace file was not changed. */
  readonly fileLeft: "commented" | "changed" | undefined;
}

/** Writes the workspace file; the runtime is not changed. */
export async function saveMapping(kind: MappingKind, id: string, document: unknown, { file }: SavedMapping): Promise<SaveOutcome> {
  const text = documentText(document);
  if (file?.text === text) return { file, fileLeft: undefined };
  // Comments would be lost.
  if (file !== undefined && /(^|\s)#/.test(file.text)) return { file, fileLeft: "commented" };
  try {
    const { hash, ...rest } = await workspaceClient.saveDocument(kind, id, text, file?.hash ?? null);
    return { file: { ...rest, id, text, hash }, fileLeft: undefined };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { file, fileLeft: "changed" };
  }
}

export interface DeployOutcome {
  readonly hash: string;
  readonly warnings: readonly string[];
}

/** Installs it on the runtime, unless another version was deployed since it was loaded. */
export async function deployMapping(
  kind: MappingKind,
  id: string,
  document: unknown,
  { hash }: SavedMapping,
  target: string | undefined,
): Promise<DeployOutcome> {
  return runtimeAt(target).call(`PUT /${kind}/:id`, { params: { id }, body: document, ifMatch: hash });
}

export const isSameDocument = (one: unknown, other: unknown): boolean => documentText(one) === documentText(other);

/** Removes it from both places; a missing one is not an error. */
export async function removeMapping(kind: MappingKind, id: string, hash: string | undefined, target: string | undefined): Promise<void> {
  if (hash !== undefined) await runtimeAt(target).call(`DELETE /${kind}/:id`, { params: { id }, ifMatch: hash });
  const file = (await workspaceClient.documents(kind)).find((entry) => entry.id === id);
  if (file !== undefined) await workspaceClient.removeDocument(kind, id, file.hash);
}

function contentOf(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 100 }) as unknown;
  } catch {
    return undefined;
  }
}
