import type { ErrorHandlerPlan } from "../compile/error-handler.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { Lifecycle } from "../spi/compiler.ts";
import type { Source } from "../spi/connector.ts";
import type { Awaitable, Processor } from "../spi/processor.ts";
import type { Placement, StepPlace } from "./runtime.ts";

/** What a route consists of once it is compiled. */
export interface RouteProgram {
  readonly from: string;
  readonly source: Source;
  readonly process: Processor;
  /** The rest of the route from one of its own steps on; undefined for a step that is nested in another or not there. */
  processFrom(stepId: string): Processor | undefined;
  readonly plan: ErrorHandlerPlan;
  readonly keepOriginal: boolean;
  /** Run on the exchange when it leaves the route, failed or not. */
  readonly beforeReply: readonly Processor[];
  /** Remembered on the exchange and called when it is over. */
  readonly afterReply: readonly ((exchange: Exchange) => Awaitable)[];
  readonly lifecycles: readonly Lifecycle[];
  readonly steps: readonly StepPlace[];
  readonly placement: Placement;
  readonly autoStartup: boolean;
  readonly startupOrder: number;
}
