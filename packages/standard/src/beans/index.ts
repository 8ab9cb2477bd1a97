// Every bean of the standard vocabulary: one line each.
import type { BeanDeclaration } from "@sluice/engine/spi";
import { groupedBody, groupedExchange, groupedMessage } from "./grouped.ts";
import { memoryRepository } from "./memory-idempotent-repository.ts";
import { redeliveryPolicy } from "./redelivery-policy.ts";
import { stringAggregation } from "./string-strategy.ts";
import { useLatest } from "./use-latest.ts";
import { useOriginal } from "./use-original.ts";

export const beans: readonly BeanDeclaration[] = [
  groupedBody,
  groupedExchange,
  groupedMessage,
  memoryRepository,
  redeliveryPolicy,
  stringAggregation,
  useLatest,
  useOriginal,
];
