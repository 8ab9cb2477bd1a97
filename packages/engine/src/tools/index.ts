// Helpers for writing plug-ins: the contract (`@sluice/engine/spi`) does not depend on them.
export type { AggregatedGroup, AggregationRepository, GroupState, StoredGroup } from "./aggregation-repository.ts";
export { backOffMs, reconnectBackOff, type BackOff } from "./back-off.ts";
export { constantExpression, constantOf } from "./constant-expression.ts";
export { copyExchange } from "./copy-exchange.ts";
export { bodyFromCall, operatorCall } from "./operator-call.ts";
export { createKeyedMutex, type KeyedMutex } from "./keyed-mutex.ts";
export { cancelledError, each, inSlices, pause } from "./pacing.ts";
export { compileResource } from "./resource-text.ts";
export { readJsonAhead } from "./read-json-ahead.ts";
export { redeliveryFields } from "./redelivery-fields.ts";
export { endExchange } from "../exchange/exchange-end.ts";
export { exceptionTypeNames, inheritanceDistance, isKnownExceptionType } from "../errors/exception-types.ts";
export type { OpenSaga, SagaOutcome, SagaParticipant, SagaStep, SagaStore } from "./saga-store.ts";
export type { GroupRun, PartGroup, PartQueue, PartReceiver, SharedAggregation, StoredPart } from "./shared-aggregation.ts";
export { OpenUnit } from "../exchange/unit-of-work.ts";
