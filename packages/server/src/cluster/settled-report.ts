import { systemClock } from "../host/clock.ts";
import type { ChangeReport } from "../other-nodes/cluster-view.ts";
import type { ReplicatedConfig } from "./replicated-config.ts";
import type { Session } from "./session.ts";

/** Waits until the live nodes have applied a revision, and reports those that have not. */
export async function settledReport(revision: number, config: ReplicatedConfig, session: Session, settleMs: number): Promise<ChangeReport> {
  const until = systemClock.monotonic() + settleMs;
  await config.waitForRevision(revision, until);
  session.publishProgress();
  await session.eventually((live) => live.every(({ applied }) => applied >= revision), until);
  const live = session.live();
  const behind = live.flatMap(({ node, applied, behind: failed }) => {
    if (applied < revision) return [{ node, reason: `did not confirm revision ${revision} in time` }];
    return failed.map(({ id, reason }) => ({ node, reason: `${id}: ${reason}` }));
  });
  return { revision, nodes: live.length, running: live.length - new Set(behind.map(({ node }) => node)).size, behind };
}
