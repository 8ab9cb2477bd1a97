// Attaches mocks to the steps and sends of the routes they cover.
import type { StepNode } from "@sluice/model";
import { FlowError } from "../errors/flow-error.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { RouteIdentity } from "../exchange/run.ts";
import type { Tap } from "../compile/tap.ts";
import type { Awaitable, Processor } from "../spi/processor.ts";
import { Headers } from "../exchange/headers.ts";
import { Message } from "../exchange/message.ts";
import type { Mock, MockOutcome, MockResponse, Reaction } from "./mock.ts";

/** Records calls to mocks. */
export interface MockCalls<Call> {
  /** Records a call before the mock acts; undefined when the limit is reached. */
  record(mockId: string, uri: string | undefined, exchange: Exchange): Call | undefined;
  finish(call: Call, outcome: MockOutcome): void;
}

export interface MockTapOptions<Call> {
  readonly sessionId: string;
  /** Most specific first. */
  readonly mocks: readonly Mock[];
  /** Routes by identity: a redeployed route is a different one and is not covered. */
  readonly routes: ReadonlySet<RouteIdentity>;
  readonly scope: "deployment" | "session";
  readonly failUnmatched: boolean;
  /** Sends that do not leave the runtime are never "unmatched". */
  readonly isLocalEndpoint: (uri: string) => boolean;
  readonly calls: MockCalls<Call>;
  uriOf(node: StepNode, route: RouteIdentity): string | undefined;
  mocked(exchange: Exchange, node: StepNode | undefined): void;
}

export function mockTap<Call>(options: MockTapOptions<Call>): Tap {
  const { mocks, routes, scope, sessionId, failUnmatched, isLocalEndpoint } = options;
  const appliesTo = (exchange: Exchange): boolean => scope === "deployment" || exchange.run.session?.id === sessionId;

  return {
    layer: 10,
    covers: (route) => routes.has(route),
    step(next, node, route) {
      const uri = options.uriOf(node, route);
      const matching = mocks.filter((mock) => !mock.hasUri && mock.covers(route) && mock.matchesStep(node.id, node.name, uri));
      const mock = matching[0];
      if (mock === undefined) return next;
      // An endpoint's own mock is more specific than one for the whole route: the send handler below uses it.
      if (mock.weight === 0 && uri !== undefined && mocks.some((other) => other.hasUri && other.covers(route) && other.matchesStep(node.id, node.name, uri)))
        return next;
      return (exchange) => (appliesTo(exchange) ? runMock(options, mock, uri, exchange, next) : next(exchange));
    },
    send(next, uri, route) {
      const matching = mocks.filter((mock) => mock.hasUri && mock.covers(route) && mock.matchesUri(uri));
      if (matching.length === 0 && (!failUnmatched || isLocalEndpoint(uri))) return next;
      return (exchange) => {
        if (!appliesTo(exchange)) return next(exchange);
        const at = exchange.at;
        // A mock of the step takes precedence over a mock of its endpoint, even when it passes the message through. Sends of an error handler have a
        // different endpoint.
        const isStepEndpoint = at !== undefined && options.uriOf(at, route) === uri;
        if (isStepEndpoint && mocks.some((other) => !other.hasUri && other.weight > 0 && other.covers(route) && other.matchesStep(at.id, at.name, uri)))
          return next(exchange);
        const mock = matching.find((candidate) => candidate.matchesStep(at?.id ?? "", at?.name ?? "", uri));
        if (mock !== undefined) return runMock(options, mock, uri, exchange, next);
        if (!failUnmatched || isLocalEndpoint(uri)) return next(exchange);
        throw unmatchedError(uri);
      };
    },
    receive(next, uri, route) {
      const matching = mocks.filter((mock) => mock.hasUri && mock.covers(route) && mock.matchesUri(uri));
      if (matching.length === 0 && (!failUnmatched || isLocalEndpoint(uri))) return next;
      return (timeoutMs, exchange) => {
        if (!appliesTo(exchange)) return next(timeoutMs, exchange);
        const at = exchange.at;
        const mock = matching.find((candidate) => candidate.matchesStep(at?.id ?? "", at?.name ?? "", uri));
        if (mock !== undefined) return respondToPoll(options, mock, uri, exchange, () => next(timeoutMs, exchange));
        if (!failUnmatched || isLocalEndpoint(uri)) return next(timeoutMs, exchange);
        throw unmatchedError(uri);
      };
    },
  };
}

function unmatchedError(uri: string): FlowError {
  return new FlowError("java.lang.IllegalStateException", `no mock for '${uri}': this test session rejects sends and polls that no mock matches`, {
    code: "mock-unmatched",
  });
}

function runMock<Call>(options: MockTapOptions<Call>, mock: Mock, uri: string | undefined, exchange: Exchange, next: Processor): Awaitable {
  const react = mock.nextReaction();
  return react === undefined ? next(exchange) : after(recordCall(options, mock, uri, exchange, react), () => undefined);
}

/** A mock responds to a poll with a new message: the current one does not change. */
function respondToPoll<Call>(
  options: MockTapOptions<Call>,
  mock: Mock,
  uri: string,
  exchange: Exchange,
  next: () => Awaitable<Message | undefined>,
): Awaitable<Message | undefined> {
  const react = mock.nextReaction();
  if (react === undefined) return next();
  const { message } = exchange;
  const onCopy: Reaction = (polling, endpoint) => {
    polling.message = message.copy();
    const restore = (outcome: MockOutcome): MockOutcome => {
      polling.message = message;
      return outcome;
    };
    return after(react(polling, endpoint), restore);
  };
  return after(recordCall(options, mock, uri, exchange, onCopy), ({ body, headers }) => new Message(body, Headers.of(headers)));
}

function recordCall<Call>(options: MockTapOptions<Call>, mock: Mock, uri: string | undefined, exchange: Exchange, react: Reaction): Awaitable<MockResponse> {
  const call = options.calls.record(mock.id, uri, exchange);
  const settle = (outcome: MockOutcome): MockResponse => {
    if (call !== undefined) options.calls.finish(call, outcome);
    options.mocked(exchange, exchange.at);
    markReply(exchange, options.sessionId);
    if (outcome.kind === "threw") throw outcome.error;
    return outcome.response;
  };
  return after(react(exchange, uri), settle);
}

function after<T, R>(pending: Awaitable<T>, next: (value: T) => R): Awaitable<R> {
  return pending instanceof Promise ? pending.then(next) : next(pending);
}

/** The webhook reply shows that a mock was involved, even when the mock responded to a copy of the message. */
function markReply(exchange: Exchange, sessionId: string): void {
  if (exchange.run.root.trigger.method === undefined) return;
  for (let current: Exchange | undefined = exchange; current !== undefined; current = current.parent) current.setProperty("SluiceMocked", sessionId);
}
