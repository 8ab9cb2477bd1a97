// Storage of a table or document: saved as a workspace file, deployed to the runtime.
import { ApiError, type TableSummary } from "@sluice/client";
import { documentText } from "@sluice/mapping";
import { parse } from "yaml";
import { runtimeAt, type MappingKind } from "../api-client/runtime-client.ts";
import { workspaceClient, type DocumentFile } from "../api-client/workspace-client.ts";
import { mappingStrings } from "../strings/mappings.ts";
import { installedMappings } from "./installed-mappings.ts";
import { hasComments } from "./yaml-comments.ts";

export interface SavedMapping {
  /** The saved version; undefined for a mapping that does not exist yet. */
  readonly document: unknown;
  /** The version that the runtime uses. */
  readonly deployed: unknown;
  /** The hash of the installed version; undefined when the runtime has none. */
  readonly hash: string | undefined;
  readonly file: DocumentFile | undefined;
  readonly tableIds: readonly string[];
  readonly documentIds: readonly string[];
  /** False when the runtime did not respond, so that it is unknown which version is installed. */
  readonly isRuntimeKnown: boolean;
}

export async function loadMapping(kind: MappingKind, id: string, target: string | undefined): Promise<SavedMapping> {
  // The hash is read before the content: if the content changes in between, the next save is rejected instead of overwriting the change.
  const runtime = runtimeAt(target);
  const [lists, files] = await Promise.all([installedMappings(target), workspaceClient.documents(kind)]);
  if ("error" in lists)
    return fromWorkspace(
      id,
      files.find((entry) => entry.id === id),
      lists.error,
    );
  const { tables, documents } = lists;
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
    isRuntimeKnown: true,
  };
}

/** Without a runtime, the files of the workspace can still be edited and tested. */
async function fromWorkspace(id: string, file: DocumentFile | undefined, error: Error): Promise<SavedMapping> {
  // The mapping may exist on the runtime only, so it must not be shown as new.
  if (file === undefined) throw error;
  const [tables, documents] = await Promise.all([workspaceClient.documents("value-mappings"), workspaceClient.documents("message-mappings")]);
  return {
    document: contentOf(file.text),
    deployed: undefined,
    hash: undefined,
    file,
    tableIds: tables.map((entry) => entry.id),
    documentIds: documents.map((entry) => entry.id).filter((other) => other !== id),
    isRuntimeKnown: false,
  };
}

/** The tables that a lookup can use: those of the runtime, or of the workspace while the runtime does not respond. */
export async function lookupTables(target: string | undefined): Promise<readonly LookupTable[]> {
  const lists = await installedMappings(target);
  if ("tables" in lists) return lists.tables;
  return (await workspaceClient.documents("value-mappings")).map(({ id, text }) => {
    const { name, columns } = (contentOf(text) ?? {}) as { readonly name?: string; readonly columns?: unknown };
    return { id, name: name ?? id, columns: Array.isArray(columns) ? columns.map(String) : [] };
  });
}

export type LookupTable = Pick<TableSummary, "id" | "columns"> & { readonly name?: string | null | undefined };

/** A table or document by id: that of the runtime, or of the workspace while the runtime does not respond. */
export async function readMapping(kind: MappingKind, id: string, target: string | undefined): Promise<unknown> {
  try {
    return await runtimeAt(target).call(`GET /${kind}/:id`, { params: { id } });
  } catch (error) {
    const file = (await workspaceClient.documents(kind)).find((entry) => entry.id === id);
    if (file === undefined) throw error;
    return contentOf(file.text);
  }
}

export interface SaveOutcome {
  readonly file: DocumentFile | undefined;
  /** Why the workspace file was not changed. */
  readonly fileSkipped: "comments" | "conflict" | undefined;
}

/** Writes the workspace file; the runtime is not changed. */
export async function saveMapping(kind: MappingKind, id: string, document: unknown, { file }: SavedMapping): Promise<SaveOutcome> {
  const text = documentText(document);
  if (file?.text === text) return { file, fileSkipped: undefined };
  // Saving would remove the comments of the file.
  if (file !== undefined && hasComments(file.text)) return { file, fileSkipped: "comments" };
  try {
    const { hash, ...rest } = await workspaceClient.saveDocument(kind, id, text, file?.hash ?? null);
    return { file: { ...rest, id, text, hash }, fileSkipped: undefined };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    return { file, fileSkipped: "conflict" };
  }
}

export interface DeployOutcome {
  readonly hash: string;
  readonly warnings: readonly string[];
}

/** Deploys the mapping, unless another version was deployed after it was loaded. */
export async function deployMapping(
  kind: MappingKind,
  id: string,
  document: unknown,
  { hash, isRuntimeKnown }: SavedMapping,
  target: string | undefined,
): Promise<DeployOutcome> {
  if (!isRuntimeKnown) throw new Error(mappingStrings.reloadToDeploy);
  return runtimeAt(target).call(`PUT /${kind}/:id`, { params: { id }, body: document, ifMatch: hash });
}

export const isSameDocument = (left: unknown, right: unknown): boolean => documentText(left) === documentText(right);

/** Removes the mapping from the runtime and the workspace, if it exists there. */
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
