// Storage of a table or document: installed on the runtime, and saved as a workspace file for simulations.
import { ApiError } from "@sluice/client";
import { documentText } from "@sluice/mapping";
import { parse } from "yaml";
import { runtimeAt, type MappingKind } from "../api-client/runtime-client.ts";
import { workspaceClient, type DocumentFile } from "../api-client/workspace-client.ts";

export interface SavedMapping {
  /** Undefined for a mapping that does not exist yet. */
  readonly document: unknown;
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
  const document =
    installed === undefined ? (file === undefined ? undefined : contentOf(file.text)) : await runtime.call(`GET /${kind}/:id`, { params: { id } });
  return { document, hash: installed?.hash, file, tableIds: tables.map((entry) => entry.id), documentIds: documents.map((entry) => entry.id) };
}

export interface SaveOutcome {
  readonly hash: string;
  readonly warnings: readonly string[];
  readonly file: DocumentFile | undefined;
  /** Why the workspace file was not changed. */
  readonly fileLeft: "commented" | "changed" | undefined;
}

export async function saveMapping(kind: MappingKind, id: string, document: unknown, saved: SavedMapping, target: string | undefined): Promise<SaveOutcome> {
  const { hash, warnings } = await runtimeAt(target).call(`PUT /${kind}/:id`, { params: { id }, body: document, ifMatch: saved.hash });
  const { file } = saved;
  const text = documentText(document);
  if (file?.text === text) return { hash, warnings, file, fileLeft: undefined };
  // A hand-written file is not replaced by an equivalent one without its comments.
  if (file !== undefined && file.text !== documentText(contentOf(file.text))) return { hash, warnings, file, fileLeft: "commented" };
  try {
    const { hash: fileHash, ...rest } = await workspaceClient.saveDocument(kind, id, text, file?.hash ?? null);
    return { hash, warnings, file: { ...rest, id, text, hash: fileHash }, fileLeft: undefined };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { hash, warnings, file, fileLeft: "changed" };
  }
}

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
