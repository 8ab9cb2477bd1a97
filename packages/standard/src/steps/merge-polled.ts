// Merges the message that poll or pollEnrich received, if any.
import type { Exchange, Host, Message } from "@sluice/engine/spi";
import { copyExchange } from "@sluice/engine/tools";
import type { AggregationStrategy } from "../beans/aggregation-strategy.ts";
import { mergeResult } from "./merge-result.ts";

/**
 * Without a strategy, the polled body replaces the body and the polled headers are added; if no message was received, the body becomes null. A strategy is
 * called only if a message was received.
 */
export function mergePolled(exchange: Exchange, polled: Message | undefined, strategy: AggregationStrategy | undefined, host: Host): void {
  if (strategy !== undefined) {
    if (polled === undefined) return;
    const headers = exchange.message.headers.copy();
    for (const [name, value] of polled.headers) headers.set(name, value);
    const message = polled.copy();
    message.headers = headers;
    mergeResult(exchange, strategy.aggregate(exchange, copyExchange(exchange, host.ids, { message }), exchange), { stops: true });
    return;
  }
  exchange.message.body = polled === undefined ? null : polled.body;
  if (polled !== undefined) for (const [name, value] of polled.headers) exchange.message.headers.set(name, value);
}
