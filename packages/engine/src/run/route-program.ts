import type { ErrorHandlerPlan } from "../compile/error-handler.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { Lifecycle } from "../spi/compiler.ts";
import type { TriggerKind } from "@sluice/model";
import type { Source } from "../spi/connector.ts";
import type { Processor } from "../spi/processor.ts";
import type { Placement, RouteStep } from "../compile/placement.ts";

/** A compiled route. */
export interface RouteProgram {
  readonly from: string;
  readonly source: Source;
  readonly trigger: TriggerKind | undefined;
  readonly process: Processor;
  /** Runs the route from this top-level step on; undefined for an unknown or nested step. */
  processFrom(stepId: string): Processor | undefined;
  readonly plan: ErrorHandlerPlan;
  readonly keepOriginal: boolean;
  /** Run on the exchange when it leaves the route, failed or not. */
  readonly beforeReply: readonly Processor[];
  /** Registered on the exchange and called when it has completed. */
  readonly afterReply: readonly ((exchange: Exchange) => void)[];
  readonly lifecycles: readonly Lifecycle[];
  readonly steps: readonly RouteStep[];
  readonly placement: Placement;
  readonly autoStartup: boolean;
  readonly startupOrder: number;
}
