// What a deploy would change: each artifact compared with what the runtime has.
import { isDeepStrictEqual } from "node:util";
import { CommandError } from "../../command/declaration.ts";
import type { Connection } from "../../runtime/connection.ts";
import type { Artifact } from "./artifacts.ts";
import { lineDiff } from "./line-diff.ts";

export interface Change {
  readonly artifact: Artifact;
  readonly action: "create" | "replace" | "same";
  /** What the runtime has, for the way back. */
  readonly before: unknown;
  readonly beforeHash: string | undefined;
  /** Lines that go and come, for people. */
  readonly diff: readonly string[];
  readonly warnings: readonly string[];
  readonly routes: { readonly added: readonly string[]; readonly removed: readonly string[] } | undefined;
}

export async function planDeploy(connection: Connection, artifacts: readonly Artifact[]): Promise<readonly Change[]> {
  const changes: Change[] = [];
  for (const artifact of artifacts) changes.push(artifact.kind === "flow" ? await planFlow(connection, artifact) : await planDocument(connection, artifact));
  return changes;
}

async function planFlow(connection: Connection, artifact: Artifact): Promise<Change> {
  const current = await connection.api("GET", artifact.path);
  const before = current.status === 200 ? current.json : undefined;
  const reply = await connection.api("PUT", `${artifact.path}?dryRun=true`, artifact.body);
  if (reply.status >= 300) throw new CommandError(`${artifact.file}: ${String(reply.json?.error ?? reply.status)}`);
  const action = before === undefined ? "create" : reply.json.changed === true ? "replace" : "same";
  return {
    artifact,
    action,
    before: before === undefined ? undefined : { yaml: before.yaml, ...(before.params === undefined ? {} : { params: before.params }) },
    beforeHash: before?.hash,
    diff: action === "replace" ? lineDiff(String(before.yaml ?? ""), artifact.text) : [],
    warnings: reply.json.warnings ?? [],
    routes: reply.json.routes,
  };
}

async function planDocument(connection: Connection, artifact: Artifact): Promise<Change> {
  const { kind, path, headers, text, body } = artifact;
  const type = headers["content-type"];
  const current = await connection.api("GET", path, undefined, type === undefined ? {} : { accept: type });
  const found = current.status === 200;
  const { flowId: _flow, lastModified: _time, ...stored } = (current.json ?? {}) as Record<string, unknown>;
  const isSame = found && (type === undefined ? isDeepStrictEqual(stored, body) : lines(current.text) === lines(text));
  const action = !found ? "create" : isSame ? "same" : "replace";
  const shown = type === undefined ? JSON.stringify(stored, undefined, 2) : lines(current.text);
  const wanted = type === undefined ? JSON.stringify(body, undefined, 2) : lines(text);
  return {
    artifact,
    action,
    before: !found ? undefined : type === undefined ? stored : current.text,
    beforeHash: current.headers.get("etag")?.replaceAll('"', ""),
    // A policy may hold secrets: what changes in it is nobody's to read over a shoulder.
    diff: action === "replace" && kind !== "policy" ? lineDiff(shown, wanted) : [],
    warnings: [],
    routes: undefined,
  };
}

/** CSV comes back with the line ends its standard asks for. */
const lines = (text: string): string => text.replaceAll("\r\n", "\n").trim();
