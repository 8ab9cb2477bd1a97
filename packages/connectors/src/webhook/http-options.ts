// Options of all routes that are called over HTTP.
import { CompileError } from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";
import { bridgeErrorHandlerField } from "../camel-options.ts";
import { redeliveryOptions } from "../queue/queue-shape.ts";

export const httpOptions = {
  httpMethodRestrict: f.string({ doc: "Allowed methods, separated by commas.", examples: ["GET,POST"] }),
  matchOnUriPrefix: f.boolean({ doc: "Whether paths below the path are also served.", default: false }),
  muteException: f.boolean({ doc: "Whether the response to a failed run omits the cause.", default: true }),
  async: f.enum(["false", "true", "allow"], {
    doc: "Whether the caller gets 202 immediately: never, always, or when it sends `Prefer: respond-async`.",
    default: "false",
  }),
  exchangePattern: f.enum(["InOut", "InOnly"], { doc: "InOnly is the same as async=true.", default: "InOut", group: "advanced" }),
  requestTimeout: f.duration({ doc: "How long a caller waits before it gets 504, while the run continues; 0 for no limit.", default: 30_000 }),
  idempotency: f.boolean({ doc: "Whether a repeated Idempotency-Key gets the first response again instead of a second run.", default: false }),
  consumes: f.string({ doc: "Accepted content types, separated by commas; others get 415.", examples: ["application/json"] }),
  durable: f.boolean({
    doc: "Whether the caller gets 202 and a `messageId` once the message is on disk; the route then processes the stored message at least once.",
    default: false,
  }),
  concurrentConsumers: f.integer({
    doc: "With durable=true: how many accepted messages the route processes concurrently.",
    default: 10,
    min: 1,
    max: 500,
    group: "advanced",
  }),
  ...redeliveryOptions("With durable=true"),
  bridgeErrorHandler: bridgeErrorHandlerField,
  produces: f.string({ doc: "Content type of responses if the route sets none; the first one if there are several.", examples: ["application/json"] }),
};

export type HttpOptions = Values<typeof httpOptions>;

export const httpHeaders = {
  CamelHttpMethod: f.string({ doc: "Method of the request." }),
  CamelHttpPath: f.string({ doc: "Path of the request, decoded." }),
  CamelHttpUri: f.string({ doc: "Path and query." }),
  CamelHttpUrl: f.string({ doc: "The full URL, with the host as sent by the caller." }),
  CamelHttpQuery: f.string({ doc: "The query, not decoded." }),
  CamelHttpRawQuery: f.string({ doc: "The query, not decoded." }),
  CamelFileName: f.string({ doc: "The name of a single uploaded file." }),
  CamelHttpResponseCode: f.integer({ doc: "Set by the route: status code of the response." }),
};

/** The methods of `httpMethodRestrict`, or the default. */
export function methodsOf(restrict: string | undefined, fallback: readonly string[] | undefined): readonly string[] | undefined {
  if (restrict === undefined || restrict.trim() === "") return fallback;
  const methods = restrict.split(",").map((method) => method.trim().toUpperCase());
  const unsupported = methods.find((method) => !/^[A-Z][A-Z-]{0,30}$/.test(method) || method === "CONNECT" || method === "TRACE");
  if (unsupported !== undefined)
    throw new CompileError("bad-option", `unsupported method '${unsupported}' in httpMethodRestrict`, {
      hint: "separate methods with commas, for example GET,POST; CONNECT and TRACE are not supported",
    });
  return [...new Set(methods)];
}
