// Defines when a failed step is retried and the delay before each retry.
import { parseDuration, type Values } from "@sluice/model";
import { CompileError } from "../spi/compiler.ts";
import type { LogLevel } from "../spi/host.ts";
import type { redeliveryFields } from "../tools/redelivery-fields.ts";

export type RedeliveryOptions = Values<typeof redeliveryFields>;

export interface RedeliveryPolicy {
  /** -1 means unlimited. */
  readonly maximum: number;
  readonly whileStopping: boolean;
  /** The log level of redelivery number `attempt`; undefined when it is not logged. */
  retryLevel(attempt: number): LogLevel | undefined;
  /** The log level of a handled failure; undefined when it is not logged. */
  readonly handledLevel: LogLevel | undefined;
  /** The log level of a failure after which the route continues; undefined when it is not logged. */
  readonly continuedLevel: LogLevel | undefined;
  /** The delay in milliseconds before redelivery number `attempt` (1, 2, …). */
  delay(attempt: number, random: () => number): number;
}

export const noRedelivery: RedeliveryPolicy = {
  maximum: 0,
  whileStopping: true,
  retryLevel: () => undefined,
  handledLevel: undefined,
  continuedLevel: undefined,
  delay: () => 0,
};

export function redeliveryPolicy(options: RedeliveryOptions): RedeliveryPolicy {
  const pattern = options.delayPattern === undefined ? undefined : parsePattern(options.delayPattern);
  const cap = options.maximumRedeliveryDelay < 0 ? Infinity : options.maximumRedeliveryDelay;
  const retryLevel = options.logRetryAttempted ? enabledLevel(options.retryAttemptedLogLevel) : undefined;
  const exhaustedLevel = enabledLevel(options.retriesExhaustedLogLevel);
  const interval = Math.max(1, options.retryAttemptedLogInterval);
  return {
    retryLevel: (attempt) => (attempt === 1 || attempt % interval === 0 ? retryLevel : undefined),
    handledLevel: options.logHandled ? exhaustedLevel : undefined,
    continuedLevel: options.logContinued ? exhaustedLevel : undefined,
    maximum: options.disableRedelivery ? 0 : options.maximumRedeliveries,
    whileStopping: options.allowRedeliveryWhileStopping,
    delay(attempt, random) {
      if (pattern !== undefined) return pattern(attempt);
      let delay = options.redeliveryDelay;
      if (options.useExponentialBackOff && options.backOffMultiplier > 1) delay *= options.backOffMultiplier ** (attempt - 1);
      if (options.useCollisionAvoidance) delay += delay * options.collisionAvoidanceFactor * (random() * 2 - 1);
      return Math.max(0, Math.min(delay, cap));
    },
  };
}

const enabledLevel = (level: LogLevel | "OFF"): LogLevel | undefined => (level === "OFF" ? undefined : level);

/** `0:50;2:150`: the delay from attempt n on; no delay before the first entry. */
function parsePattern(text: string): (attempt: number) => number {
  const groups = text.split(";").map((group) => {
    const [from, delay] = group.split(":").map((part) => part.trim());
    const ms = delay === undefined ? undefined : parseDuration(delay);
    if (from === undefined || !/^\d+$/.test(from) || ms === undefined)
      throw new CompileError("option-invalid", `delayPattern '${text}' is not in the form attempt:delay;attempt:delay`, {
        hint: "for example 0:50;2:150",
      });
    return { from: Number(from), ms };
  });
  return (attempt) => groups.findLast((group) => attempt >= group.from)?.ms ?? 0;
}
