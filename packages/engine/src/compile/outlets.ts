// Connects a step to a sink or poller: records the destination, runs interceptors, starts endpoints resolved at run time.
import { FlowError } from "../errors/flow-error.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { Poller, Receiver, Sink } from "../spi/connector.ts";
import type { Processor } from "../spi/processor.ts";
import type { EndpointContext } from "./endpoint-scope.ts";
import { LazyEndpoint, type Startable } from "./lazy-endpoint.ts";
import type { RouteParts } from "./route-parts.ts";
import { longForm } from "./uri-pattern.ts";
import type { TappedOutlet } from "./wiring.ts";

/** A destination, and how to remove it from the route's wiring. */
export interface OpenedOutlet {
  readonly outlet: TappedOutlet;
  forget(): void;
}

/** `lazyEndpoint` starts a sink resolved at run time on first use. */
export function openOutlet(sink: Sink, uri: string, parts: RouteParts, lazyEndpoint?: LazyEndpoint): OpenedOutlet {
  const longUri = longForm(uri);
  const send = sink.send;
  const deliver: Processor = lazyEndpoint === undefined ? send : (exchange) => lazyEndpoint.use(() => send(exchange));
  const setDestination = (exchange: Exchange): void => exchange.setProperty("CamelToEndpoint", longUri);
  const tracked: Processor = (exchange) => {
    checkSessionOpen(exchange, uri);
    setDestination(exchange);
    return deliver(exchange);
  };
  const { outlet, forget } = parts.wiring.outlet(uri, tracked, setDestination);
  const matching = parts.sendInterceptors.filter((interceptor) => interceptor.matches(uri));
  if (matching.length === 0) return { outlet, forget };
  const tapped: Processor = (exchange) => outlet.send(exchange);
  const intercepted = matching.reduceRight((next, interceptor) => interceptor.wrap(next, longUri), tapped);
  return { outlet: { uri, send: intercepted }, forget };
}

/** A polled endpoint, and how to remove it from the route's wiring. */
export function openPoller(
  poller: Poller,
  uri: string,
  parts: RouteParts,
  lazyEndpoint: LazyEndpoint | undefined,
): { readonly poller: Poller; forget(): void } {
  const longUri = longForm(uri);
  const receive: Receiver = (timeoutMs, exchange) => poller.receive(timeoutMs, exchange);
  const bare: Receiver = (timeoutMs, exchange) => {
    checkSessionOpen(exchange, uri);
    return lazyEndpoint === undefined ? receive(timeoutMs, exchange) : lazyEndpoint.use(() => receive(timeoutMs, exchange));
  };
  const { tapped, forget } = parts.wiring.receiver(uri, bare);
  return {
    forget,
    poller: {
      receive(timeoutMs, exchange) {
        exchange.setProperty("CamelToEndpoint", longUri);
        return tapped.receive(timeoutMs, exchange);
      },
    },
  };
}

/** Returns undefined for a sink or poller that needs no start or stop. */
export function createLazyEndpoint(subject: Startable, uri: string, context: EndpointContext, { scope }: RouteParts): LazyEndpoint | undefined {
  const { log } = scope.host;
  if (context.hasConnections) return new LazyEndpoint(withRelease(subject, context), uri, log);
  return subject.start === undefined && subject.stop === undefined ? undefined : new LazyEndpoint(subject, uri, log);
}

/** Releases the endpoint's connections when it stops. */
function withRelease(subject: Startable, context: EndpointContext): Startable {
  return {
    start: () => subject.start?.(),
    isBusy: () => subject.isBusy?.() === true,
    stop() {
      const stopping = subject.stop?.();
      if (stopping === undefined) return context.release();
      return stopping.finally(() => context.release());
    },
  };
}

function checkSessionOpen(exchange: Exchange, uri: string): void {
  const { session } = exchange.run;
  if (session !== undefined && session.isOver === true) throw endedSessionError(session.id, uri);
}

function endedSessionError(id: string, uri: string): FlowError {
  return new FlowError("java.util.concurrent.CancellationException", `test session '${id}' has ended: its messages can no longer use '${uri}'`, {
    code: "session-over",
  });
}
