// Puts mocks around the steps and sends of the routes they are armed on.
import type { StepNode } from "@sluice/model";
import { FlowError } from "../errors/flow-error.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { RouteIdentity } from "../exchange/run.ts";
import type { Tap } from "../run/runtime.ts";
import type { Awaitable, Processor } from "../spi/processor.ts";
import type { Mock, MockOutcome } from "./mock.ts";

/** Where calls of mocks are taken down. */
export interface MockCalls<Call> {
  /** Takes down a call before the mock acts; undefined when there is no room for it. */
  record(mockId: string, uri: string | undefined, exchange: Exchange): Call | undefined;
  finish(call: Call, outcome: MockOutcome): void;
}

export interface MockTapOptions<Call> {
  readonly sessionId: string;
  /** Most specific first. */
  readonly mocks: readonly Mock[];
  /** Routes by identity: a redeployed route is another one and is not covered. */
  readonly routes: ReadonlySet<RouteIdentity>;
  readonly scope: "deployment" | "session";
  readonly failUnmatched: boolean;
  /** Sends that stay inside the runtime are never "unmatched". */
  readonly staysInside: (uri: string) => boolean;
  readonly calls: MockCalls<Call>;
  uriOf(node: StepNode, route: RouteIdentity): string | undefined;
  mocked(exchange: Exchange, node: StepNode | undefined): void;
}

export function mockTap<Call>(options: MockTapOptions<Call>): Tap {
  const { mocks, routes, scope, sessionId, failUnmatched, staysInside } = options;
  const concerns = (exchange: Exchange): boolean => scope === "deployment" || exchange.run.session?.id === sessionId;

  return {
    layer: 10,
    covers: (route) => routes.has(route),
    step(next, node, route) {
      const uri = options.uriOf(node, route);
      const mine = mocks.filter((mock) => !mock.hasUri && mock.covers(route) && mock.matchesStep(node.id, node.name, uri));
      const mock = mine[0];
      if (mock === undefined) return next;
      // An endpoint's own mock says more than one for the whole route: the send below takes it.
      if (mock.weight === 0 && uri !== undefined && mocks.some((other) => other.hasUri && other.covers(route) && other.matchesStep(node.id, node.name, uri)))
        return next;
      return (exchange) => (concerns(exchange) ? act(options, mock, uri, exchange, next) : next(exchange));
    },
    send(next, uri, route) {
      const mine = mocks.filter((mock) => mock.hasUri && mock.covers(route) && mock.matchesUri(uri));
      if (mine.length === 0 && (!failUnmatched || staysInside(uri))) return next;
      return (exchange) => {
        if (!concerns(exchange)) return next(exchange);
        const at = exchange.at;
        const mock = mine.find((candidate) => candidate.matchesStep(at?.id ?? "", at?.name ?? "", uri));
        if (mock !== undefined) return act(options, mock, uri, exchange, next);
        if (!failUnmatched || staysInside(uri)) return next(exchange);
        throw new FlowError("java.lang.IllegalStateException", `no mock for '${uri}': the test session fails what it does not mock`, {
          code: "mock-unmatched",
        });
      };
    },
  };
}

function act<Call>(options: MockTapOptions<Call>, mock: Mock, uri: string | undefined, exchange: Exchange, next: Processor): Awaitable {
  const react = mock.nextReaction();
  if (react === undefined) return next(exchange);
  const call = options.calls.record(mock.id, uri, exchange);
  const settle = (outcome: MockOutcome): Awaitable => {
    if (call !== undefined) options.calls.finish(call, outcome);
    options.mocked(exchange, exchange.at);
    markReply(exchange, options.sessionId);
    if (outcome.kind === "threw") throw outcome.error;
    return undefined;
  };
  const outcome = react(exchange, uri);
  return outcome instanceof Promise ? outcome.then(settle) : settle(outcome);
}

/** A webhook's reply says that a mock had a part in it, also when the mock answered a copy of the message. */
function markReply(exchange: Exchange, sessionId: string): void {
  if (exchange.run.root.trigger.method === undefined) return;
  for (let one: Exchange | undefined = exchange; one !== undefined; one = one.parent) one.setProperty("SluiceMocked", sessionId);
}
