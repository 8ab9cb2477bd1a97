// Sends a copy to the queue and, when a reply is expected, waits for it and copies the result.
import { FlowError, isFlowError, type Awaitable, type Clock, type Delivery, type Endpoint, type Exchange, type Sink } from "@sluice/engine/spi";
import { cancelledError } from "@sluice/engine/tools";
import { withPattern } from "../camel-options.ts";
import type { SedaOptions } from "./seda-shape.ts";
import type { Entry, SedaQueue } from "./seda-queue.ts";

export function sedaSink(endpoint: Endpoint<SedaOptions>, queueOf: () => SedaQueue, clock: Clock): Sink {
  const { options } = endpoint;
  const trigger = { uri: endpoint.uri };
  return { send: withPattern(options.exchangePattern, send) };

  function send(exchange: Exchange): Awaitable {
    const queue = queueOf();
    if (!queue.hasConsumers) {
      if (options.failIfNoConsumers) throw noConsumer(endpoint);
      if (options.discardIfNoConsumers) return undefined;
    }
    if (!queue.isFull(options.size)) return put(queue, exchange);
    if (options.discardWhenFull) return undefined;
    if (!options.blockWhenFull) throw queueFull();
    return putWhenSpaceIsFree(queue, exchange);
  }

  function put(queue: SedaQueue, exchange: Exchange): Awaitable {
    const message = exchange.message.copy();
    const delivery: Delivery = {
      pattern: exchange.pattern,
      trigger,
      properties: exchange.shareProperties(),
      variables: exchange.variables && new Map(exchange.variables),
      session: exchange.run.session,
      correlationId: exchange.run.chainId,
      trace: exchange.run.trace,
    };
    const waitsForReply = options.waitForTaskToComplete === "Always" || (options.waitForTaskToComplete === "IfReplyExpected" && exchange.pattern === "InOut");
    if (waitsForReply) return putAndWait(queue, exchange, { message, delivery });
    queue.put({ message, delivery, reply: undefined });
    return undefined;
  }

  function putWhenSpaceIsFree(queue: SedaQueue, exchange: Exchange): Promise<void> {
    const { size, offerTimeout } = options;
    const { signal } = exchange.run;
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void): void => {
        cancelTimer?.();
        cancelWait();
        signal.removeEventListener("abort", onAbort);
        finish();
      };
      const onAbort = (): void => settle(() => reject(cancelledError(signal)));
      const onSpace = (): void => {
        if (queue.isFull(size)) cancelWait = queue.onSpace(onSpace);
        else settle(() => resolve(put(queue, exchange)));
      };
      const cancelTimer = offerTimeout > 0 ? clock.after(offerTimeout, () => settle(() => reject(queueFull(offerTimeout)))) : undefined;
      let cancelWait = queue.onSpace(onSpace);
      signal.addEventListener("abort", onAbort, { once: true });
      if (signal.aborted) onAbort();
    });
  }

  function putAndWait(queue: SedaQueue, exchange: Exchange, sent: Pick<Entry, "message" | "delivery">): Promise<void> {
    const { signal } = exchange.run;
    return new Promise((resolve, reject) => {
      let isDone = false;
      const settle = (finish: () => void): void => {
        if (isDone) return;
        isDone = true;
        cancelTimer?.();
        signal.removeEventListener("abort", onAbort);
        finish();
      };
      const onAbort = (): void => {
        queue.withdraw(entry);
        settle(() => reject(cancelledError(signal)));
      };
      const onTimeout = (): void => {
        queue.withdraw(entry);
        settle(() => reject(timeoutError(options.timeout)));
      };
      const entry: Entry = {
        ...sent,
        reply: (done) =>
          settle(() => {
            const failure = isFlowError(done) ? done : done?.failure;
            if (done !== undefined && !isFlowError(done)) copyResult(exchange, done);
            if (failure === undefined) resolve();
            else reject(failure);
          }),
      };
      const cancelTimer = options.timeout > 0 ? clock.after(options.timeout, onTimeout) : undefined;
      signal.addEventListener("abort", onAbort, { once: true });
      if (signal.aborted) onAbort();
      else queue.put(entry);
    });
  }
}

/** The sender continues with a copy of the result: the other run is recorded, and a cancelled one may still change its message. */
function copyResult(exchange: Exchange, done: Exchange): void {
  exchange.message.body = done.message.body;
  exchange.message.headers = done.message.headers.copy();
  exchange.properties = done.shareProperties();
  exchange.variables = done.variables && new Map(done.variables);
  exchange.ending = done.ending;
  exchange.caught = done.caught ?? exchange.caught;
}

function queueFull(waited?: number): FlowError {
  return new FlowError("java.lang.IllegalStateException", waited === undefined ? "Queue full" : `Queue full, no capacity within ${waited} millis`, {
    code: "queue-full",
    retryable: true,
  });
}

function timeoutError(timeout: number): FlowError {
  return new FlowError("org.apache.camel.ExchangeTimedOutException", `The OUT message was not received within: ${timeout} millis`, {
    code: "queue-timeout",
    retryable: true,
  });
}

function noConsumer(endpoint: Endpoint<SedaOptions>): FlowError {
  return new FlowError(
    "org.apache.camel.component.seda.SedaConsumerNotAvailableException",
    `No consumers available on endpoint: ${endpoint.scheme}://${endpoint.options.name}`,
    {
      code: "queue-no-consumer",
      retryable: true,
    },
  );
}
