import type { StepNode } from "@sluice/model";
import type { RouteIdentity } from "../exchange/run.ts";
import type { Receiver } from "../spi/connector.ts";
import type { Processor } from "../spi/processor.ts";

/**
 * A wrapper around steps and sends while attached: mocks, tracing, history. Costs nothing when detached. Lower layers are closer to the
 * step: mocks 10, tracing 20, history 30.
 */
export interface Tap {
  readonly layer: number;
  covers(route: RouteIdentity): boolean;
  /** Returns `next` unchanged to ignore this step. */
  step?(next: Processor, node: StepNode, route: RouteIdentity): Processor;
  /** Like `step`, for a send to an endpoint by any step; `exchange.at` names the step. */
  send?(next: Processor, uri: string, route: RouteIdentity): Processor;
  /** Like `send`, for polling an endpoint. */
  receive?(next: Receiver, uri: string, route: RouteIdentity): Receiver;
}
