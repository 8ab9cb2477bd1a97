// Shared by marshal and unmarshal: the source of the value and the target of the result.
import type { Awaitable, Exchange, Host, Processor } from "@sluice/engine/spi";
import { receiveInto, variable } from "../variables.ts";

type Convert = (body: unknown, exchange: Exchange) => Awaitable<unknown>;

export interface ConvertVariables {
  readonly variableSend?: string | undefined;
  readonly variableReceive?: string | undefined;
}

/** Size in characters or bytes above which a conversion yields to other runs before the next step. */
const minLongSize = 1024 * 1024;

function isLong(body: unknown): boolean {
  return (typeof body === "string" || body instanceof Uint8Array) && body.length >= minLongSize;
}

export function convertWith(convert: Convert, { variableSend, variableReceive }: ConvertVariables, host: Host): Processor {
  const source = variableSend === undefined ? undefined : variable(variableSend, host);
  const receive = variableReceive === undefined ? undefined : receiveInto(variableReceive, host);
  const read = (exchange: Exchange): unknown => (source === undefined ? exchange.message.body : (source.get(exchange) ?? null));
  if (receive === undefined) {
    return (exchange) => {
      const input = read(exchange);
      const result = convert(input, exchange);
      if (result instanceof Promise) return result.then((value) => void (exchange.message.body = value));
      exchange.message.body = result;
      return isLong(result) || isLong(input) ? host.clock.yieldToEventLoop() : undefined;
    };
  }
  return (exchange) => {
    const original = exchange.message;
    const restore = (): void => {
      exchange.message = original;
    };
    const finish = (value: unknown): void => {
      exchange.message.body = value;
      receive(exchange);
      restore();
    };
    // Headers set by the format belong to the result, not to the unchanged message.
    exchange.message = original.copy();
    try {
      const result = convert(read(exchange), exchange);
      if (!(result instanceof Promise)) return finish(result);
      return result.then(finish).catch((error: unknown) => {
        restore();
        throw error;
      });
    } catch (error) {
      restore();
      throw error;
    }
  };
}
