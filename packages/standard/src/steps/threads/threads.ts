import { defineStep, FlowError } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { Slots } from "../slots.ts";
import { whenOver } from "../when-over.ts";

/** Limits how many messages are in the rest of the route at the same time. */
export const threads = defineStep({
  name: "threads",
  title: "Threads",
  summary: "Limits how many messages are in the rest of the route at once; others wait in line.",
  group: "resilience",
  icon: "layers",
  since: "0.1",
  options: {
    poolSize: f.integer({ doc: "Messages at once before others wait.", default: 10, min: 1 }),
    maxPoolSize: f.integer({ doc: "Messages at once when the line is full; at least poolSize.", default: 20, min: 1 }),
    maxQueueSize: f.integer({ doc: "How many may wait in line; negative has no limit.", default: 1000 }),
    rejectedPolicy: f.enum(["Abort", "CallerRuns"], { doc: "When the line is full: fail the message, or let it pass.", default: "CallerRuns" }),
    keepAliveTime: f.integer({ doc: "Accepted without effect: there are no threads.", group: "advanced" }),
    timeUnit: f.string({ doc: "Accepted without effect.", group: "advanced" }),
    threadName: f.string({ doc: "Accepted without effect.", group: "advanced" }),
    allowCoreThreadTimeOut: f.boolean({ doc: "Accepted without effect.", default: false, group: "advanced" }),
    callerRunsWhenRejected: f.boolean({ doc: "Accepted without effect: use rejectedPolicy.", default: true, group: "advanced" }),
    executorService: f.string({ doc: "Accepted without effect.", group: "advanced" }),
  },
  examples: [{ title: "Two at a time", yaml: "threads: {poolSize: 2}", given: { body: "a" }, expect: { body: "a" } }],
  compile({ poolSize, maxPoolSize, maxQueueSize, rejectedPolicy }) {
    const slots = new Slots({ normal: poolSize, most: Math.max(poolSize, maxPoolSize), line: maxQueueSize < 0 ? Infinity : maxQueueSize });
    return (exchange) => {
      if (slots.holds(exchange)) return undefined;
      const entry = slots.enter(exchange);
      if (entry === "full") {
        if (rejectedPolicy === "CallerRuns") return undefined;
        throw new FlowError(
          "java.util.concurrent.RejectedExecutionException",
          `threads: all ${slots.running} places and the line of ${maxQueueSize} are taken`,
          { code: "threads-full", retryable: true },
        );
      }
      whenOver(exchange, () => slots.leave(exchange));
      return entry === "in" ? undefined : entry;
    };
  },
});
