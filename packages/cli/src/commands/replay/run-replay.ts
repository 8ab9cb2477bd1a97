import type { OutcomeDifference, ReplayOutcome } from "@sluice/client";
import { isOn, listOf, textFlag, type Call } from "../../command/declaration.ts";
import { assignmentsOf } from "../../files/flow-params.ts";
import { connect, ifFound } from "../../runtime/connection.ts";
import { runIdOf } from "../../runtime/run-id.ts";

export async function run({ arguments: positionals, flags, terminal }: Call): Promise<number> {
  const connection = await connect(flags);
  const body = textFlag(flags, "body");
  const headers = assignmentsOf(listOf(flags, "header"));
  const fromStep = textFlag(flags, "fromStep");
  const session = isOn(flags, "inSession")
    ? (await connection.call("POST /test/session", { body: { name: "sluice replay", scope: "session", unmatched: "fail", time: "skip" } })).sessionId
    : undefined;
  try {
    const outcome = await connection.call("POST /runs/:id/replay", {
      params: { id: await runIdOf(connection, String(positionals["run"])) },
      body: {
        ...(fromStep === undefined ? {} : { fromStep }),
        ...(body === undefined ? {} : { body: valueOf(body) }),
        ...(Object.keys(headers).length === 0 ? {} : { headers }),
        ...(session === undefined ? {} : { sessionId: session }),
      },
    });
    terminal.write(isOn(flags, "json") ? JSON.stringify(outcome, undefined, 2) : outcomeText(outcome));
    return ["completed", "discarded"].includes(outcome.status) ? 0 : 1;
  } finally {
    if (session !== undefined) await ifFound(connection.call("DELETE /test/session/:id", { params: { id: session } }));
  }
}

function outcomeText(outcome: ReplayOutcome): string {
  const lines = [`${outcome.runId} ${outcome.status} in ${outcome.durationMs} ms (replay of ${outcome.replayOf})`];
  if (outcome.flowChanged === true) lines.push("the flow changed after the run");
  if (outcome.error) lines.push(`error: ${outcome.error.message}`);
  if (outcome.body !== undefined && outcome.body !== null)
    lines.push(`body: ${typeof outcome.body === "string" ? outcome.body : JSON.stringify(outcome.body)}`);
  lines.push(...differences(outcome.diff));
  return lines.join("\n");
}

function differences(diff: OutcomeDifference | undefined): readonly string[] {
  if (diff === undefined) return [];
  if (diff.same === true) return ["the outcome is the same"];
  const lines: string[] = [];
  if (diff.status.before !== diff.status.after) lines.push(`status: was ${diff.status.before}, is ${diff.status.after}`);
  if (diff.body?.changed === true) lines.push(`body: was ${JSON.stringify(diff.body.before)}`);
  for (const [name, change] of Object.entries(diff.headers?.changed ?? {}))
    lines.push(`header ${name}: was ${JSON.stringify(change.before)}, is ${JSON.stringify(change.after)}`);
  return lines.length === 0 && diff.same === null ? ["cannot compare: the original outcome was not stored"] : lines;
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
