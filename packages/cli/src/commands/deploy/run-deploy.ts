// `sluice deploy`: plans, prints the changes, applies them one after another, and rolls back if one is rejected.
import { readConfiguration } from "@sluice/server/config";
import { CommandError, isOn, listOf, textFlag, type Call } from "../../command/declaration.ts";
import { readParamFlags } from "../../files/flow-params.ts";
import { connect, type Connection } from "../../runtime/connection.ts";
import { putArtifact, removeArtifact, type InstalledArtifact } from "./artifact-calls.ts";
import { collectArtifacts } from "./artifacts.ts";
import { planDeploy, type Change } from "./plan.ts";

export async function run(call: Call): Promise<number> {
  const { arguments: given, flags, terminal, signal } = call;
  const withTests = flags["tests"] === "required";
  const artifacts = await collectArtifacts(listOf(given, "paths"), {
    params: readParamFlags(listOf(flags, "param")),
    profile: readConfiguration({ profile: textFlag(flags, "profile") }).settings.profile,
    id: textFlag(flags, "id"),
    tests: withTests,
  });
  const connection = await connect(flags);
  terminal.progress("comparing with the deployed versions");
  const plan = await planDeploy(connection, artifacts);
  terminal.progress(undefined);
  const asJson = isOn(flags, "json");
  if (!asJson) for (const change of plan) terminal.write(changeText(change, terminal.style));
  const due = plan.filter(({ action }) => action !== "same");
  if (isOn(flags, "dryRun") || due.length === 0) {
    if (asJson) terminal.write(JSON.stringify({ deployed: false, changes: plan.map(changeJson) }, undefined, 2));
    else terminal.note(due.length === 0 ? "nothing to do: all artifacts are up to date" : `${due.length} of ${plan.length} would change; nothing was changed`);
    return 0;
  }
  const replies = await apply(connection, due, {
    withTests,
    comment: textFlag(flags, "comment"),
    signal,
    progress: (text) => terminal.progress(text),
    note: (text) => terminal.note(text),
  });
  terminal.progress(undefined);
  if (asJson) terminal.write(JSON.stringify({ deployed: true, changes: plan.map(changeJson), replies }, undefined, 2));
  else {
    for (const { warnings, routes = [] } of replies) {
      for (const warning of warnings) terminal.note(`${terminal.style("yellow", "warning")} ${warning}`);
      for (const route of routes) terminal.write(`  ${route.id} ${route.status}${route.url === undefined ? "" : ` ${connection.baseUrl}${route.url}`}`);
    }
    terminal.note(`${due.length} deployed to ${connection.baseUrl}`);
  }
  return 0;
}

interface Applying {
  readonly withTests: boolean;
  readonly comment: string | undefined;
  readonly signal: AbortSignal;
  progress(text: string): void;
  note(text: string): void;
}

async function apply(connection: Connection, due: readonly Change[], applying: Applying): Promise<readonly InstalledArtifact[]> {
  const done: Change[] = [];
  const replies: InstalledArtifact[] = [];
  for (const [index, change] of due.entries()) {
    const { artifact, beforeHash } = change;
    applying.progress(
      `${index + 1}/${due.length} ${artifact.kind} ${artifact.id}${applying.withTests && artifact.kind === "flow" ? ": running its tests" : ""}`,
    );
    try {
      applying.signal.throwIfAborted();
      replies.push(await putArtifact(connection, artifact, artifact.body, { ifMatch: beforeHash, withTests: applying.withTests, comment: applying.comment }));
      done.push(change);
    } catch (error) {
      applying.progress("");
      const left = await rollBack(connection, done.toReversed());
      const why = applying.signal.aborted ? "interrupted" : `${artifact.file}: ${(error as Error).message}`;
      const back =
        done.length === 0
          ? "nothing was changed"
          : left.length === 0
            ? `the other changes were rolled back`
            : `these could not be rolled back: ${left.join(", ")}`;
      throw new CommandError(`${why}; ${back}`);
    }
  }
  return replies;
}

/** Restores the previous versions; returns the artifacts that could not be restored. */
async function rollBack(connection: Connection, done: readonly Change[]): Promise<readonly string[]> {
  const left: string[] = [];
  for (const { artifact, action, before } of done) {
    try {
      if (action === "create") await removeArtifact(connection, artifact);
      else await putArtifact(connection, artifact, before);
    } catch {
      left.push(`${artifact.kind} '${artifact.id}'`);
    }
  }
  return left;
}

function changeText({ artifact, action, diff, routes, warnings }: Change, style: Call["terminal"]["style"]): string {
  const mark = { create: style("green", "+"), replace: style("yellow", "~"), same: style("dim", "=") }[action];
  const lines = [`${mark} ${artifact.kind} ${style("bold", artifact.id)} (${artifact.file})${action === "same" ? " unchanged" : ""}`];
  if (routes !== undefined && routes.added.length > 0) lines.push(`    routes added: ${routes.added.join(", ")}`);
  if (routes !== undefined && routes.removed.length > 0) lines.push(`    routes removed: ${routes.removed.join(", ")}`);
  for (const line of diff) lines.push(`    ${line.startsWith("+") ? style("green", line) : line.startsWith("-") ? style("red", line) : line}`);
  for (const warning of warnings) lines.push(`    ${style("yellow", "warning")} ${warning}`);
  return lines.join("\n");
}

function changeJson({ artifact, action, diff, routes, beforeHash, warnings }: Change): Readonly<Record<string, unknown>> {
  return { kind: artifact.kind, id: artifact.id, file: artifact.file, action, previousHash: beforeHash ?? null, diff, routes: routes ?? null, warnings };
}
