import type { StepNode } from "@sluice/model";
import type { StateScope } from "../spi/declaration.ts";

/** Why a route runs in one process only. */
export interface Tie {
  readonly kind: "trigger" | "step" | "endpoint";
  /** A clause for messages, such as `step 'aggregate1' is stateful`. */
  readonly reason: string;
  /** For the kind `endpoint`: the URI that the route sends to; undefined if it is resolved at run time. */
  readonly uri?: string;
  /** For the kind `step`: the `stateScope` of the step's declaration. */
  readonly stateScope?: StateScope;
  /** For the kind `trigger`: true when its messages are in the durable store, which the nodes of a cluster share. */
  readonly isStored?: boolean;
  /** For the kind `trigger`: the name in `master:<name>:…`, which chooses the node of a cluster. */
  readonly master?: string;
}

/** Where a route may run in a service with several workers or nodes. */
export interface Placement {
  /** Reasons why the route must run in one process; empty when every process may run it. */
  readonly tiedBy: readonly Tie[];
  /** Endpoints of other routes that the route calls in-process: it must run on the same worker as those routes. */
  readonly calls: readonly string[];
}

/** A step of a compiled route, with its nesting depth and, if it sends to a fixed endpoint, the URI. */
export interface RouteStep {
  readonly node: StepNode;
  readonly depth: number;
  readonly uri: string | undefined;
  /** Messages sent by this step do not leave the runtime. */
  readonly isLocal: boolean;
}

/** Values of the parameter `sluice.placement`: where the sources of a flow run in a cluster. */
export const flowPlacements = ["auto", "one", "all"] as const;
export type FlowPlacement = (typeof flowPlacements)[number];
