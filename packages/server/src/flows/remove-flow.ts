// Removes a flow: the file first, so that a crash never brings back what was reported gone; then the routes drain.
import type { DrainReport } from "@sluice/engine";
import { Refusal } from "../refusal.ts";
import { StorageError } from "./flow-store.ts";
import { refuseChanged, type IfMatch } from "./install-flow.ts";
import { claimsTurn, flowTurn, type FlowParts } from "./installed-flows.ts";

export interface RemoveOutcome {
  readonly routes: readonly string[];
  readonly drained: boolean;
}

export function removeFlow(parts: FlowParts, id: string, ifMatch: IfMatch | undefined): Promise<RemoveOutcome> {
  return parts.turns.take(flowTurn(id), async () => {
    const current = await parts.store.read(id);
    if (current === undefined && !parts.runtime.deployments.has(id)) {
      parts.installed.delete(id);
      throw new Refusal("not-found", `flow '${id}' not found`);
    }
    refuseChanged(id, ifMatch, current);
    await parts.store.remove(id).catch((error: unknown) => {
      throw error instanceof StorageError ? new Refusal("storage-refused", error.message) : error;
    });
    // Tests that stay behind do no harm; they would be met again by the next flow of this id.
    await parts.tests.remove(id).catch(() => undefined);
    const report = await withdraw(parts, id);
    parts.installed.delete(id);
    parts.secrets.set(id, []);
    parts.announce("removed", id, current?.hash ?? "");
    return { routes: report?.routeIds ?? [], drained: report?.drained ?? true };
  });
}

/** Takes a flow out of service. Others may claim its paths at once; the drain is waited for outside their turn. */
async function withdraw(parts: FlowParts, id: string): Promise<DrainReport | undefined> {
  let leaving: Promise<DrainReport | undefined> | undefined;
  await parts.turns.take(claimsTurn, async () => {
    leaving = parts.runtime.undeploy(id);
  });
  const report = await leaving;
  for (const { routeId, stepId, runId } of report?.abandoned ?? []) {
    parts.log.write(
      "WARN",
      "sluice.flows",
      `run ${runId} of the removed route '${routeId}' was cancelled at step '${stepId ?? "none"}': it did not finish in time`,
    );
  }
  return report;
}
