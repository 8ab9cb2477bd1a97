import { isDeepStrictEqual } from "node:util";
import type { FlowVersion, InstalledFlow } from "@sluice/client";
import { CommandError, isOn, numberFlag, textFlag, type Call } from "../../command/declaration.ts";
import { author } from "../../runtime/author.ts";
import { connect } from "../../runtime/connection.ts";
import { colorDiff, versionDiff, versionsText } from "../../runtime/flow-versions.ts";

export async function run({ arguments: positionals, flags, terminal }: Call): Promise<number> {
  const id = String(positionals["flow"]);
  const to = numberFlag(flags, "to");
  const connection = await connect(flags);
  const current = await connection.call("GET /flows/:id", { params: { id } });
  const revision = to === undefined ? previousOf(id, (await connection.call("GET /flows/:id/versions", { params: { id } })).versions) : to;
  const version = await connection.call("GET /flows/:id/versions/:revision", { params: { id, revision: String(revision) } });
  const diff = versionDiff(current, version);
  const asJson = isOn(flags, "json");
  if (!asJson) {
    terminal.write(versionsText([version], terminal));
    if (diff.length > 0) terminal.write(colorDiff(diff, terminal.style));
  }
  const dryRun = isOn(flags, "dryRun");
  const response = await connection.call("POST /flows/:id/rollback", {
    params: { id },
    body: { revision },
    ifMatch: current.hash,
    query: { dryRun, tests: textFlag(flags, "tests") === "required" ? "required" : undefined, by: author(), comment: textFlag(flags, "comment") },
  });
  if (asJson) terminal.write(JSON.stringify({ ...response, diff }, undefined, 2));
  else {
    for (const warning of response.warnings) terminal.note(`${terminal.style("yellow", "warning")} ${warning}`);
    if (!response.changed) terminal.note(`Nothing to do: the current version of flow '${id}' equals revision ${revision}`);
    else if (dryRun) terminal.note("Nothing was changed");
    else terminal.note(`Flow '${id}' rolled back to revision ${revision} (new revision ${(response as InstalledFlow).revision}) on ${connection.baseUrl}`);
  }
  return 0;
}

/** The newest version before the running one with different content; if none is running, the second newest. */
function previousOf(id: string, versions: readonly FlowVersion[]): number {
  const running = versions.find((version) => version.running) ?? versions[0];
  const previous = versions.find(
    (version) =>
      running !== undefined && version.revision < running.revision && (version.hash !== running.hash || !isDeepStrictEqual(version.params, running.params)),
  );
  if (previous === undefined)
    throw new CommandError(
      `flow '${id}' has no earlier version: pass --to with a revision listed by \`sluice versions ${id}\`, or deploy the flow file with \`sluice deploy\``,
    );
  return previous.revision;
}
