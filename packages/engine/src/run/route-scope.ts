import type { FlowScope } from "../compile/flow-scope.ts";
import type { RouteGate, RunListener } from "./runtime.ts";

/** What the routes of a flow share at compile time and run time. */
export interface RouteScope extends FlowScope {
  readonly listener: RunListener;
  readonly gate: RouteGate | undefined;
}
