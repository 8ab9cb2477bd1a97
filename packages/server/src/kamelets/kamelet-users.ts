// The flows that use a Kamelet: checks whether they can run with another version of it, and recompiles them.
import type { Deployment, KameletFiles } from "@sluice/engine";
import { systemClock } from "../host/clock.ts";
import { assertDeployable } from "../flows/flow-problems.ts";
import { prepareFlow, maskProblem, type FlowParts } from "../flows/installed-flows.ts";
import { reloadFlow } from "../flows/load-flows.ts";
import { ServiceError } from "../service-error.ts";

/** A flow that cannot be deployed with the new version. */
export interface RefusedFlow {
  readonly id: string;
  readonly error: string;
}

/** The ids of the running flows that use a Kamelet, directly or through another Kamelet. */
export const usersOf = ({ runtime }: Pick<FlowParts, "runtime">, name: string): readonly string[] =>
  [...runtime.deployments.values()]
    .filter(({ kamelets }) => kamelets.has(name))
    .map(({ id }) => id)
    .sort();

/** The flows that a new text of the Kamelet affects, including those that failed because of it. */
export function affectedFlows({ runtime, installed }: FlowParts, name: string, text: string | undefined): readonly string[] {
  const isAffected = ({ id, kamelets }: Deployment): boolean =>
    kamelets.has(name) && (kamelets.get(name)?.text !== text || installed.get(id)?.error !== undefined);
  const running = [...runtime.deployments.values()].filter(isAffected).map(({ id }) => id);
  const failed = [...installed.values()].filter(({ error }) => error?.includes(`Kamelet '${name}'`) === true).map(({ id }) => id);
  return [...new Set([...running, ...failed])].sort();
}

/** Returns those of the flows that are running and cannot be deployed with these Kamelets. Changes nothing. */
export async function refusedFlows(parts: FlowParts, ids: readonly string[], kamelets: KameletFiles): Promise<readonly RefusedFlow[]> {
  const refused: RefusedFlow[] = [];
  for (const id of ids) {
    const deployment = parts.runtime.deployments.get(id);
    const installed = parts.installed.get(id);
    // A flow that has already failed is not affected.
    if (deployment === undefined || installed === undefined || installed.error !== undefined) continue;
    await systemClock.yieldToEventLoop();
    const { hash, flow } = deployment;
    const { prepared } = await prepareFlow(parts, { id, source: flow.source, hash, params: installed.params, kamelets });
    try {
      assertDeployable(prepared);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      refused.push({ id, error: maskProblem(parts, error.message) });
    }
  }
  return refused;
}

/**
 * Recompiles these flows and replaces their running versions. With `kamelets`, these are used instead of the installed ones. A flow that
 * cannot be replaced keeps its version and is returned.
 */
export async function reloadUsers(parts: FlowParts, ids: readonly string[], kamelets?: KameletFiles): Promise<readonly RefusedFlow[]> {
  if (ids.length === 0) return [];
  for (const file of await parts.store.list()) if (ids.includes(file.id)) await reloadFlow(parts, file, { kamelets });
  return ids.flatMap((id) => {
    const error = parts.installed.get(id)?.error;
    return error === undefined ? [] : [{ id, error: maskProblem(parts, error) }];
  });
}
