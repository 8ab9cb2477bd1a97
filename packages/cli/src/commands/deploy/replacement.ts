// A flow that takes over routes of a flow that `--prune` removes, for example because its file was renamed: the other flow is removed first.
import type { Flow, FlowDryRun } from "@sluice/client";
import { CommandError } from "../../command/declaration.ts";
import type { Connection } from "../../runtime/connection.ts";
import type { FlowArtifact } from "./artifacts.ts";
import type { Removal } from "./prune.ts";

export interface Replacement {
  /** The flows to remove before this one is installed; those that an earlier flow of the deployment replaces are not repeated. */
  readonly replaces: readonly Flow[];
  readonly warnings: readonly string[];
  readonly routes: FlowDryRun["routes"] | undefined;
}

interface FlowOfDeployment {
  readonly artifact: FlowArtifact;
  readonly body: FlowArtifact["body"];
  /** Why the flow cannot be installed now. */
  readonly error: CommandError;
}

/** Undefined if the flow is rejected for another reason than routes of flows that are removed. */
export async function planReplacement(
  connection: Connection,
  { artifact, body, error }: FlowOfDeployment,
  removals: readonly Removal[],
  replaced: Set<string>,
): Promise<Replacement | undefined> {
  const owners = new Set<string>();
  let reason = error;
  for (;;) {
    const owner = ownerOf(reason);
    if (owner === undefined || !removals.some(({ kind, id }) => kind === "flow" && id === owner)) return undefined;
    // Each owner hides only its own conflicts, so a flow that replaces two of them is checked when it is installed.
    if (owners.has(owner)) return done([], undefined);
    owners.add(owner);
    const response = await connection.call("PUT /flows/:id", { params: { id: owner }, query: { dryRun: true }, body }).catch((next: Error) => {
      if (next instanceof CommandError) return next;
      throw next;
    });
    if (!(response instanceof CommandError)) return done(response.warnings, "dryRun" in response ? response.routes : undefined);
    reason = response;
  }

  async function done(warnings: readonly string[], routes: Replacement["routes"]): Promise<Replacement> {
    const replaces: Flow[] = [];
    for (const id of owners) {
      if (replaced.has(id)) continue;
      replaced.add(id);
      replaces.push(await requireRestorable(connection, id, artifact.file));
    }
    return { replaces, warnings, routes };
  }
}

/** The flow that has a route id or a path which another flow needs. */
const ownerOf = ({ message }: CommandError): string | undefined => / (?:by|of) flow '([^']+)'$/.exec(message)?.[1];

/** A failed deployment must be able to install the removed flow again, and the API returns no secrets. */
async function requireRestorable(connection: Connection, id: string, file: string): Promise<Flow> {
  const flow = await connection.call("GET /flows/:id", { params: { id } });
  if (!JSON.stringify(flow.params).includes('"***"')) return flow;
  throw new CommandError(
    `${file}: it takes over routes of flow '${id}', whose secret parameters could not be restored if the deployment failed; nothing was changed: remove it first with \`sluice flows remove ${id}\``,
  );
}
