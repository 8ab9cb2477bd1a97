// Applies the changes of a deployment one after another, and rolls back if one is rejected.
import type { Flow } from "@sluice/client";
import { CommandError } from "../../command/declaration.ts";
import { ifFound, type Connection } from "../../runtime/connection.ts";
import { putArtifact, removeArtifact, type InstalledArtifact } from "./artifact-calls.ts";
import type { Change } from "./plan.ts";

export interface ApplyOptions {
  readonly withTests: boolean;
  readonly comment: string | undefined;
  readonly signal: AbortSignal;
  progress(text: string): void;
}

export async function apply(connection: Connection, pending: readonly Change[], options: ApplyOptions): Promise<readonly InstalledArtifact[]> {
  const done: Change[] = [];
  const removed: Flow[] = [];
  const installed: InstalledArtifact[] = [];
  const kamelets = pending.filter(({ artifact }) => artifact.kind === "kamelet");
  // The plan was checked as a whole: one new Kamelet may need another one, or the new version of a flow.
  const force = kamelets.length > 1 || kamelets.some(({ users }) => (users?.refused.length ?? 0) > 0);
  for (const [index, change] of pending.entries()) {
    const { artifact, previousHash } = change;
    options.progress(
      `${index + 1}/${pending.length} ${artifact.kind} ${artifact.id}${options.withTests && artifact.kind === "flow" ? ": running its tests" : ""}`,
    );
    try {
      options.signal.throwIfAborted();
      const installOptions = { ifMatch: previousHash, withTests: options.withTests, comment: options.comment, force };
      await removeReplaced(connection, change, removed);
      installed.push(await putArtifact(connection, artifact, artifact.body, installOptions));
      done.push(change);
      if (index === pending.length - 1) await checkBrokenFlows(connection, installed);
    } catch (error) {
      options.progress("");
      const notRestored = [...(await rollBack(connection, done.toReversed())), ...(await restore(connection, removed))];
      const why = options.signal.aborted ? "interrupted" : `${artifact.file}: ${(error as Error).message}`;
      const outcome =
        done.length + removed.length === 0
          ? "nothing was changed"
          : notRestored.length === 0
            ? `the other changes were rolled back`
            : `these could not be rolled back: ${notRestored.join(", ")}`;
      throw new CommandError(`${why}; ${outcome}`);
    }
  }
  return installed;
}

/** Rejects a deployment after which a flow still runs with the previous version of a Kamelet. */
async function checkBrokenFlows(connection: Connection, installed: readonly InstalledArtifact[]): Promise<void> {
  for (const id of new Set(installed.flatMap(({ refused = [] }) => refused.map((flow) => flow.id)))) {
    const flow = await ifFound(connection.call("GET /flows/:id", { params: { id } }));
    if (flow !== undefined && flow.error !== null) throw new CommandError(`flow '${id}' cannot use the new Kamelets: ${flow.error}`);
  }
}

/** Removes the flows whose routes the change takes over. */
async function removeReplaced(connection: Connection, { replaces = [] }: Change, removed: Flow[]): Promise<void> {
  for (const flow of replaces) {
    await connection.call("DELETE /flows/:id", { params: { id: flow.id }, ifMatch: flow.hash });
    removed.push(flow);
  }
}

/** Installs removed flows again; returns those that could not be installed. */
async function restore(connection: Connection, removed: readonly Flow[]): Promise<readonly string[]> {
  const notRestored: string[] = [];
  for (const { id, yaml, params, tests } of removed) {
    try {
      await connection.call("PUT /flows/:id", { params: { id }, body: { yaml, params, tests } });
    } catch {
      notRestored.push(`flow '${id}'`);
    }
  }
  return notRestored;
}

/** Restores the previous versions; returns the artifacts that could not be restored. */
async function rollBack(connection: Connection, done: readonly Change[]): Promise<readonly string[]> {
  const isRestoredFirst = ({ artifact, previous }: Change): boolean => artifact.kind === "kamelet" && previous !== undefined;
  // The previous version of a flow may need the previous Kamelet; a new Kamelet can be removed when no flow uses it.
  const ordered = [...done.filter(isRestoredFirst), ...done.filter((change) => !isRestoredFirst(change))];
  const notRestored: string[] = [];
  for (const { artifact, action, previous } of ordered) {
    try {
      if (action === "create" || previous === undefined) await removeArtifact(connection, artifact);
      else await putArtifact(connection, artifact, previous, { force: true });
    } catch {
      notRestored.push(`${artifact.kind} '${artifact.id}'`);
    }
  }
  return notRestored;
}
