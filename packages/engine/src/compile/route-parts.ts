import type { Exchange } from "../exchange/exchange.ts";
import type { RouteIdentity } from "../exchange/run.ts";
import type { StepPlace } from "../run/runtime.ts";
import type { Lifecycle } from "../spi/compiler.ts";
import type { Processor } from "../spi/processor.ts";
import type { DiagnosticSink } from "./diagnostics.ts";
import type { FlowScope } from "./flow-scope.ts";
import type { Placing } from "./placing.ts";
import type { Wiring } from "./wiring.ts";

/** What the views of one route's compiler share. */
export interface RouteParts {
  readonly route: RouteIdentity;
  readonly scope: FlowScope;
  readonly wiring: Wiring;
  readonly diagnostics: DiagnosticSink;
  readonly lifecycles: Lifecycle[];
  readonly places: (StepPlace & { uri: string | undefined; costly: boolean })[];
  readonly placing: Placing;
  sendInterceptors: readonly SendInterceptor[];
  detach(copy: Exchange, processor: Processor): void;
}

/** An interceptSendToEndpoint, compiled. */
export interface SendInterceptor {
  matches(uri: string): boolean;
  wrap(send: Processor, uri: string): Processor;
}
