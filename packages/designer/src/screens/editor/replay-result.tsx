import { Link } from "wouter";
import type { ReplayOutcome } from "@sluice/client";
import { strings } from "../../strings.ts";

const text = strings.runs;

/** The outcome of a replay, with a link to its run. */
export function ReplayResult({ outcome, flowId }: { readonly outcome: ReplayOutcome | { readonly error: string }; readonly flowId: string }) {
  if (!("runId" in outcome)) return <p className="field__error">{typeof outcome.error === "string" ? outcome.error : ""}</p>;
  return (
    <p>
      {text.replayed(outcome.status)} {outcome.diff?.same === true ? text.replayedSame : ""}{" "}
      {outcome.error === null ? null : <span className="field__error">{outcome.error.message} </span>}
      <Link href={`/flows/${flowId}/runs/${outcome.runId}`}>{text.openReplay}</Link>
    </p>
  );
}
