// When and how long to wait before a failed step is tried again.
import { f, parseDuration, type Values } from "@sluice/model";
import { CompileError } from "../spi/compiler.ts";

/** The options of `redeliveryPolicy`, wherever it stands. */
export const redeliveryFields = {
  maximumRedeliveries: f.integer({ doc: "How often a failed step is tried again; -1 for ever.", default: 0 }),
  redeliveryDelay: f.duration({ doc: "Wait before the first redelivery.", default: 1000 }),
  maximumRedeliveryDelay: f.duration({ doc: "No wait is longer than this; -1 for no bound.", default: 60_000 }),
  useExponentialBackOff: f.boolean({ doc: "Each wait is the one before times the multiplier.", default: false }),
  backOffMultiplier: f.number({ doc: "Factor of the exponential back-off.", default: 2 }),
  useCollisionAvoidance: f.boolean({ doc: "Varies each wait a little, so that many failed runs do not come back at once.", default: false }),
  collisionAvoidanceFactor: f.number({ doc: "By how much, as a share of the wait.", default: 0.15 }),
  delayPattern: f.string({ doc: "Waits by attempt, such as `0:50;2:150`; wins over the other delay options." }),
  asyncDelayedRedelivery: f.boolean({ doc: "Accepted for Camel routes; waiting never blocks here.", default: false, group: "advanced" }),
  disableRedelivery: f.boolean({ doc: "Switches redelivery off.", default: false }),
  allowRedeliveryWhileStopping: f.boolean({ doc: "Goes on redelivering while the route drains.", default: true, group: "advanced" }),
  exchangeFormatterRef: f.string({ doc: "Accepted for Camel routes.", group: "advanced" }),
  logContinued: f.boolean({ doc: "Logs failures that are continued.", default: false, group: "advanced" }),
  logExhausted: f.boolean({ doc: "Logs failures that are exhausted.", default: true, group: "advanced" }),
  logExhaustedMessageBody: f.boolean({ doc: "Accepted for Camel routes.", default: false, group: "advanced" }),
  logExhaustedMessageHistory: f.boolean({ doc: "Accepted for Camel routes.", default: false, group: "advanced" }),
  logHandled: f.boolean({ doc: "Logs failures that are handled.", default: false, group: "advanced" }),
  logNewException: f.boolean({ doc: "Accepted for Camel routes.", default: true, group: "advanced" }),
  logRetryAttempted: f.boolean({ doc: "Logs each redelivery.", default: true, group: "advanced" }),
  logRetryStackTrace: f.boolean({ doc: "Accepted for Camel routes.", default: false, group: "advanced" }),
  logStackTrace: f.boolean({ doc: "Accepted for Camel routes.", default: true, group: "advanced" }),
  redeliveryDelayPattern: f.string({ doc: "Accepted for Camel routes.", group: "advanced" }),
  retriesExhaustedLogLevel: f.string({ doc: "Level of the record of an exhausted failure.", group: "advanced" }),
  retryAttemptedLogInterval: f.integer({ doc: "Accepted for Camel routes.", default: 1, group: "advanced" }),
  retryAttemptedLogLevel: f.string({ doc: "Level of the record of a redelivery.", group: "advanced" }),
} as const;

export type RedeliveryOptions = Values<typeof redeliveryFields>;

export interface RedeliveryPolicy {
  /** -1 is for ever. */
  readonly maximum: number;
  readonly whileStopping: boolean;
  /** The wait before redelivery number `attempt` (1, 2, …). */
  delay(attempt: number, random: () => number): number;
}

export const noRedelivery: RedeliveryPolicy = { maximum: 0, whileStopping: true, delay: () => 0 };

export function redeliveryPolicy(options: RedeliveryOptions): RedeliveryPolicy {
  const pattern = options.delayPattern === undefined ? undefined : parsePattern(options.delayPattern);
  const cap = options.maximumRedeliveryDelay < 0 ? Infinity : options.maximumRedeliveryDelay;
  return {
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

/** `0:50;2:150`: from attempt n on the wait is so long; before the first entry there is none. */
function parsePattern(text: string): (attempt: number) => number {
  const groups = text.split(";").map((group) => {
    const [from, delay] = group.split(":").map((part) => part.trim());
    const ms = delay === undefined ? undefined : parseDuration(delay);
    if (from === undefined || !/^\d+$/.test(from) || ms === undefined)
      throw new CompileError("option-invalid", `delayPattern '${text}' is not of the form attempt:delay;attempt:delay`, {
        hint: "write for example 0:50;2:150",
      });
    return { from: Number(from), ms };
  });
  return (attempt) => groups.findLast((group) => attempt >= group.from)?.ms ?? 0;
}
