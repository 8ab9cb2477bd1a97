import type { Exchange } from "../exchange/exchange.ts";
import type { Message } from "../exchange/message.ts";
import type { RouteIdentity } from "../exchange/run.ts";
import type { RouteStep } from "./placement.ts";
import type { Lifecycle } from "../spi/compiler.ts";
import type { Processor } from "../spi/processor.ts";
import type { DiagnosticSink } from "./diagnostics.ts";
import type { FlowScope } from "./flow-scope.ts";
import type { PlacementBuilder } from "./placement-builder.ts";
import type { Wiring } from "./wiring.ts";

/** State shared by all views of one route's compiler. */
export interface RouteParts {
  readonly route: RouteIdentity;
  readonly scope: FlowScope;
  readonly wiring: Wiring;
  readonly diagnostics: DiagnosticSink;
  readonly lifecycles: Lifecycle[];
  readonly routeSteps: (RouteStep & { uri: string | undefined; isLocal: boolean; costly: boolean })[];
  readonly placement: PlacementBuilder;
  sendInterceptors: readonly SendInterceptor[];
  restore(message: Message): Exchange;
  detach(copy: Exchange, processor: Processor): void;
}

/** A compiled interceptSendToEndpoint. */
export interface SendInterceptor {
  matches(uri: string): boolean;
  wrap(send: Processor, uri: string): Processor;
}
