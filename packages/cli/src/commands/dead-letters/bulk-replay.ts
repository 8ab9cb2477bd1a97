// A replay by filters runs at the runtime; its id finds it again.
import type { ReplayJob } from "@sluice/client";
import type { Call, Run } from "../../command/declaration.ts";
import { countOf, printResult } from "../../command/output.ts";
import { connect } from "../../runtime/connection.ts";

const paramsOf = ({ arguments: positionals }: Call): { readonly id: string } => ({ id: String(positionals["replay"]) });

export const showReplay: Run = async (call) => {
  const connection = await connect(call.flags);
  printJob(call, await connection.call("GET /dead-letters/replays/:id", { params: paramsOf(call) }));
  return 0;
};

export const cancelReplay: Run = async (call) => {
  const connection = await connect(call.flags);
  const job = await connection.call("DELETE /dead-letters/replays/:id", { params: paramsOf(call) });
  printJob(call, job);
  if (job.status === "running") call.terminal.note("No further replays start; those that have started are finished");
  return 0;
};

export const printJob = (call: Call, job: ReplayJob): void => printResult(call, job, () => jobText(job));

const prefixes = { running: "Running: ", cancelled: "Cancelled: ", completed: "" } as const;

function jobText({ status, total, replayed, failed, skipped }: ReplayJob): string {
  const counts = [
    `${replayed} of ${countOf(total, "dead letter")} replayed`,
    ...(failed === 0 ? [] : [`${failed} failed again`]),
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
  ];
  return `${prefixes[status]}${counts.join(", ")}`;
}
