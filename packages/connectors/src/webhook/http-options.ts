// The options of every route that is called over HTTP.
import { CompileError } from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";
import { redeliveryOptions } from "../queue/queue-shape.ts";

export const httpOptions = {
  httpMethodRestrict: f.string({ doc: "The methods that are served, separated by commas.", examples: ["GET,POST"] }),
  matchOnUriPrefix: f.boolean({ doc: "Whether everything below the path is served too.", default: false }),
  muteException: f.boolean({ doc: "Whether the reply to a failed run leaves out the cause.", default: true }),
  async: f.enum(["false", "true", "allow"], {
    doc: "Whether the caller gets 202 at once: never, always, or when it sends `Prefer: respond-async`.",
    default: "false",
  }),
  exchangePattern: f.enum(["InOut", "InOnly"], { doc: "InOnly is the same as async=true.", default: "InOut", group: "advanced" }),
  requestTimeout: f.duration({ doc: "How long a caller waits before it gets 504 while the run goes on; 0 has no limit.", default: 30_000 }),
  idempotency: f.boolean({ doc: "Whether a repeated Idempotency-Key gets the first reply again instead of a second run.", default: false }),
  consumes: f.string({ doc: "The content types that are taken, separated by commas; others get 415.", examples: ["application/json"] }),
  durable: f.boolean({
    doc: "Whether the caller gets 202 and a `messageId` once the message is on disk; the route then runs from there, at least once per message.",
    default: false,
  }),
  concurrentConsumers: f.integer({
    doc: "With durable=true, how many accepted messages the route works on at the same time.",
    default: 10,
    min: 1,
    max: 500,
    group: "advanced",
  }),
  ...redeliveryOptions,
  produces: f.string({ doc: "The content type of the replies, for the API description.", group: "advanced" }),
};

export type HttpOptions = Values<typeof httpOptions>;

export const httpHeaders = {
  CamelHttpMethod: f.string({ doc: "The request's method." }),
  CamelHttpPath: f.string({ doc: "The request's path, decoded." }),
  CamelHttpUri: f.string({ doc: "Path and query." }),
  CamelHttpUrl: f.string({ doc: "The whole address, as the caller spelled its host." }),
  CamelHttpQuery: f.string({ doc: "The query, not decoded." }),
  CamelHttpRawQuery: f.string({ doc: "The query, not decoded." }),
  CamelFileName: f.string({ doc: "The name of a single uploaded file." }),
  CamelHttpResponseCode: f.integer({ doc: "Set by the route: the status of the reply." }),
};

/** The methods of `httpMethodRestrict`, or what holds without it. */
export function methodsOf(restrict: string | undefined, otherwise: readonly string[] | undefined): readonly string[] | undefined {
  if (restrict === undefined || restrict.trim() === "") return otherwise;
  const methods = restrict.split(",").map((method) => method.trim().toUpperCase());
  const wrong = methods.find((method) => !/^[A-Z][A-Z-]{0,30}$/.test(method) || method === "CONNECT" || method === "TRACE");
  if (wrong !== undefined)
    throw new CompileError("bad-option", `httpMethodRestrict names '${wrong}', which is no method that can be served`, { hint: "write it as GET,POST" });
  return [...new Set(methods)];
}
