// The actions of a flow's menu: changes to its file and to its deployment on the selected target.
import { type Edit, outlineOf, type Path, readTree, setOption, setScalar, slug, type Tree } from "@sluice/model";
import { runtimeAt } from "../api-client/runtime-client.ts";
import { workspaceClient } from "../api-client/workspace-client.ts";
import { drafts } from "../document/drafts.ts";
import type { Editor } from "../document/editor.ts";
import { unsavedChanges } from "../document/open-flow.ts";
import { strings } from "../strings.ts";
import { useWorkspace } from "../workspace/workspace-store.ts";
import { closeEditor, openEditor } from "./editor/open-editors.ts";

const labels = strings.flowMenu;

async function openExisting(id: string): Promise<Editor> {
  const editor = await openEditor(id);
  if (editor === undefined) throw new Error(strings.editor.notFound);
  return editor;
}

/** Saves a copy under new route ids and returns its flow id. */
export async function duplicateFlow(id: string, name: string): Promise<string> {
  const { text } = (await openExisting(id)).flow;
  const flows = await workspaceClient.flows();
  const copyName = labels.copyOf(name);
  const copyId = slug(copyName, (candidate) => flows.some((flow) => flow.id === candidate) || drafts.get(candidate) !== undefined);
  const usedRoutes = new Set(flows.flatMap(({ routeIds }) => routeIds));
  await workspaceClient.saveFlow(copyId, copyWithNewIds(text, id, copyName, usedRoutes), null);
  await useWorkspace.getState().loadFlows();
  return copyId;
}

/** The text with unused route ids. An address that ends with a route id changes with it, and so do the calls to that address. */
export function copyWithNewIds(text: string, flowId: string, name: string, usedRoutes: ReadonlySet<string>): string {
  const { tree } = readTree(text);
  if (tree === undefined) throw new Error(labels.unreadable);
  const { routes } = outlineOf(tree, flowId);
  const used = new Set(usedRoutes);
  const addresses = new Map<string, string>();
  let copy = text;
  const apply = (edit: Edit): void => {
    if (edit.ok) copy = edit.source;
  };
  routes.forEach((route, index) => {
    const id = slug(`${route.id}-copy`, (candidate) => used.has(candidate));
    used.add(id);
    const { uri } = route.from;
    if (uri.endsWith(`:${route.id}`) || uri.endsWith(`/${route.id}`)) addresses.set(uri, uri.slice(0, -route.id.length) + id);
    const path = [...route.path, "route"];
    apply(setOption(copy, path, "id", id));
    if (index === 0) apply(setOption(copy, path, "description", name));
  });
  for (const [path, address] of scalarsOf(tree, [])) {
    const next = addresses.get(address);
    if (next !== undefined) apply(setScalar(copy, path, next));
  }
  return copy;
}

function* scalarsOf(tree: Tree, path: Path): Generator<readonly [Path, string]> {
  if (tree.type === "scalar") yield [path, tree.text ?? ""];
  else if (tree.type === "list") for (const [index, item] of tree.items.entries()) yield* scalarsOf(item, [...path, index]);
  else for (const { key, value } of tree.entries) yield* scalarsOf(value, [...path, key]);
}

/** Changes the name in the text; saves it unless there are other unsaved changes. */
export async function renameFlow(id: string, name: string): Promise<void> {
  const editor = await openExisting(id);
  const route = editor.flow.lastValid?.outline.routes[0];
  if (route === undefined) throw new Error(labels.noRoute);
  const hadChanges = unsavedChanges(editor.flow) > 0;
  const edit = setOption(editor.flow.text, [...route.path, "route"], "description", name);
  if (!edit.ok) throw new Error(labels.noRoute);
  editor.edit(edit, labels.renameSubmit, "command");
  if (!hadChanges) await editor.save();
  await useWorkspace.getState().loadFlows();
}

export async function exportFlow(id: string): Promise<void> {
  const { text } = (await openExisting(id)).flow;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/yaml" }));
  link.download = `${id}.yaml`;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Starts or stops all routes of a deployed flow. */
export async function controlFlow(target: string, routeIds: readonly string[], action: "start" | "stop"): Promise<void> {
  for (const id of routeIds) await runtimeAt(target).call(`POST /routes/:id/${action}`, { params: { id } });
  await useWorkspace.getState().loadRuntime();
}

export async function undeployFlow(target: string, id: string): Promise<void> {
  await runtimeAt(target).call("DELETE /flows/:id", { params: { id } });
  await useWorkspace.getState().loadRuntime();
}

/** Deletes the flow with its tests. It is undeployed first, so that it does not continue to run without its file. */
export async function deleteFlow(id: string, deployedOn: string | undefined): Promise<void> {
  if (deployedOn !== undefined) await undeployFlow(deployedOn, id);
  const saved = (await workspaceClient.flows()).find((flow) => flow.id === id);
  if (saved !== undefined) {
    const tests = await workspaceClient.tests(id);
    // First the flow: if it was changed elsewhere, this fails, and its tests must remain.
    await workspaceClient.removeFlow(id, saved.hash);
    for (const test of tests) await workspaceClient.removeTest(id, test.id, test.hash);
  }
  closeEditor(id);
  drafts.remove(id);
  await useWorkspace.getState().loadFlows();
}
