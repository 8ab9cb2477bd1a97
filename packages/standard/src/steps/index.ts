// Every step of the standard vocabulary: one line each, in alphabetical order.
import type { StepDeclaration } from "@sluice/engine/spi";
import { aggregate } from "./aggregate/aggregate.ts";
import { bean } from "./bean/bean.ts";
import { choice } from "./choice/choice.ts";
import { circuitBreaker } from "./circuit-breaker/circuit-breaker.ts";
import { claimCheck } from "./claim-check/claim-check.ts";
import { convertBodyTo } from "./convert-body-to/convert-body-to.ts";
import { convertHeaderTo } from "./convert-header-to/convert-header-to.ts";
import { convertVariableTo } from "./convert-variable-to/convert-variable-to.ts";
import { delay } from "./delay/delay.ts";
import { doTry } from "./do-try/do-try.ts";
import { dynamicRouter } from "./dynamic-router/dynamic-router.ts";
import { enrich } from "./enrich/enrich.ts";
import { filter } from "./filter/filter.ts";
import { idempotentConsumer } from "./idempotent-consumer/idempotent-consumer.ts";
import { kamelet } from "./kamelet/kamelet.ts";
import { loadBalance } from "./load-balance/load-balance.ts";
import { log } from "./log/log.ts";
import { loop } from "./loop/loop.ts";
import { marshal } from "./marshal/marshal.ts";
import { multicast } from "./multicast/multicast.ts";
import { pipeline } from "./pipeline/pipeline.ts";
import { pollEnrich } from "./poll-enrich/poll-enrich.ts";
import { poll } from "./poll/poll.ts";
import { process } from "./process/process.ts";
import { recipientList } from "./recipient-list/recipient-list.ts";
import { removeHeader } from "./remove-header/remove-header.ts";
import { removeHeaders } from "./remove-headers/remove-headers.ts";
import { removeProperties } from "./remove-properties/remove-properties.ts";
import { removeProperty } from "./remove-property/remove-property.ts";
import { removeVariable } from "./remove-variable/remove-variable.ts";
import { resequence } from "./resequence/resequence.ts";
import { rollback } from "./rollback/rollback.ts";
import { routingSlip } from "./routing-slip/routing-slip.ts";
import { saga } from "./saga/saga.ts";
import { sample } from "./sample/sample.ts";
import { script } from "./script/script.ts";
import { setBody } from "./set-body/set-body.ts";
import { setExchangePattern } from "./set-exchange-pattern/set-exchange-pattern.ts";
import { setHeader } from "./set-header/set-header.ts";
import { setHeaders } from "./set-headers/set-headers.ts";
import { setProperty } from "./set-property/set-property.ts";
import { setVariable } from "./set-variable/set-variable.ts";
import { setVariables } from "./set-variables/set-variables.ts";
import { sort } from "./sort/sort.ts";
import { split } from "./split/split.ts";
import { step } from "./step/step.ts";
import { stop } from "./stop/stop.ts";
import { threads } from "./threads/threads.ts";
import { throttle } from "./throttle/throttle.ts";
import { throwException } from "./throw-exception/throw-exception.ts";
import { toD } from "./to-d/to-d.ts";
import { to } from "./to/to.ts";
import { transformDataType } from "./transform-data-type/transform-data-type.ts";
import { transacted } from "./transacted/transacted.ts";
import { transform } from "./transform/transform.ts";
import { unmarshal } from "./unmarshal/unmarshal.ts";
import { validate } from "./validate/validate.ts";
import { wireTap } from "./wire-tap/wire-tap.ts";

export const steps: readonly StepDeclaration[] = [
  aggregate,
  bean,
  choice,
  circuitBreaker,
  claimCheck,
  convertBodyTo,
  convertHeaderTo,
  convertVariableTo,
  delay,
  doTry,
  dynamicRouter,
  enrich,
  filter,
  idempotentConsumer,
  kamelet,
  loadBalance,
  log,
  loop,
  marshal,
  multicast,
  pipeline,
  poll,
  pollEnrich,
  process,
  recipientList,
  removeHeader,
  removeHeaders,
  removeProperties,
  removeProperty,
  removeVariable,
  resequence,
  rollback,
  routingSlip,
  saga,
  sample,
  script,
  setBody,
  setExchangePattern,
  setHeader,
  setHeaders,
  setProperty,
  setVariable,
  setVariables,
  sort,
  split,
  step,
  stop,
  threads,
  throttle,
  throwException,
  to,
  toD,
  transacted,
  transform,
  transformDataType,
  unmarshal,
  validate,
  wireTap,
];
