import type { FlowScope } from "../compile/flow-scope.ts";
import type { RouteGate, RunListener } from "./runtime.ts";

/** Data shared by the routes of a flow at compile time and run time. */
export interface RouteScope extends FlowScope {
  readonly listener: RunListener;
  readonly gate: RouteGate | undefined;
}
