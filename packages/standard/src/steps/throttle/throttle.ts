import { defineStep, FlowError, onExchangeEnd, type Awaitable, type Exchange } from "@sluice/engine/spi";
import { pause } from "@sluice/engine/tools";
import { asText } from "@sluice/engine/values";
import { f } from "@sluice/model";
import { BoundedMap } from "../bounded-map.ts";
import { Semaphore } from "../semaphore.ts";
import { sessionKey } from "../session-key.ts";
import { Permits } from "./permits.ts";

/** Messages that may wait per key; additional messages are rejected. */
const maxQueueLength = 10_000;
/** Keys with their own limit; the least recently used is evicted first. */
const maxKeys = 10_000;

/** Delays or rejects messages above a rate or concurrency limit. */
export const throttle = defineStep({
  name: "throttle",
  title: "Throttle",
  summary: "Limits how many messages pass per period or concurrently.",
  guarantees:
    "Messages continue in arrival order, per correlation key. Up to 10,000 messages per key wait in memory; additional messages are rejected with a retryable error. Permits are stored in memory, for up to 10,000 keys, and are not shared between runtimes; with several workers, the route runs in one of them.",
  group: "resilience",
  icon: "gauge",
  paletteGroup: "speed",
  card: { title: "Limit rate", subtitle: "{expression} messages" },
  since: "0.1",
  keywords: ["limit", "rate"],
  stateScope: "one",
  options: {
    expression: f.expression({ doc: "Maximum number of messages; evaluated per message.", required: true, inline: true }),
    correlationExpression: f.expression({ doc: "Messages with the same value share one limit." }),
    mode: f.enum(["TotalRequests", "ConcurrentRequests"], { doc: "Limits messages per period, or messages in flight.", default: "TotalRequests" }),
    timePeriodMillis: f.duration({ doc: "The period of the mode TotalRequests.", default: 1000 }),
    rejectExecution: f.boolean({ doc: "Fails messages above the limit instead of delaying them.", default: false }),
    asyncDelayed: f.boolean({ doc: "Accepted but ignored: waiting never blocks.", default: false, group: "advanced" }),
    callerRunsWhenRejected: f.boolean({ doc: "Accepted but ignored.", default: true, group: "advanced" }),
    executorService: f.string({ doc: "Accepted but ignored.", group: "advanced" }),
  },
  examples: [{ title: "Ten messages per second", yaml: 'throttle: {constant: "10"}', given: { body: "a" }, expect: { body: "a" } }],
  compile({ expression, correlationExpression, mode, timePeriodMillis, rejectExecution }, compiler) {
    const { clock } = compiler.host;
    const limitExpression = compiler.expression(expression);
    const correlation = correlationExpression === undefined ? undefined : compiler.expression(correlationExpression);
    const keyOf = (exchange: Exchange): string => sessionKey(exchange, correlation === undefined ? "" : asText(correlation(exchange)));
    let limit = 0;
    const limitFor = (exchange: Exchange): number => (limit = readLimit(limitExpression(exchange), limit));
    return mode === "TotalRequests" ? perPeriod() : byConcurrency();

    function perPeriod(): (exchange: Exchange) => Awaitable {
      const permits = new BoundedMap<string, Permits>(maxKeys, () => new Permits(timePeriodMillis));
      return (exchange) => {
        const count = limitFor(exchange);
        const keyPermits = permits.get(keyOf(exchange));
        const now = clock.monotonic();
        const wait = keyPermits.waitFor(count, now);
        if (wait > 0 && (rejectExecution || keyPermits.waiting(now) >= maxQueueLength))
          throw rejectedError(`Exceeded the max throttle rate of ${count} within ${timePeriodMillis}ms`);
        keyPermits.take(count, now + wait, now);
        return pause(exchange, wait, clock);
      };
    }

    function byConcurrency(): (exchange: Exchange) => Awaitable {
      const semaphores = new BoundedMap<string, Semaphore>(
        maxKeys,
        () => new Semaphore({ normal: 1, max: 1, maxWaiting: rejectExecution ? 0 : maxQueueLength }),
      );
      return (exchange) => {
        const count = limitFor(exchange);
        const semaphore = semaphores.get(keyOf(exchange));
        semaphore.limits = { normal: count, max: count, maxWaiting: rejectExecution ? 0 : maxQueueLength };
        if (semaphore.holds(exchange)) return undefined;
        const entry = semaphore.acquire(exchange);
        if (entry === "full") throw rejectedError(`Exceeded the max throttle rate of ${count} concurrent messages`);
        onExchangeEnd(exchange, () => semaphore.release(exchange));
        return entry === "acquired" ? undefined : entry;
      };
    }
  },
});

function readLimit(value: unknown, last: number): number {
  if (value === null || value === undefined) {
    if (last > 0) return last;
    throw new FlowError("org.apache.camel.RuntimeCamelException", "the throttle expression returned no limit; return an integer of 1 or more", {
      code: "throttle-invalid",
    });
  }
  const limit = Number(asText(value).trim());
  if (!Number.isInteger(limit) || limit < 1)
    throw new FlowError("java.lang.IllegalStateException", `the throttle limit must be an integer of 1 or more, got '${asText(value)}'`, {
      code: "throttle-invalid",
    });
  return limit;
}

function rejectedError(message: string): FlowError {
  return new FlowError("org.apache.camel.processor.ThrottlerRejectedExecutionException", message, { code: "throttled", retryable: true });
}
