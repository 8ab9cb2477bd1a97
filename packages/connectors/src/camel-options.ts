// Options shared by nearly all Camel endpoints.
import type { Awaitable, Pattern, Processor } from "@sluice/engine/spi";
import { f } from "@sluice/model";

export const bridgeErrorHandlerField = f.boolean({
  doc: "Accepted but ignored: failures of a message always reach the route's error handler.",
  default: false,
  group: "advanced",
});

/** For sources that create messages themselves: no caller waits for a reply. */
export const sourceFields = {
  exchangePattern: f.enum(["InOnly", "InOut"], {
    doc: "InOut makes steps such as `to: seda:` wait for a reply.",
    default: "InOnly",
    group: "advanced",
  }),
  bridgeErrorHandler: bridgeErrorHandlerField,
  runLoggingLevel: f.string({ doc: "Accepted but ignored: runs are in the run history.", group: "advanced" }),
};

/** For endpoints between routes: the sender's pattern applies unless the endpoint overrides it. */
export const callFields = {
  exchangePattern: f.enum(["InOnly", "InOut"], {
    doc: "Whether a call through this endpoint expects a reply; by default the sender decides. A route that consumes from it is not affected.",
    group: "advanced",
  }),
  bridgeErrorHandler: bridgeErrorHandlerField,
};

/** Sends with the endpoint's pattern and restores the exchange's own pattern afterwards. */
export function withPattern(pattern: Pattern | undefined, send: Processor): Processor {
  if (pattern === undefined) return send;
  return (exchange) => {
    const originalPattern = exchange.pattern;
    const restore = (): void => void (exchange.pattern = originalPattern);
    exchange.pattern = pattern;
    let pending: Awaitable;
    try {
      pending = send(exchange);
    } catch (error) {
      restore();
      throw error;
    }
    if (pending === undefined) return restore();
    return pending.finally(restore);
  };
}

export const sinkFields = {
  lazyStartProducer: f.boolean({ doc: "Accepted but ignored: endpoints start with their flow.", default: false, group: "advanced" }),
};
