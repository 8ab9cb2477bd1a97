// The routes whose trigger runs on one node, such as schedules and polls.
import type { Cluster, Log, Route } from "@sluice/engine";
import { flowKey } from "../flows/installed-flows.ts";
import type { ClusterNode, FollowedParts } from "../other-nodes/cluster-view.ts";
import type { Slots } from "./slots.ts";
import type { TiedFlows } from "./tied-flows.ts";

/** Decides which routes and ticks run on this node. Each tick is claimed, because another node may have fired it before this one took over the slot. */
export const createGate = (cluster: Cluster, slots: Slots, tied: TiedFlows, log: Log): ClusterNode["gate"] => ({
  isHeld: (route) => !tied.isPlaced(route.identity) || slots.holds(tied.slotOf(route.identity)),
  claimTick: (route, tick, isPermanent) => {
    if (!tied.isPlaced(route)) return true;
    const slot = tied.slotOf(route);
    if (!slots.holds(slot)) return false;
    if (tick === undefined) return true;
    return cluster.claims.claim(isPermanent ? "pin" : "hour", `tick/${route.flowId}/${route.id}/${route.flowHash}/${tick}`, Buffer.from(cluster.boot)).then(
      ({ won }) => won && slots.holds(slot),
      (error: unknown) => {
        log.write("WARN", route.id, `Skipped a tick of route '${route.id}': ${(error as Error).message}`);
        return false;
      },
    );
  },
});

/** Starts the routes that this node holds, and suspends those of the other nodes. */
export async function placeRoutes({ runtime, flows }: FollowedParts, gate: ClusterNode["gate"], tied: TiedFlows, log: Log): Promise<void> {
  const isMisplaced = (route: Route): boolean =>
    gate.isHeld(route) ? route.status === "Suspended" && flows.routeStates.of(route.identity) === undefined : isActive(route);
  // Concurrently, because suspending a route waits for its messages.
  await Promise.all(
    [...runtime.routes.values()]
      .filter((route) => tied.isPlaced(route.identity) && isMisplaced(route))
      .map(({ identity }) =>
        // Not while the flow is being replaced: the old version must not start again.
        flows.mutex.run(flowKey(identity.flowId), async () => {
          const route = runtime.routes.get(identity.id);
          if (route === undefined || !tied.isPlaced(identity) || !isMisplaced(route)) return;
          const action = isActive(route) ? "suspend" : "start";
          await route[action]().catch((error: unknown) => log.write("ERROR", identity.id, `Cannot ${action} route '${identity.id}'`, undefined, { error }));
        }),
      ),
  );
}

const isActive = ({ status }: Route): boolean => status === "Started" || status === "Starting" || status === "Failed";
