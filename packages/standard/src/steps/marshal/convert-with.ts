// What marshal and unmarshal share: where the value comes from and where the result goes.
import type { Awaitable, Exchange, Host, Processor } from "@sluice/engine/spi";
import { receiveInto, variable } from "../variables.ts";

type Convert = (body: unknown, exchange: Exchange) => Awaitable<unknown>;

export interface ConvertVariables {
  readonly variableSend?: string | undefined;
  readonly variableReceive?: string | undefined;
}

export function convertWith(convert: Convert, { variableSend, variableReceive }: ConvertVariables, host: Host): Processor {
  const source = variableSend === undefined ? undefined : variable(variableSend, host);
  const receive = variableReceive === undefined ? undefined : receiveInto(variableReceive, host);
  const read = (exchange: Exchange): unknown => (source === undefined ? exchange.message.body : (source.get(exchange) ?? null));
  if (receive === undefined) {
    return (exchange) => {
      const result = convert(read(exchange), exchange);
      if (result instanceof Promise) return result.then((value) => void (exchange.message.body = value));
      exchange.message.body = result;
      return undefined;
    };
  }
  return (exchange) => {
    const before = exchange.message;
    const restore = (): void => {
      exchange.message = before;
    };
    const finish = (value: unknown): void => {
      exchange.message.body = value;
      receive(exchange);
      restore();
    };
    // The format may set headers: they belong to the result, not to the message that stays.
    exchange.message = before.copy();
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
