// `sluice deploy`: plans, prints the changes, applies them one after another, and rolls back if one is rejected.
import { readConfiguration } from "@sluice/server/config";
import { CommandError, isOn, listOf, textFlag, type Call } from "../../command/declaration.ts";
import { readParamFlags } from "../../files/flow-params.ts";
import { connect, ifFound, type Connection } from "../../runtime/connection.ts";
import { putArtifact, removeArtifact, type InstalledArtifact } from "./artifact-calls.ts";
import { collectArtifacts } from "./artifacts.ts";
import { planDeploy, type Change } from "./plan.ts";

export async function run(call: Call): Promise<number> {
  const { arguments: positionals, flags, terminal, signal } = call;
  const withTests = flags["tests"] === "required";
  const artifacts = await collectArtifacts(listOf(positionals, "paths"), {
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
  const pending = plan.filter((change) => change.action !== "same" || (withTests && needsTests(change, plan)));
  if (isOn(flags, "dryRun") || pending.length === 0) {
    if (asJson) terminal.write(JSON.stringify({ deployed: false, changes: plan.map(changeJson) }, undefined, 2));
    else
      terminal.note(
        pending.length === 0
          ? "Nothing to do: all artifacts are up to date"
          : `${pending.length} of ${plan.length} artifacts would change; nothing was deployed`,
      );
    return 0;
  }
  const installed = await apply(connection, pending, {
    withTests,
    comment: textFlag(flags, "comment"),
    signal,
    progress: (text) => terminal.progress(text),
    note: (text) => terminal.note(text),
  });
  terminal.progress(undefined);
  if (asJson) terminal.write(JSON.stringify({ deployed: true, changes: plan.map(changeJson), replies: installed }, undefined, 2));
  else {
    for (const { warnings, routes = [] } of installed) {
      for (const warning of warnings) terminal.note(`${terminal.style("yellow", "warning")} ${warning}`);
      for (const route of routes) terminal.write(`  ${route.id} ${route.status}${route.url === undefined ? "" : ` ${connection.baseUrl}${route.url}`}`);
    }
    terminal.note(`${pending.length} ${pending.length === 1 ? "artifact" : "artifacts"} deployed to ${connection.baseUrl}`);
  }
  return 0;
}

interface ApplyOptions {
  readonly withTests: boolean;
  readonly comment: string | undefined;
  readonly signal: AbortSignal;
  progress(text: string): void;
  note(text: string): void;
}

async function apply(connection: Connection, pending: readonly Change[], options: ApplyOptions): Promise<readonly InstalledArtifact[]> {
  const done: Change[] = [];
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
      installed.push(await putArtifact(connection, artifact, artifact.body, installOptions));
      done.push(change);
      if (index === pending.length - 1) await checkBrokenFlows(connection, installed);
    } catch (error) {
      options.progress("");
      const notRestored = await rollBack(connection, done.toReversed());
      const why = options.signal.aborted ? "interrupted" : `${artifact.file}: ${(error as Error).message}`;
      const outcome =
        done.length === 0
          ? "nothing was changed"
          : notRestored.length === 0
            ? `the other changes were rolled back`
            : `these could not be rolled back: ${notRestored.join(", ")}`;
      throw new CommandError(`${why}; ${outcome}`);
    }
  }
  return installed;
}

/** An unchanged flow whose tests may have another result, because it uses a changed Kamelet. */
function needsTests({ artifact }: Change, plan: readonly Change[]): boolean {
  if (artifact.kind !== "flow" || artifact.body.tests === undefined) return false;
  return plan.some((other) => other.artifact.kind === "kamelet" && other.action !== "same" && artifact.kamelets.includes(other.artifact.id));
}

/** Rejects a deployment after which a flow still runs with the previous version of a Kamelet. */
async function checkBrokenFlows(connection: Connection, installed: readonly InstalledArtifact[]): Promise<void> {
  for (const id of new Set(installed.flatMap(({ refused = [] }) => refused.map((flow) => flow.id)))) {
    const flow = await ifFound(connection.call("GET /flows/:id", { params: { id } }));
    if (flow !== undefined && flow.error !== null) throw new CommandError(`flow '${id}' cannot use the new Kamelets: ${flow.error}`);
  }
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

function changeText({ artifact, action, diff, routes, warnings, users }: Change, style: Call["terminal"]["style"]): string {
  const mark = { create: style("green", "+"), replace: style("yellow", "~"), same: style("dim", "=") }[action];
  const lines = [`${mark} ${artifact.kind} ${style("bold", artifact.id)} (${artifact.file})${action === "same" ? " unchanged" : ""}`];
  if (routes !== undefined && routes.added.length > 0) lines.push(`    routes added: ${routes.added.join(", ")}`);
  if (routes !== undefined && routes.removed.length > 0) lines.push(`    routes removed: ${routes.removed.join(", ")}`);
  if (users !== undefined && users.flows.length > 0) lines.push(`    used by: ${users.flows.join(", ")}`);
  for (const line of diff) lines.push(`    ${line.startsWith("+") ? style("green", line) : line.startsWith("-") ? style("red", line) : line}`);
  for (const warning of warnings) lines.push(`    ${style("yellow", "warning")} ${warning}`);
  return lines.join("\n");
}

function changeJson({ artifact, action, diff, routes, previousHash, warnings, users }: Change): Readonly<Record<string, unknown>> {
  const common = {
    kind: artifact.kind,
    id: artifact.id,
    file: artifact.file,
    action,
    previousHash: previousHash ?? null,
    diff,
    routes: routes ?? null,
    warnings,
  };
  return users === undefined ? common : { ...common, flows: users.flows };
}
