// The API calls that read, install and remove each kind of artifact.
import type { Reply, InstalledFlow, InstalledKamelet } from "@sluice/client";
import { author } from "../../runtime/author.ts";
import type { Connection } from "../../runtime/connection.ts";
import type { Artifact, DocumentArtifact, FlowArtifact, KameletArtifact } from "./artifacts.ts";

/** The runtime's response for an installed artifact. */
export interface InstalledArtifact {
  readonly warnings: readonly string[];
  readonly routes?: InstalledFlow["routes"];
  /** For a Kamelet: running flows that cannot use this version. */
  readonly refused?: InstalledKamelet["refused"];
}

interface InstallOptions {
  readonly ifMatch?: string | undefined;
  readonly withTests?: boolean;
  /** Installs a Kamelet even if running flows cannot use it; those of this deployment are replaced afterwards. */
  readonly force?: boolean;
  /** For the version history of a flow. */
  readonly comment?: string | undefined;
}

/** Reads the installed document, in the format in which it is sent. */
export function readDocument(connection: Connection, { kind, id, contentType }: DocumentArtifact): Promise<Reply<unknown>> {
  if (kind === "policy") return connection.request("GET /auth/:flowId", { params: { flowId: id } });
  if (kind === "message-mapping") return connection.request("GET /message-mappings/:id", { params: { id } });
  return contentType === undefined
    ? connection.request("GET /value-mappings/:id", { params: { id } })
    : connection.text("GET /value-mappings/:id", { params: { id }, accept: contentType });
}

/** Installs an artifact; `body` is its content, or the previous content for a rollback. */
export function putArtifact(connection: Connection, artifact: Artifact, body: unknown, options: InstallOptions = {}): Promise<InstalledArtifact> {
  const { kind, id } = artifact;
  const { ifMatch } = options;
  if (kind === "flow") return putFlow(connection, id, body as FlowArtifact["body"], options);
  if (kind === "kamelet") return putKamelet(connection, id, body as KameletArtifact["body"], options);
  if (kind === "policy") return connection.call("PUT /auth/:flowId", { params: { flowId: id }, body: body as Readonly<Record<string, unknown>>, ifMatch });
  if (kind === "message-mapping") return connection.call("PUT /message-mappings/:id", { params: { id }, body, ifMatch });
  const { contentType } = artifact;
  return contentType === undefined
    ? connection.call("PUT /value-mappings/:id", { params: { id }, body, ifMatch })
    : connection.call("PUT /value-mappings/:id", { params: { id }, body: body as string, contentType, ifMatch });
}

async function putFlow(
  connection: Connection,
  id: string,
  body: FlowArtifact["body"],
  { ifMatch, withTests, comment }: InstallOptions,
): Promise<InstalledFlow> {
  const query = { tests: withTests === true ? ("required" as const) : undefined, by: author(), comment };
  const response = await connection.call("PUT /flows/:id", { params: { id }, body, ifMatch, query });
  // The declared type also includes the response to a dry run.
  return response as InstalledFlow;
}

async function putKamelet(connection: Connection, name: string, body: KameletArtifact["body"], { ifMatch, force }: InstallOptions): Promise<InstalledKamelet> {
  const response = await connection.call("PUT /kamelets/:name", { params: { name }, body, ifMatch, query: { force } });
  return response as InstalledKamelet;
}

/** Removes an artifact, but not a later version than the one with this hash. */
export async function removeArtifact(connection: Connection, { kind, id }: Pick<Artifact, "kind" | "id">, ifMatch?: string): Promise<void> {
  if (kind === "flow") await connection.call("DELETE /flows/:id", { params: { id }, ifMatch });
  else if (kind === "kamelet") await connection.call("DELETE /kamelets/:name", { params: { name: id }, ifMatch });
  else if (kind === "policy") await connection.call("DELETE /auth/:flowId", { params: { flowId: id }, ifMatch });
  else if (kind === "message-mapping") await connection.call("DELETE /message-mappings/:id", { params: { id }, ifMatch });
  else await connection.call("DELETE /value-mappings/:id", { params: { id }, ifMatch });
}
