// The flows that must run on one node: that of their slot.
import type { Catalog, Deployment, Runtime } from "@sluice/engine";
import { systemClock } from "../host/clock.ts";
import { tiesOf } from "./unsupported.ts";

/** A version that was prepared but not deployed within this time was rejected. */
const deployMs = 30_000;

export class TiedFlows {
  /** By flow, with the time at which a tied version was prepared. */
  readonly #flows = new Map<string, number>();

  /** A version is about to be deployed. It is tied before its first request; running an untied version on one node is correct, too. */
  prepared(deployment: Deployment, catalog: Pick<Catalog, "connectors">): void {
    if (tiesOf(deployment, catalog).length > 0) this.#flows.set(deployment.id, systemClock.monotonic());
  }

  has(flowId: string): boolean {
    return this.#flows.has(flowId);
  }

  /** Forgets flows whose deployed version is not tied. */
  refresh(runtime: Runtime, catalog: Pick<Catalog, "connectors">): void {
    for (const [flowId, preparedAt] of this.#flows) {
      if (systemClock.monotonic() - preparedAt < deployMs) continue;
      const deployed = runtime.deployments.get(flowId);
      if (deployed === undefined || tiesOf(deployed, catalog).length === 0) this.#flows.delete(flowId);
      else this.#flows.set(flowId, systemClock.monotonic());
    }
  }
}
