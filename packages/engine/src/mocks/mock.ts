// A mock: matches steps or endpoints and replaces them. It counts its calls; the tap records them.
import type { MockBody, RespondBody, ThrowBody } from "@sluice/model";
import { exceptionTypeNames, isKnownExceptionType } from "../errors/exception-types.ts";
import { FlowError, toFlowError } from "../errors/flow-error.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { RouteIdentity } from "../exchange/run.ts";
import type { Clock } from "../spi/host.ts";
import { pause } from "../tools/pacing.ts";
import type { Awaitable, Expression } from "../spi/processor.ts";
import { isRetryableStatus, readStatusRange } from "../values/http-status.ts";
import { copyJson } from "../values/json-view.ts";
import { namePattern, type NamePattern } from "./name-pattern.ts";

export interface MockResponse {
  readonly status: number | null;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** The effect of a mock on a call. */
export type MockOutcome =
  | { readonly kind: "responded"; readonly response: MockResponse }
  | { readonly kind: "threw"; readonly error: FlowError; readonly shownType: string };

export interface MockParts {
  readonly clock: Clock;
  /** Compiles a Simple expression; throws for an invalid one. */
  compile(text: string): Expression;
}

/** `uri` is the endpoint of the step it replaces. */
export type Reaction = (exchange: Exchange, uri: string | undefined) => Awaitable<MockOutcome>;

export class Mock {
  readonly id: string;
  /** 2 when it names a step, 1 an endpoint, 0 neither: the higher one wins. */
  readonly weight: number;
  readonly hasUri: boolean;
  readonly stepId: string | undefined;
  readonly #patterns: Partial<Record<"stepId" | "routeId" | "flowId" | "uri" | "kind", NamePattern>> = {};
  readonly #reactions: readonly Reaction[];
  readonly #body: MockBody;
  #uses = 0;

  constructor(id: string, body: MockBody, parts: MockParts) {
    this.id = id;
    this.#body = body;
    const { match } = body;
    this.stepId = match.stepId;
    this.hasUri = match.uri !== undefined;
    this.weight = match.stepId !== undefined ? 2 : match.uri !== undefined ? 1 : 0;
    for (const name of ["stepId", "routeId", "flowId", "uri", "kind"] as const) {
      const pattern = match[name];
      if (pattern !== undefined) this.#patterns[name] = namePattern(pattern, `match.${name} of mock '${id}'`);
    }
    this.#reactions = (body.sequence ?? [{ respond: body.respond, throw: body.throw }]).map((outcome) =>
      outcome.throw === undefined ? responseReaction(outcome.respond ?? {}, parts) : throwReaction(outcome.throw, parts.clock),
    );
  }

  covers(route: RouteIdentity): boolean {
    return (this.#patterns.routeId?.(route.id) ?? true) && (this.#patterns.flowId?.(route.flowId) ?? true);
  }

  /** True when it matches a step of a covered route; `uri` is undefined for steps without a fixed endpoint. */
  matchesStep(stepId: string, kind: string, uri: string | undefined): boolean {
    return (
      (this.#patterns.stepId?.(stepId) ?? true) &&
      (this.#patterns.kind?.(kind) ?? true) &&
      (this.#patterns.uri === undefined || (uri !== undefined && this.matchesUri(uri)))
    );
  }

  /** URIs match with and without their options, and with or without `//` after the scheme. */
  matchesUri(uri: string): boolean {
    const matches = this.#patterns.uri;
    if (matches === undefined) return false;
    const bare = uri.split("?")[0] as string;
    return matches(uri) || matches(bare) || matches(uri.replace("://", ":")) || matches(bare.replace("://", ":"));
  }

  /** The action to run instead of the step; undefined when the step itself should run. */
  nextReaction(): Reaction | undefined {
    const { times, then: afterwards = "last" } = this.#body;
    const use = this.#uses++;
    if (times !== undefined && use >= times) return undefined;
    const count = this.#reactions.length;
    if (use < count || count === 1) return this.#reactions[Math.min(use, count - 1)];
    if (afterwards === "passthrough") return undefined;
    if (afterwards === "fail")
      return () => ({
        kind: "threw",
        shownType: "IllegalState",
        error: new FlowError("java.lang.IllegalStateException", `mock '${this.id}' was called more than ${count} times`, { code: "mock-exhausted" }),
      });
    return this.#reactions[afterwards === "cycle" ? use % count : count - 1];
  }
}

function responseReaction({ status, headers = {}, body, bodyExpr, delayMs = 0 }: RespondBody, { clock, compile }: MockParts): Reaction {
  const compute = bodyExpr === undefined ? undefined : compile(bodyExpr);
  // A fresh body for each call: changes by a route must not affect the next call.
  const createBody = compute ?? (body === undefined ? undefined : () => copyJson(body));
  const respond = (exchange: Exchange, uri: string | undefined): MockOutcome => {
    const { message } = exchange;
    let replyBody: unknown = null;
    try {
      if (createBody !== undefined) replyBody = createBody(exchange);
    } catch (fault) {
      const error = toFlowError(fault);
      return { kind: "threw", error, shownType: error.type };
    }
    // The message does not change, as when the real step fails.
    if (status !== undefined && failsStep(status, uri)) return statusFailure(status, replyBody, headers);
    if (createBody !== undefined) message.body = replyBody;
    for (const [name, value] of Object.entries(headers)) message.headers.set(name, copyJson(value));
    if (status !== undefined) message.headers.set("CamelHttpResponseCode", status);
    return { kind: "responded", response: { status: status ?? null, headers, body: replyBody } };
  };
  return (exchange, uri) => {
    const waiting = pause(exchange, delayMs, clock);
    return waiting === undefined ? respond(exchange, uri) : waiting.then(() => respond(exchange, uri));
  };
}

/** True when the HTTP step would fail with this status, given the options of its endpoint. */
function failsStep(status: number, uri = ""): boolean {
  if (status < 400) return false;
  const option = (name: string): string => new RegExp(`[?&]${name}=([^&]*)`).exec(uri)?.[1] ?? "";
  if (option("throwExceptionOnFailure") === "false") return false;
  return !option("okStatusCodeRange")
    .split(/,|%2c/i)
    .map(readStatusRange)
    .some((range) => range !== undefined && status >= range[0] && status <= range[1]);
}

function statusFailure(status: number, responseBody: unknown, responseHeaders: MockResponse["headers"]): MockOutcome {
  const error = new FlowError("org.apache.camel.http.base.HttpOperationFailedException", `HTTP operation failed with statusCode: ${status}`, {
    code: "http-status",
    retryable: isRetryableStatus(status),
    details: { statusCode: status, responseBody, responseHeaders },
  });
  return { kind: "threw", error, shownType: "HttpOperationFailed" };
}

function throwReaction({ type, message, statusCode, delayMs = 0 }: ThrowBody, clock: Clock): Reaction {
  const fullType = exceptionTypeOf(type);
  const createOutcome = (): MockOutcome => {
    const error = new FlowError(fullType, message ?? `${type} thrown by a mock`, {
      code: "mock-thrown",
      retryable: true,
      ...(statusCode === undefined ? {} : { details: { statusCode } }),
    });
    return { kind: "threw", error, shownType: type };
  };
  return (exchange) => {
    const waiting = pause(exchange, delayMs, clock);
    return waiting === undefined ? createOutcome() : waiting.then(createOutcome);
  };
}

/** Expands a short name: `Timeout` and `TimeoutException` mean `java.util.concurrent.TimeoutException`. */
function exceptionTypeOf(name: string): string {
  if (isKnownExceptionType(name)) return name;
  return exceptionTypeNames().find((type) => type.endsWith(`.${name}`)) ?? exceptionTypeNames().find((type) => type.endsWith(`.${name}Exception`)) ?? name;
}
