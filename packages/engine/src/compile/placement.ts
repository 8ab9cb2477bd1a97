import type { StepNode } from "@sluice/model";

/** Where a route may run in a service with several workers. */
export interface Placement {
  /** Reasons that tie the route to one worker; empty when every worker may run it. */
  readonly tiedBy: readonly string[];
  /** Endpoints of other routes it calls in-process: it must run on the same worker as they do. */
  readonly calls: readonly string[];
}

/** A step as tools see it: its position and, for a step that sends to a fixed endpoint, the URI. */
export interface StepPlace {
  readonly node: StepNode;
  readonly depth: number;
  readonly uri: string | undefined;
  /** The send does not leave the runtime. */
  readonly staysInside: boolean;
}
