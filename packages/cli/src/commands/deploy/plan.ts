// Compares each artifact with the deployed version.
import { isDeepStrictEqual } from "node:util";
import type { Flow, Kamelet } from "@sluice/client";
import { CommandError } from "../../command/declaration.ts";
import { ifFound, type Connection } from "../../runtime/connection.ts";
import { readDocument } from "./artifact-calls.ts";
import type { Artifact, DocumentArtifact, FlowArtifact, KameletArtifact } from "./artifacts.ts";
import type { Removal } from "./prune.ts";
import { planReplacement } from "./replacement.ts";
import { printedDiff } from "../../runtime/printed-diff.ts";

export interface Change {
  readonly artifact: Artifact;
  readonly action: "create" | "replace" | "same";
  /** The deployed version, for a rollback. */
  readonly previous: unknown;
  readonly previousHash: string | undefined;
  /** Removed and added lines, for display. */
  readonly diff: readonly string[];
  readonly warnings: readonly string[];
  readonly routes: { readonly added: readonly string[]; readonly removed: readonly string[] } | undefined;
  /** For a Kamelet: the running flows that use it, and those among them that cannot use this version. */
  readonly users?: { readonly flows: readonly string[]; readonly refused: readonly string[] };
  /** Flows that are removed before this one is installed, because it takes over their routes. */
  readonly replaces?: readonly Flow[];
}

/** `removals`: what is removed after the deployment. */
export async function planDeploy(connection: Connection, artifacts: readonly Artifact[], removals: readonly Removal[] = []): Promise<readonly Change[]> {
  const changes: Change[] = [];
  const kamelets = await planKamelets(connection, artifacts);
  const texts = Object.fromEntries(kamelets.flatMap(({ artifact, action }) => (action === "same" ? [] : [[artifact.id, artifact.text]])));
  const context = { kamelets: texts, removals, replaced: new Set<string>() };
  for (const artifact of artifacts) {
    if (artifact.kind === "flow") changes.push(await planFlow(connection, artifact, context));
    else if (artifact.kind === "kamelet") changes.push(...kamelets.filter((change) => change.artifact === artifact));
    else changes.push(await planDocument(connection, artifact));
  }
  return changes;
}

interface FlowContext {
  readonly kamelets: Readonly<Record<string, string>>;
  readonly removals: readonly Removal[];
  readonly replaced: Set<string>;
}

async function planFlow(connection: Connection, artifact: FlowArtifact, { kamelets, removals, replaced }: FlowContext): Promise<Change> {
  const { id, body, file, text } = artifact;
  const previous = await ifFound(connection.call("GET /flows/:id", { params: { id } }));
  // Checked with the Kamelets of this deployment, which are not installed yet.
  const checkedBody = Object.keys(kamelets).length === 0 ? body : { ...body, kamelets };
  const common = {
    artifact,
    previous: previous === undefined ? undefined : { yaml: previous.yaml, params: previous.params },
    previousHash: previous?.hash,
  };
  const diff = previous === undefined ? [] : printedDiff(previous.yaml, text);
  const response = await connection.call("PUT /flows/:id", { params: { id }, query: { dryRun: true }, body: checkedBody }).catch(async (error: Error) => {
    const replacement =
      error instanceof CommandError ? await planReplacement(connection, { artifact, body: checkedBody, error }, removals, replaced) : undefined;
    if (replacement !== undefined) return replacement;
    throw error instanceof CommandError ? new CommandError(`${file}: ${error.message}${missingKameletFix(error.message)}`) : error;
  });
  const action = previous === undefined ? "create" : "replaces" in response || response.changed ? "replace" : "same";
  const { warnings } = response;
  if ("replaces" in response) return { ...common, action, diff, ...response };
  return { ...common, action, diff: action === "replace" ? diff : [], warnings, routes: "dryRun" in response ? response.routes : undefined };
}

/** The fix for a flow that the runtime rejects because neither it nor the project has a Kamelet. */
function missingKameletFix(error: string): string {
  const name = /unknown route template or Kamelet '([^']+)'/.exec(error)?.[1];
  if (name === undefined) return "";
  return `; neither the project nor the runtime has this Kamelet: put ${name}.kamelet.yaml into the folder 'kamelets' of the project, or install it in a folder or package of the runtime's SERVICE_KAMELETS`;
}

/** Each Kamelet is checked together with the others, as it will run. */
async function planKamelets(connection: Connection, artifacts: readonly Artifact[]): Promise<readonly Change[]> {
  const found: { readonly artifact: KameletArtifact; readonly previous: Kamelet | undefined }[] = [];
  for (const artifact of artifacts)
    if (artifact.kind === "kamelet")
      found.push({ artifact, previous: await ifFound(connection.call("GET /kamelets/:name", { params: { name: artifact.id } })) });
  const texts = Object.fromEntries(found.map(({ artifact: { id, text } }) => [id, text]));
  const changes: Change[] = [];
  for (const { artifact, previous } of found) changes.push(await planKamelet(connection, artifact, previous, { artifacts, texts }));
  return changes;
}

interface KameletContext {
  readonly artifacts: readonly Artifact[];
  readonly texts: Readonly<Record<string, string>>;
}

async function planKamelet(
  connection: Connection,
  artifact: KameletArtifact,
  previous: Kamelet | undefined,
  { artifacts, texts }: KameletContext,
): Promise<Change> {
  const { id, file, text } = artifact;
  const common = { artifact, previousHash: previous?.hash, routes: undefined };
  if (previous?.yaml === text) return { ...common, action: "same", previous, diff: [], warnings: [] };
  const { [id]: _, ...kamelets } = texts;
  const query = { dryRun: true, force: true };
  const { flows, refused, warnings } = await connection
    .call("PUT /kamelets/:name", { params: { name: id }, query, body: { yaml: text, kamelets } })
    .catch((error: Error) => {
      throw error instanceof CommandError ? new CommandError(`${file}: ${error.message}`) : error;
    });
  // Flows of this deployment are checked in their new version.
  const [broken] = refused.filter((flow) => !artifacts.some((other) => other.kind === "flow" && other.id === flow.id));
  if (broken !== undefined)
    throw new CommandError(`${file}: flow '${broken.id}', which is not part of this deployment, cannot use this version: ${broken.error}`);
  return {
    ...common,
    action: previous === undefined ? "create" : "replace",
    // A rollback removes a Kamelet that hides the one of a folder or package.
    previous: previous?.origin === "deployed" ? { yaml: previous.yaml } : undefined,
    diff: previous === undefined ? [] : printedDiff(previous.yaml, text),
    warnings,
    users: { flows, refused: refused.map((flow) => flow.id) },
  };
}

async function planDocument(connection: Connection, artifact: DocumentArtifact): Promise<Change> {
  const { kind, contentType, text, body } = artifact;
  const current = await ifFound(readDocument(connection, artifact));
  const previous = typeof current?.body === "string" ? current.body : withoutMetadata(current?.body);
  const previousText = contentType === undefined ? JSON.stringify(previous, undefined, 2) : lines(String(previous));
  const nextText = contentType === undefined ? JSON.stringify(body, undefined, 2) : lines(text);
  const isSame = contentType === undefined ? isDeepStrictEqual(previous, body) : previousText === nextText;
  const action = current === undefined ? "create" : isSame ? "same" : "replace";
  return {
    artifact,
    action,
    previous: current === undefined ? undefined : previous,
    previousHash: current?.headers.get("etag")?.replaceAll('"', ""),
    // A policy may contain secrets, so its differences are not printed.
    diff: action === "replace" && kind !== "policy" ? printedDiff(previousText, nextText) : [],
    warnings: [],
    routes: undefined,
  };
}

/** The document without the metadata that the runtime adds. */
function withoutMetadata(document: unknown): unknown {
  const { flowId: _flow, lastModified: _time, ...content } = (document ?? {}) as Readonly<Record<string, unknown>>;
  return content;
}

/** The runtime returns CSV with CRLF line endings, as RFC 4180 requires. */
const lines = (text: string): string => text.replaceAll("\r\n", "\n").trim();
