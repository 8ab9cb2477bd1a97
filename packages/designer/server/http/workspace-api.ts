// `/_designer/*`: the HTTP API of the workspace.
import type { IncomingMessage, ServerResponse } from "node:http";
import { deploy } from "../targets/deploy.ts";
import { rollBack } from "../targets/roll-back.ts";
import { saveTargets } from "../targets/save-targets.ts";
import type { Targets } from "../targets/targets.ts";
import { tryWebhook } from "../targets/try-webhook.ts";
import { summarize } from "../workspace/flow-summary.ts";
import { assertId, type TextFiles } from "../workspace/text-files.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { HttpError } from "./http-error.ts";
import { readJson, sendJson, textOf, textOrNull } from "./json-body.ts";
import type { SignIn } from "./sign-in.ts";

export interface ApiParts {
  readonly workspace: Workspace;
  readonly targets: Targets;
  readonly signIn: SignIn;
}

interface Call {
  readonly request: IncomingMessage;
  readonly parts: ApiParts;
  readonly names: readonly string[];
}

type Handler = (call: Call) => Promise<unknown>;

const prefix = "/_designer";

/** Each `*` in a path matches one segment; handlers get these segments as `names`. */
const endpoints: readonly (readonly [method: string, path: string, handle: Handler])[] = [
  ["GET", "/flows", ({ parts }) => listFlows(parts)],
  ["GET", "/flows/*", readFlow],
  ["PUT", "/flows/*", saveFlow],
  ["DELETE", "/flows/*", ({ parts, names, request }) => remove(parts.workspace.flows, names[0] as string, request)],
  ["POST", "/flows/*/deploy", deployFlow],
  ["POST", "/flows/*/rollback", rollBackFlow],
  ["GET", "/flows/*/versions", async ({ parts, names }) => ({ versions: await parts.workspace.versions.list(validId(names[0])) })],
  ["GET", "/flows/*/versions/*", async ({ parts, names }) => ({ text: await parts.workspace.versions.text(validId(names[0]), names[1] as string) })],
  ["GET", "/flows/*/tests", ({ parts, names }) => readAll(parts.workspace.tests(names[0] as string), "tests")],
  ["GET", "/flows/*/tests/*", ({ parts, names }) => read(parts.workspace.tests(names[0] as string), names[1] as string)],
  ["PUT", "/flows/*/tests/*", ({ parts, names, request }) => save(parts.workspace.tests(names[0] as string), names[1] as string, request)],
  ["DELETE", "/flows/*/tests/*", ({ parts, names, request }) => remove(parts.workspace.tests(names[0] as string), names[1] as string, request)],
  ["GET", "/documents/*", ({ parts, names }) => readAll(parts.workspace.documents(names[0] as string), "documents")],
  ["GET", "/documents/*/*", ({ parts, names }) => read(parts.workspace.documents(names[0] as string), names[1] as string)],
  ["PUT", "/documents/*/*", ({ parts, names, request }) => save(parts.workspace.documents(names[0] as string), names[1] as string, request)],
  ["DELETE", "/documents/*/*", ({ parts, names, request }) => remove(parts.workspace.documents(names[0] as string), names[1] as string, request)],
  ["GET", "/categories", ({ parts }) => parts.workspace.categories()],
  ["PUT", "/categories", saveCategories],
  ["GET", "/targets", async ({ parts }) => ({ targets: parts.targets.list() })],
  ["PUT", "/targets", putTargets],
  ["POST", "/try", async ({ parts, request }) => tryWebhook(parts.targets, await readJson(request))],
];

export async function serveWorkspaceApi(parts: ApiParts, request: IncomingMessage, response: ServerResponse, pathname: string): Promise<void> {
  const path = pathname.slice(prefix.length).split("/").slice(1).map(decode);
  const matching = endpoints.filter(([, pattern]) => matches(pattern, path));
  if (matching.length === 0) throw new HttpError(404, "endpoint not found");
  const found = matching.find(([method]) => method === request.method);
  if (found === undefined) throw new HttpError(405, "method not allowed");
  const names = path.filter((_, index) => found[1].split("/").slice(1)[index] === "*");
  sendJson(response, 200, await found[2]({ request, parts, names }));
}

function matches(pattern: string, path: readonly string[]): boolean {
  const segments = pattern.split("/").slice(1);
  return segments.length === path.length && segments.every((segment, index) => segment === "*" || segment === path[index]);
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new HttpError(400, "malformed URL");
  }
}

function validId(id: string | undefined): string {
  assertId(id ?? "");
  return id as string;
}

async function listFlows({ workspace }: ApiParts): Promise<unknown> {
  const flows = [];
  for (const id of await workspace.flows.ids()) {
    const file = await workspace.flows.read(id).catch(() => undefined);
    if (file === undefined) continue;
    const { text, ...rest } = file;
    flows.push({ ...rest, ...summarize(id, text), deploys: await workspace.records.of(id) });
  }
  return { flows, total: flows.length };
}

async function readFlow({ parts: { workspace }, names }: Call): Promise<unknown> {
  const id = names[0] as string;
  return { ...(await read(workspace.flows, id)), deploys: await workspace.records.of(id) };
}

async function saveFlow({ parts: { workspace }, names, request }: Call): Promise<unknown> {
  const id = names[0] as string;
  const body = await readJson(request);
  const file = await workspace.flows.save(id, textOf(body, "text"), textOrNull(body, "expectedHash"));
  // The save succeeds even if the version cannot be stored; the reply reports it.
  const versionStored = await workspace.versions.add(id, file.text, "save").then(
    () => true,
    () => false,
  );
  return { ...file, versionStored };
}

async function deployFlow({ parts: { workspace, targets }, names, request }: Call): Promise<unknown> {
  const body = await readJson(request);
  return deploy(workspace, targets, {
    id: validId(names[0]),
    text: textOf(body, "text"),
    baseHash: textOrNull(body, "baseHash"),
    target: textOrNull(body, "target") ?? undefined,
    overwrite: textOrNull(body, "overwrite"),
  });
}

async function rollBackFlow({ parts: { workspace, targets }, names, request }: Call): Promise<unknown> {
  const body = await readJson(request);
  const { revision } = body;
  if (!Number.isSafeInteger(revision)) throw new HttpError(400, "revision must be an integer");
  const target = textOrNull(body, "target") ?? undefined;
  return rollBack(workspace, targets, { id: validId(names[0]), target, revision: revision as number, replacing: textOf(body, "replacing") });
}

async function saveCategories({ parts: { workspace }, request }: Call): Promise<unknown> {
  const body = await readJson(request);
  await workspace.saveCategories(textOf(body, "text"), textOrNull(body, "expectedHash"));
  return workspace.categories();
}

async function putTargets({ parts: { targets, signIn }, request }: Call): Promise<unknown> {
  const body = await readJson(request);
  await saveTargets(targets, body, (unconfirmed) => {
    if (!signIn.isRequired) return;
    const password = textOrNull(body, "password") ?? "";
    // Not 401, because the session is still valid.
    const rejection = (message: string): HttpError => new HttpError(403, message, { needs: "password", confirm: unconfirmed });
    if (password === "") throw rejection("sending a token to a new address requires the designer password");
    if (!signIn.isPassword(request, password)) throw rejection("wrong password");
  });
  return { targets: targets.list() };
}

async function read(files: TextFiles, id: string): Promise<Readonly<Record<string, unknown>>> {
  const file = await files.read(id);
  if (file === undefined) throw new HttpError(404, `'${id}' not found in the workspace`);
  return { ...file };
}

async function readAll(files: TextFiles, name: string): Promise<unknown> {
  const found = await Promise.all((await files.ids()).map((id) => files.read(id)));
  return { [name]: found.filter((file) => file !== undefined) };
}

async function save(files: TextFiles, id: string, request: IncomingMessage): Promise<unknown> {
  const body = await readJson(request);
  return files.save(id, textOf(body, "text"), textOrNull(body, "expectedHash"));
}

async function remove(files: TextFiles, id: string, request: IncomingMessage): Promise<unknown> {
  await files.remove(id, textOf(await readJson(request), "expectedHash"));
  return { id, deleted: true };
}
