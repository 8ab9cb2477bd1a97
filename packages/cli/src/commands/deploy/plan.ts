// Compares each artifact with the deployed version.
import { isDeepStrictEqual } from "node:util";
import { CommandError } from "../../command/declaration.ts";
import { ifFound, type Connection } from "../../runtime/connection.ts";
import { readDocument } from "./artifact-calls.ts";
import type { Artifact, DocumentArtifact, FlowArtifact } from "./artifacts.ts";
import { printedDiff } from "../../runtime/printed-diff.ts";

export interface Change {
  readonly artifact: Artifact;
  readonly action: "create" | "replace" | "same";
  /** The deployed version, for a rollback. */
  readonly before: unknown;
  readonly beforeHash: string | undefined;
  /** Removed and added lines, for display. */
  readonly diff: readonly string[];
  readonly warnings: readonly string[];
  readonly routes: { readonly added: readonly string[]; readonly removed: readonly string[] } | undefined;
}

export async function planDeploy(connection: Connection, artifacts: readonly Artifact[]): Promise<readonly Change[]> {
  const changes: Change[] = [];
  for (const artifact of artifacts) changes.push(artifact.kind === "flow" ? await planFlow(connection, artifact) : await planDocument(connection, artifact));
  return changes;
}

async function planFlow(connection: Connection, artifact: FlowArtifact): Promise<Change> {
  const { id, body, file, text } = artifact;
  const before = await ifFound(connection.call("GET /flows/:id", { params: { id } }));
  const reply = await connection.call("PUT /flows/:id", { params: { id }, query: { dryRun: true }, body }).catch(async (error: Error) => {
    if (!(error instanceof CommandError)) throw error;
    // Loaded on demand: it includes the flow checker.
    const { missingKameletFix } = await import("./missing-kamelet.ts");
    const fix = missingKameletFix(error.message, file);
    throw new CommandError(`${file}: ${error.message}${fix === undefined ? "" : `; ${fix}`}`);
  });
  const action = before === undefined ? "create" : reply.changed ? "replace" : "same";
  return {
    artifact,
    action,
    before: before === undefined ? undefined : { yaml: before.yaml, params: before.params },
    beforeHash: before?.hash,
    diff: before !== undefined && action === "replace" ? printedDiff(before.yaml, text) : [],
    warnings: reply.warnings,
    routes: "dryRun" in reply ? reply.routes : undefined,
  };
}

async function planDocument(connection: Connection, artifact: DocumentArtifact): Promise<Change> {
  const { kind, contentType, text, body } = artifact;
  const current = await ifFound(readDocument(connection, artifact));
  const before = typeof current?.body === "string" ? current.body : withoutFacts(current?.body);
  const shown = contentType === undefined ? JSON.stringify(before, undefined, 2) : lines(String(before));
  const wanted = contentType === undefined ? JSON.stringify(body, undefined, 2) : lines(text);
  const isSame = contentType === undefined ? isDeepStrictEqual(before, body) : shown === wanted;
  const action = current === undefined ? "create" : isSame ? "same" : "replace";
  return {
    artifact,
    action,
    before: current === undefined ? undefined : before,
    beforeHash: current?.headers.get("etag")?.replaceAll('"', ""),
    // A policy may contain secrets, so its differences are not printed.
    diff: action === "replace" && kind !== "policy" ? printedDiff(shown, wanted) : [],
    warnings: [],
    routes: undefined,
  };
}

/** The document without the metadata that the runtime adds. */
function withoutFacts(document: unknown): unknown {
  const { flowId: _flow, lastModified: _time, ...given } = (document ?? {}) as Readonly<Record<string, unknown>>;
  return given;
}

/** The runtime returns CSV with CRLF line endings, as RFC 4180 requires. */
const lines = (text: string): string => text.replaceAll("\r\n", "\n").trim();
