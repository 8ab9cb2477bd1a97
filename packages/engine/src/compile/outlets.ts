// The way from a step to a sink: notes where the message goes, runs interceptors, starts sinks found while running.
import { FlowError } from "../errors/flow-error.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { Sink } from "../spi/connector.ts";
import type { Awaitable, Processor } from "../spi/processor.ts";
import type { RouteParts } from "./route-parts.ts";
import type { TappedOutlet } from "./wiring.ts";

/** `direct:x` as Camel writes it in properties: `direct://x`. */
export function normalForm(uri: string): string {
  return uri.replace(/^([a-z][\w.+-]*):(?!\/\/)/i, "$1://");
}

export function openOutlet(sink: Sink, uri: string, parts: RouteParts, options: { lazily?: boolean } = {}): TappedOutlet {
  const normal = normalForm(uri);
  const send = sink.send;
  const deliver = options.lazily === true && sink.start !== undefined ? startedOnFirstUse(sink, parts) : send;
  if (options.lazily !== true) parts.lifecycles.push(sink);
  const note = (exchange: Exchange): void => exchange.setProperty("CamelToEndpoint", normal);
  const noted: Processor = (exchange) => {
    const { session } = exchange.run;
    if (session !== undefined && session.isOver === true) throw endedSession(session.id, uri);
    note(exchange);
    return deliver(exchange);
  };
  const outlet = parts.wiring.outlet(uri, noted, note);
  const matching = parts.sendInterceptors.filter((interceptor) => interceptor.matches(uri));
  if (matching.length === 0) return outlet;
  const tapped: Processor = (exchange) => outlet.send(exchange);
  const intercepted = matching.reduceRight((next, interceptor) => interceptor.wrap(next, normal), tapped);
  return { uri, send: intercepted };
}

function endedSession(id: string, uri: string): FlowError {
  return new FlowError("java.util.concurrent.CancellationException", `test session '${id}' has ended: its message is not sent to '${uri}'`, {
    code: "session-over",
  });
}

function startedOnFirstUse(sink: Sink, parts: RouteParts): Processor {
  let started: Promise<void> | true | undefined;
  return (exchange: Exchange): Awaitable => {
    if (started === true) return sink.send(exchange);
    if (started === undefined) {
      parts.lifecycles.push({ stop: () => sink.stop?.() });
      const starting = sink.start?.();
      if (starting === undefined) {
        started = true;
        return sink.send(exchange);
      }
      started = starting.then(
        () => void (started = true),
        (thrown: unknown) => {
          started = undefined;
          throw thrown;
        },
      );
    }
    return started.then(() => sink.send(exchange));
  };
}
