import { defineStep, FlowError, onExchangeEnd } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { Semaphore } from "../semaphore.ts";

/** Limits how many messages the following steps process concurrently. */
export const threads = defineStep({
  name: "threads",
  title: "Threads",
  summary: "Limits how many messages the following steps process concurrently; others wait in a queue.",
  guarantees:
    "This step creates no threads: the following steps process at most poolSize messages at the same time; the others wait in memory, in arrival order. Waiting messages count as in flight. When maxQueueSize messages wait, up to maxPoolSize run; above that, CallerRuns lets a message exceed the limit and Abort fails it.",
  group: "resilience",
  icon: "layers",
  paletteGroup: "speed",
  since: "0.1",
  options: {
    poolSize: f.integer({ doc: "Maximum number of concurrent messages; others wait.", default: 10, min: 1 }),
    maxPoolSize: f.integer({ doc: "Maximum number of concurrent messages when the queue is full; at least poolSize.", default: 20, min: 1 }),
    maxQueueSize: f.integer({ doc: "Length of the queue; negative for no limit.", default: 1000 }),
    rejectedPolicy: f.enum(["Abort", "CallerRuns"], {
      doc: "When the queue is full and maxPoolSize messages are running: Abort fails the message, CallerRuns lets it continue.",
      default: "CallerRuns",
    }),
    keepAliveTime: f.integer({ doc: "Accepted but ignored: there is no thread pool.", group: "advanced" }),
    timeUnit: f.string({ doc: "Accepted but ignored.", group: "advanced" }),
    threadName: f.string({ doc: "Accepted but ignored.", group: "advanced" }),
    allowCoreThreadTimeOut: f.boolean({ doc: "Accepted but ignored.", default: false, group: "advanced" }),
    callerRunsWhenRejected: f.boolean({ doc: "Accepted but ignored: use rejectedPolicy.", default: true, group: "advanced" }),
    executorService: f.string({ doc: "Accepted but ignored.", group: "advanced" }),
  },
  examples: [{ title: "Two at a time", yaml: "threads: {poolSize: 2}", given: { body: "a" }, expect: { body: "a" } }],
  compile({ poolSize, maxPoolSize, maxQueueSize, rejectedPolicy }) {
    const semaphore = new Semaphore({ normal: poolSize, max: Math.max(poolSize, maxPoolSize), maxWaiting: maxQueueSize < 0 ? Infinity : maxQueueSize });
    return (exchange) => {
      if (semaphore.holds(exchange)) return undefined;
      const entry = semaphore.acquire(exchange);
      if (entry === "full") {
        if (rejectedPolicy === "CallerRuns") return undefined;
        throw new FlowError(
          "java.util.concurrent.RejectedExecutionException",
          `the queue of the step 'threads' is full (running: ${semaphore.running}, waiting: ${maxQueueSize}); retry later, or increase maxQueueSize`,
          { code: "threads-full", retryable: true },
        );
      }
      onExchangeEnd(exchange, () => semaphore.release(exchange));
      return entry === "acquired" ? undefined : entry;
    };
  },
});
