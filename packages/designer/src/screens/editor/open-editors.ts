// The open editors of this page, by flow: returning to a screen restores text, history and selection.
import { ApiError } from "@sluice/client";
import { workspaceClient } from "../../api-client/workspace-client.ts";
import { drafts } from "../../document/drafts.ts";
import { Editor, type EditorParts } from "../../document/editor.ts";
import { unsavedChanges } from "../../document/open-flow.ts";
import { runtimeAt } from "../../api-client/runtime-client.ts";
import { strings } from "../../strings.ts";
import { useWorkspace } from "../../workspace/workspace-store.ts";

const parts: EditorParts = {
  port: { save: workspaceClient.saveFlow, deploy: workspaceClient.deployFlow, rollBack: workspaceClient.rollBackFlow, read: workspaceClient.flow },
  drafts,
  now: () => Date.now(),
  labels: strings.notices,
};

const editors = new Map<string, Editor>();
const maxEditors = 20;

/** The editor of a flow; undefined when the flow does not exist. */
export async function openEditor(id: string): Promise<Editor | undefined> {
  const existing = editors.get(id);
  if (existing !== undefined) {
    void existing.watchDisk();
    return existing;
  }
  const file = await workspaceClient.flow(id).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  });
  const target = file === undefined && drafts.get(id) === undefined ? await draftOfDeployed(id) : undefined;
  if (file === undefined && drafts.get(id) === undefined) return undefined;
  const editor = new Editor(parts, { id, file });
  if (target !== undefined) editor.showNotice({ kind: "info", text: strings.editor.loadedFrom(target) });
  for (const [otherId, other] of editors) if (editors.size >= maxEditors && unsavedChanges(other.flow) === 0) editors.delete(otherId);
  editors.set(id, editor);
  return editor;
}

/** A flow that is only deployed opens as a draft, which Save stores in the workspace. Returns the target it was loaded from. */
async function draftOfDeployed(id: string): Promise<string | undefined> {
  const workspace = useWorkspace.getState();
  if (workspace.target === undefined) await workspace.loadTargets();
  const { target } = useWorkspace.getState();
  if (target === undefined) return undefined;
  const deployed = await runtimeAt(target)
    .call("GET /flows/:id", { params: { id } })
    .catch(() => undefined);
  if (typeof deployed?.yaml !== "string") return undefined;
  drafts.put(id, { text: deployed.yaml, baseHash: null, at: new Date().toISOString() });
  return target;
}

/** Discards the editor of a deleted flow and its unsaved changes. */
export function closeEditor(id: string): void {
  editors.get(id)?.close();
  editors.delete(id);
}

/** Stores the unsaved changes of all open flows as drafts. Returns true if there are any. */
export function storeUnsavedWork(): boolean {
  const open = [...editors.values()];
  for (const editor of open) editor.storeDraft();
  return open.some(({ flow }) => unsavedChanges(flow) > 0);
}
