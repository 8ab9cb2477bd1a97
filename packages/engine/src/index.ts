// For hosts that run flows: the plug-in contract plus the runtime.
export * from "./spi/index.ts";
export type { BeanFunction, BeanObject } from "./spi/bean-object.ts";
export {
  ClusterError,
  isClusterError,
  type Claim,
  type Claims,
  type ClaimSet,
  type Cluster,
  type Collection,
  type Consumption,
  type Messaging,
  type QueueContent,
  type QueueDelivery,
  type QueueDepth,
  type PutOptions,
  type QueueReceiver,
  type Queues,
  type Records,
  type RecordVersion,
  type RequestOptions,
  type Responses,
  type Revision,
  type WatchedCollection,
} from "./spi/cluster.ts";
export type { SourceEvent } from "./spi/connector.ts";
export type { ConnectionBean, ConnectionLookup, Connections } from "./spi/connection.ts";
export type { KameletFile, KameletFiles, ResourceFile, ResourceFiles } from "./spi/host.ts";
export type { PartIndex, UnloadedPart } from "./spi/declaration.ts";
export type { HttpIngress, Ids, Lookup } from "./spi/host.ts";
export { StepTrail, type StepRecord, type StepTry } from "./exchange/step-trail.ts";
export { exportedName, functionStub, type FunctionStub, type StubKind } from "./compile/function-stub.ts";
export { bindFields } from "./compile/bind-fields.ts";
export * from "./entities/index.ts";
export * from "./compile/flow-input.ts";
export * from "./compile/placement.ts";
export { addressOf, type RouteCall } from "./compile/route-calls.ts";
export * from "./compile/runtime-limits.ts";
export * from "./compile/tap.ts";
export * from "./run/runtime.ts";
export * from "./run/create-runtime.ts";
export * from "./mocks/index.ts";
