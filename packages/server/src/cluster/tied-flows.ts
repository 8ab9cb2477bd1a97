// The flows and routes that must run on one node: the node that holds their slot.
import type { Catalog, Deployment, Route, RouteIdentity, Runtime } from "@sluice/engine";
import { systemClock } from "../host/clock.ts";
import { masterOf, slotKeyOf } from "./slot-keys.ts";
import { slotOf } from "./slots.ts";
import { tiesOf } from "./unsupported.ts";

type Connectors = Pick<Catalog, "connectors">;

/** A version that was prepared but not deployed within this time was rejected. */
const deployMs = 30_000;

export class TiedFlows {
  /** By flow: the tied version that was prepared last, and when. */
  readonly #flows = new Map<string, { readonly preparedAt: number; readonly keys: ReadonlyMap<string, string> }>();
  /** By the version of a route: a flow may be replaced by a version with other `master:` names while both run. */
  readonly #places = new WeakMap<RouteIdentity, { readonly slot: number; readonly isPlaced: boolean }>();

  /** Call before a version is deployed, so that it is tied before its first request. Running an untied version on one node is correct too. */
  prepared(deployment: Deployment, catalog: Connectors): void {
    for (const route of deployment.routes)
      this.#places.set(route.identity, { slot: slotOf(slotKeyOf(deployment, route)), isPlaced: isPlaced(route, deployment, catalog) });
    const keys = requestKeys(deployment, catalog);
    if (keys.size > 0) this.#flows.set(deployment.id, { preparedAt: systemClock.monotonic(), keys });
  }

  /** The slot whose holder runs the trigger of a route. */
  slotOf(route: RouteIdentity): number {
    return this.#places.get(route)?.slot ?? slotOf(route.flowId);
  }

  /** True for a route whose trigger runs on one node. */
  isPlaced(route: RouteIdentity): boolean {
    return this.#places.get(route)?.isPlaced === true;
  }

  /** The slot whose holder runs the requests of a route; undefined when every node does. */
  requestSlot(flowId: string, routeId: string): number | undefined {
    const key = this.#flows.get(flowId)?.keys.get(routeId);
    return key === undefined ? undefined : slotOf(key);
  }

  /** Forgets flows whose deployed version is not tied. */
  refresh(runtime: Runtime, catalog: Connectors): void {
    for (const [flowId, { preparedAt }] of this.#flows) {
      if (systemClock.monotonic() - preparedAt < deployMs) continue;
      const deployed = runtime.deployments.get(flowId);
      const keys = deployed === undefined ? undefined : requestKeys(deployed, catalog);
      if (keys === undefined || keys.size === 0) this.#flows.delete(flowId);
      else this.#flows.set(flowId, { preparedAt: systemClock.monotonic(), keys });
    }
  }
}

/** The slot keys of the routes that run on one node, by route. */
function requestKeys(deployment: Deployment, catalog: Connectors): ReadonlyMap<string, string> {
  const isTied = tiesOf(deployment, catalog).length > 0;
  const tied = deployment.routes.filter((route) => isTied || masterOf(route) !== undefined);
  return new Map(tied.map((route) => [route.identity.id, slotKeyOf(deployment, route)]));
}

/** True for a schedule, a poll, `master:`, and every source of a flow that must run on one node. Requests are accepted by every node. */
function isPlaced(route: Route, deployment: Deployment, catalog: Connectors): boolean {
  const { placement, trigger } = route;
  if (trigger === "request") return false;
  if (masterOf(route) !== undefined) return true;
  if (trigger === "route" || deployment.placement === "all") return false;
  return placement.tiedBy.some(({ kind }) => kind === "trigger") || tiesOf(deployment, catalog).length > 0;
}
