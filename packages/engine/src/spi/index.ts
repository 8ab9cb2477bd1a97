// The plug-in contract: declarations of connectors, steps, languages, formats and beans, their parameters, and the errors they may throw. Plug-ins
// depend on this and `@sluice/model`. Helpers for writing plug-ins are in `@sluice/engine/tools` and `@sluice/engine/values`.

// Declarations
export {
  defineBean,
  defineConnector,
  defineFormat,
  defineLanguage,
  defineStep,
  type BeanDeclaration,
  type BeanScope,
  type Catalog,
  type ConnectorDeclaration,
  type EntityDeclaration,
  type EntityExpansion,
  type Example,
  type Format,
  type FormatDeclaration,
  type LanguageDeclaration,
  type StepDeclaration,
} from "./declaration.ts";

// Connectors
export type { Connector, Delivery, Endpoint, EndpointScope, RouteInput, Poller, SharedState, Sink, Source, SourceInput } from "./connector.ts";
export { settlementOf, type Settlement } from "../exchange/settlement.ts";
export type { Transaction, UnitOfWork } from "../exchange/unit-of-work.ts";

// Connections
export {
  defineConnection,
  type BeanForm,
  type ClientPackage,
  type Connection,
  type ConnectionContext,
  type ConnectionDeclaration,
  type ConnectionRequest,
  type ConnectionState,
} from "./connection.ts";

// Steps, languages and beans
export { CompileError, isCompileError, type Compiler, type LanguageScope, type Lifecycle, type Outlet, type Tasks } from "./compiler.ts";
export type { Awaitable, Expression, Processor } from "./processor.ts";
export type { IdempotentRepository } from "./repository.ts";

// Messages
export { ending, Exchange, isExchange, type Pattern } from "../exchange/exchange.ts";
export { Headers, isHeaders, undetermined, type WireHeaders } from "../exchange/headers.ts";
export { isMessage, Message } from "../exchange/message.ts";
export { Run, type RouteIdentity, type SessionTag, type TraceContext, type Trigger } from "../exchange/run.ts";
export { onExchangeEnd } from "../exchange/exchange-end.ts";

// Failures
export { FlowError, isFlowError, toFlowError } from "../errors/flow-error.ts";

// Ports
export type { Clock, Host, HttpMount, HttpReply, HttpRequest, Log, LogLevel } from "./host.ts";
