// Every bean of the standard vocabulary: one line each.
import type { BeanDeclaration } from "@sluice/engine/spi";
import { breakerConfiguration } from "./breaker-configuration.ts";
import { caseInsensitiveOrder, reverseOrder } from "./comparators.ts";
import { groupedBody, groupedExchange, groupedMessage } from "./grouped.ts";
import { headerDeserializer, manualCommit, manualCommitFactory } from "./kafka/consumer-beans.ts";
import { dropField, extractField, hoistField, insertField, maskField, replaceField, valueToKey } from "./kafka/field-transforms.ts";
import { messageTimestampRouter, regexRouter, timestampRouter } from "./kafka/topic-routers.ts";
import { memoryAggregationRepository } from "./memory-aggregation-repository.ts";
import { memoryRepository } from "./memory-idempotent-repository.ts";
import { memorySagas } from "./memory-sagas.ts";
import { redeliveryPolicy } from "./redelivery-policy.ts";
import { stringAggregation } from "./string-strategy.ts";
import { useLatest } from "./use-latest.ts";
import { useOriginal } from "./use-original.ts";

export const beans: readonly BeanDeclaration[] = [
  breakerConfiguration,
  caseInsensitiveOrder,
  dropField,
  extractField,
  groupedBody,
  groupedExchange,
  groupedMessage,
  headerDeserializer,
  hoistField,
  insertField,
  manualCommit,
  manualCommitFactory,
  maskField,
  memoryAggregationRepository,
  memoryRepository,
  memorySagas,
  messageTimestampRouter,
  redeliveryPolicy,
  regexRouter,
  replaceField,
  reverseOrder,
  stringAggregation,
  timestampRouter,
  useLatest,
  useOriginal,
  valueToKey,
];
