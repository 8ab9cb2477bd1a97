// `variableSend` and `variableReceive` for every step that calls an endpoint, and `pattern` for the duration of the call.
import { f } from "@sluice/model";
import type { Host, Pattern, Processor } from "@sluice/engine/spi";
import { settle } from "./settle.ts";
import { receiveInto, variable } from "./variables.ts";

export const variableFields = {
  variableSend: f.string({
    doc: "Variable whose value is sent as the body, in place of the message body.",
    group: "advanced",
  }),
  variableReceive: f.string({
    doc: "Variable that receives the reply's body (its headers go to header:<variable>.<name>); the message does not change.",
    group: "advanced",
  }),
};

export interface CallOptions {
  readonly variableSend?: string | undefined;
  readonly variableReceive?: string | undefined;
  readonly pattern?: Pattern | undefined;
}

/** Wraps a call with the options; without any, returns the call unchanged. */
export function sendWithVariables(call: Processor, options: CallOptions, host: Host): Processor {
  return withPattern(withVariables(call, options, host), options.pattern);
}

function withVariables(call: Processor, { variableSend, variableReceive }: CallOptions, host: Host): Processor {
  if (variableSend === undefined && variableReceive === undefined) return call;
  const source = variableSend === undefined ? undefined : variable(variableSend, host);
  const receive = variableReceive === undefined ? undefined : receiveInto(variableReceive, host);
  return (exchange) => {
    const original = exchange.message;
    if (receive !== undefined) exchange.message = original.copy();
    if (source !== undefined) exchange.message.body = source.get(exchange) ?? null;
    if (receive === undefined) return call(exchange);
    return settle(
      () => call(exchange),
      () => {
        receive(exchange);
        exchange.message = original;
      },
      (error) => {
        throw error;
      },
    );
  };
}

function withPattern(call: Processor, pattern: Pattern | undefined): Processor {
  if (pattern === undefined) return call;
  return (exchange) => {
    const original = exchange.pattern;
    exchange.pattern = pattern;
    const restore = (): void => {
      exchange.pattern = original;
    };
    return settle(
      () => call(exchange),
      restore,
      (error) => {
        restore();
        throw error;
      },
    );
  };
}
