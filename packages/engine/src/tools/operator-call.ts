// Calls to the functions that the operator registered.
import type { Exchange } from "../exchange/exchange.ts";
import type { Expression, Processor } from "../spi/processor.ts";

type OperatorFunction = (...parameters: readonly unknown[]) => unknown;

export interface OperatorCall {
  /** The name of the function, or of the object that has it. */
  readonly bean: string;
  readonly method: string | undefined;
  /** Passed before the exchange. */
  readonly parameters?: readonly Expression[] | undefined;
}

/** Compiles a call; its value is the result of the function, which may be a promise. */
export function operatorCall(
  { bean, method, parameters = [] }: OperatorCall,
  scope: { bean(reference: string, kind: string): unknown },
): (exchange: Exchange) => unknown {
  const call = scope.bean(method === undefined ? bean : `${bean}.${method}`, "function") as OperatorFunction;
  if (parameters.length === 0)
    return (exchange) => {
      exchange.unshareProperties();
      return call(exchange);
    };
  return (exchange) => {
    exchange.unshareProperties();
    return call(...parameters.map((parameter) => parameter(exchange)), exchange);
  };
}

/** Sets the body to the returned value; `undefined` leaves the body unchanged. */
export function bodyFromCall(call: (exchange: Exchange) => unknown): Processor {
  const setBody = (exchange: Exchange, result: unknown): void => {
    if (result !== undefined) exchange.message.body = result;
  };
  return (exchange) => {
    const result = call(exchange);
    if (result instanceof Promise) return result.then((value: unknown) => setBody(exchange, value));
    setBody(exchange, result);
    return undefined;
  };
}
