// Finds calls of routes that do not exist. A flow with such a call can be deployed, because the called route may be deployed later, but its messages
// fail or wait until then, so a warning is returned.
import { addressOf, type Prepared, type Runtime } from "@sluice/engine";
import type { Diagnostic } from "@sluice/model";
import { problemOf, type Problem } from "./flow-problems.ts";

/** The calls in a flow that none of its own routes handles, each address once. */
export function unhandledCalls({ calls, consumed }: Pick<Prepared, "calls" | "consumed">): readonly Diagnostic[] {
  const found = new Map<string, Diagnostic>();
  for (const { address, span, routeId, stepId } of calls) {
    if (consumed.has(address) || found.has(address)) continue;
    found.set(address, {
      code: "consumer-missing",
      severity: "warning",
      message: `no route consumes '${address}'`,
      path: address,
      span,
      routeId,
      ...(stepId === undefined ? {} : { stepId }),
      hint: "correct the address, or add a route that begins with it",
    });
  }
  return [...found.values()];
}

export function missingConsumers(flowId: string, prepared: Prepared, { routes }: Pick<Runtime, "routes">): readonly Problem[] {
  const unhandled = unhandledCalls(prepared);
  if (unhandled.length === 0) return [];
  const others = new Set([...routes.values()].filter(({ identity }) => identity.flowId !== flowId).map(({ from }) => addressOf(from)));
  return unhandled.filter(({ path }) => !others.has(path)).map(problemOf);
}
