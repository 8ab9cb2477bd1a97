// `sluice deploy`: plans, prints the changes, asks before it removes anything, applies the changes, and removes what --prune found.
import { readConfiguration } from "@sluice/server/config";
import { CommandError, isOn, listOf, textFlag, type Call } from "../../command/declaration.ts";
import { countOf, isConfirmed } from "../../command/output.ts";
import { assignmentsOf } from "../../files/flow-params.ts";
import { connect, ifFound, type Connection } from "../../runtime/connection.ts";
import { apply } from "./apply.ts";
import { removeArtifact, type InstalledArtifact } from "./artifact-calls.ts";
import { collectArtifacts } from "./artifacts.ts";
import { changeJson, changeText, removalJson, removalText } from "./change-text.ts";
import { planDeploy, type Change } from "./plan.ts";
import { unusedParams } from "./unused-params.ts";
import { assertWholeFolders, planPruning, removalsText, type Pruning, type Removal } from "./prune.ts";

interface Plan {
  readonly paths: readonly string[];
  readonly changes: readonly Change[];
  /** The changes to make. */
  readonly pending: readonly Change[];
  readonly removals: readonly Removal[];
  readonly kept: readonly string[];
}

export async function run(call: Call): Promise<number> {
  const { flags, terminal } = call;
  const paths = listOf(call.arguments, "paths");
  const { connection, plan } = await makePlan(call, paths);
  const { pending, removals } = plan;
  if (!isOn(flags, "json")) printPlan(call, plan);
  const isNothingToDo = pending.length + removals.length + replacedIn(pending).length === 0;
  if (isOn(flags, "dryRun") || isNothingToDo) {
    if (isOn(flags, "json")) terminal.write(planJson(plan, { deployed: false }));
    else terminal.note(isNothingToDo ? "Nothing to do: all artifacts are up to date" : `${outlook(plan)}; nothing was deployed`);
    return 0;
  }
  const gone = [...replacedIn(pending), ...removals];
  if (gone.length > 0 && !(await isConfirmed(call, `remove ${removalsText(gone)} from ${connection.baseUrl}`))) return 1;
  const installed = await apply(connection, pending, {
    withTests: flags["tests"] === "required",
    comment: textFlag(flags, "comment"),
    signal: call.signal,
    progress: (text) => terminal.progress(text),
  });
  const removed = await removeAll(call, connection, removals);
  terminal.progress(undefined);
  if (isOn(flags, "json")) terminal.write(planJson(plan, { deployed: true, replies: installed }));
  else printOutcome(call, connection, { pending, installed, removed: removed.length + replacedIn(pending).length });
  return 0;
}

async function makePlan({ flags, terminal }: Call, paths: readonly string[]): Promise<{ readonly connection: Connection; readonly plan: Plan }> {
  const withTests = flags["tests"] === "required";
  const id = textFlag(flags, "id");
  const params = assignmentsOf(listOf(flags, "param"));
  const artifacts = await collectArtifacts(paths, {
    params,
    profile: readConfiguration({ profile: textFlag(flags, "profile") }).settings.profile,
    id,
    tests: withTests,
  });
  for (const name of unusedParams(params, artifacts))
    terminal.note(`${terminal.style("yellow", "warning")} no flow of this deployment reads parameter '${name}': check the name in --param`);
  const isPruned = isOn(flags, "prune");
  if (isPruned) await assertWholeFolders(paths, id);
  const connection = await connect(flags);
  terminal.progress("comparing with the deployed versions");
  const pruning: Pruning = isPruned ? await planPruning(connection, artifacts, paths) : { removals: [], kept: [] };
  const changes = await planDeploy(connection, artifacts, pruning.removals);
  terminal.progress(undefined);
  const pending = changes.filter((change) => change.action !== "same" || (withTests && needsTests(change, changes)));
  const replaced = new Set(replacedIn(pending).map((flow) => flow.id));
  const removals = pruning.removals.filter((removal) => removal.kind !== "flow" || !replaced.has(removal.id));
  return { connection, plan: { paths, changes, pending, removals, kept: pruning.kept } };
}

/** The flows that are removed before a change is installed. */
const replacedIn = (changes: readonly Change[]): readonly Removal[] =>
  changes.flatMap(({ replaces = [] }) => replaces).map(({ id, hash }) => ({ kind: "flow", id, hash }));

function printPlan({ terminal }: Call, { paths, changes, removals, kept }: Plan): void {
  for (const change of changes) terminal.write(changeText(change, terminal.style));
  for (const removal of removals) terminal.write(removalText(removal, paths, terminal.style));
  for (const reason of kept) terminal.note(reason);
}

function planJson({ changes, removals }: Plan, outcome: Readonly<Record<string, unknown>>): string {
  const { deployed, ...rest } = outcome;
  return JSON.stringify({ deployed, changes: [...changes.map(changeJson), ...removals.map(removalJson)], ...rest }, undefined, 2);
}

function outlook({ changes, pending, removals }: Plan): string {
  const removed = removals.length === 0 ? "" : `, and ${removalsText(removals)} would be removed`;
  return `${pending.length} of ${changes.length} artifacts would change${removed}`;
}

/** Removes what the folders do not contain, after everything else is installed; a removal cannot be rolled back. */
async function removeAll({ terminal, signal }: Call, connection: Connection, removals: readonly Removal[]): Promise<readonly Removal[]> {
  const removed: Removal[] = [];
  for (const removal of removals) {
    terminal.progress(`removing ${removal.kind} ${removal.id}`);
    try {
      signal.throwIfAborted();
      // Already gone if someone else removed it.
      await ifFound(removeArtifact(connection, removal, removal.hash));
      removed.push(removal);
    } catch (error) {
      const rest = removals.slice(removed.length).map(({ kind, id }) => `${kind} '${id}'`);
      const why = signal.aborted ? "interrupted" : (error as Error).message;
      throw new CommandError(`${why}; the deployment is installed, but these were not removed: ${rest.join(", ")}`);
    }
  }
  return removed;
}

interface Outcome {
  readonly pending: readonly Change[];
  readonly installed: readonly InstalledArtifact[];
  readonly removed: number;
}

function printOutcome({ terminal }: Call, connection: Connection, { pending, installed, removed }: Outcome): void {
  for (const { warnings, routes = [] } of installed) {
    for (const warning of warnings) terminal.note(`${terminal.style("yellow", "warning")} ${warning}`);
    for (const route of routes) terminal.write(`  ${route.id} ${route.status}${route.url === undefined ? "" : ` ${connection.baseUrl}${route.url}`}`);
  }
  const deployed = `${countOf(pending.length, "artifact")} deployed`;
  if (removed === 0) terminal.note(`${deployed} to ${connection.baseUrl}`);
  else if (pending.length === 0) terminal.note(`${countOf(removed, "artifact")} removed from ${connection.baseUrl}`);
  else terminal.note(`${deployed} and ${removed} removed at ${connection.baseUrl}`);
}

/** An unchanged flow whose tests may have another result, because it uses a changed Kamelet. */
function needsTests({ artifact }: Change, plan: readonly Change[]): boolean {
  if (artifact.kind !== "flow" || artifact.body.tests === undefined) return false;
  return plan.some((other) => other.artifact.kind === "kamelet" && other.action !== "same" && artifact.kamelets.includes(other.artifact.id));
}
