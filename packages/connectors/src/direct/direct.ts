// Calls another route synchronously: same exchange, no queue.
import {
  defineConnector,
  FlowError,
  type Awaitable,
  type Connector,
  type Endpoint,
  type Exchange,
  type Host,
  type RouteInput,
  type Sink,
  type Source,
  type Trigger,
} from "@sluice/engine/spi";
import { cancelledError } from "@sluice/engine/tools";
import { f, type Values } from "@sluice/model";
import { callFields, sinkFields, withPattern } from "../camel-options.ts";
import { Consumers } from "./consumers.ts";

const path = { name: f.string({ doc: "Name of the endpoint, shared by the caller and the called route.", required: true, names: "route" }) };

const options = {
  ...sinkFields,
  ...callFields,
  block: f.boolean({ doc: "Whether a caller waits when the called route is not running.", default: true }),
  timeout: f.duration({ doc: "How long a caller waits for the called route to start.", default: 30_000 }),
  failIfNoConsumers: f.boolean({ doc: "Whether a call fails when the called route is not running; otherwise the message continues unchanged.", default: true }),
  synchronous: f.boolean({ doc: "Accepted but ignored: calls are always synchronous.", default: false, group: "advanced" }),
};

type Options = Values<typeof path> & Values<typeof options>;

export const direct = defineConnector({
  scheme: "direct",
  title: "Direct",
  summary: "Calls another route of this runtime and waits for it, on the same exchange.",
  guarantees:
    "A synchronous call: same exchange, no queue and no copy. The called route is a separate run in the history. Errors reach the caller after the error handling of the called route. When a flow is redeployed, running calls finish with the old version and new calls use the new one.",
  group: "core",
  icon: "corner-down-right",
  card: { title: "{name}", subtitle: "Route" },
  since: "0.1",
  keywords: ["route", "subroutine", "call"],
  syntax: "direct:name",
  roles: ["source", "sink"],
  trigger: "route",
  local: true,
  workers: "callee",
  path,
  options,
  headers: {},
  examples: [
    {
      title: "Calling another route",
      yaml: `- route:
    id: caller
    from:
      uri: direct:start
      steps:
        - to: direct:greet
- route:
    id: greeter
    from:
      uri: direct:greet
      steps:
        - setBody: {simple: "Hello \${body}"}`,
      given: { body: "Ada" },
      expect: { body: "Hello Ada" },
    },
  ],
  connect: connectDirect,
});

function connectDirect(host: Host): Connector<Options> {
  const consumers = new Consumers<RouteInput>();
  return {
    source: (endpoint) => directSource(endpoint, consumers),
    sink: (endpoint) => directSink(endpoint, consumers, host),
  };
}

function directSource(endpoint: Endpoint<Options>, consumers: Consumers<RouteInput>): Source {
  const { name } = endpoint.options;
  let registered: RouteInput | undefined;
  const stop = (): void => {
    if (registered !== undefined) consumers.unregister(name, registered);
    registered = undefined;
  };
  return {
    claims: [`direct:${name}`],
    exclusive: false,
    everyWorker: true,
    start(routeInput) {
      stop();
      registered = routeInput;
      consumers.register(name, routeInput);
    },
    stop,
  };
}

function directSink(endpoint: Endpoint<Options>, consumers: Consumers<RouteInput>, host: Host): Sink {
  const { name, block, timeout, failIfNoConsumers, exchangePattern } = endpoint.options;
  const trigger: Trigger = { uri: endpoint.uri };

  const handleMissing = (exchange: Exchange): Awaitable => {
    if (!failIfNoConsumers) return undefined;
    if (!block || !(timeout > 0) || exchange.run.session?.skipTime === true) throw noConsumer(name);
    return waitForConsumer(exchange).then((routeInput) => routeInput.enter(exchange, trigger));
  };

  const waitForConsumer = ({ run: { signal } }: Exchange): Promise<RouteInput> =>
    new Promise((resolve, reject) => {
      const settle = (): void => {
        cancelTimer();
        cancelWait();
        signal.removeEventListener("abort", settle);
        const routeInput = consumers.get(name);
        if (signal.aborted) reject(cancelledError(signal));
        else if (routeInput === undefined) reject(noConsumer(name));
        else resolve(routeInput);
      };
      const cancelTimer = host.clock.after(timeout, settle);
      const cancelWait = consumers.onRegistered(name, settle);
      signal.addEventListener("abort", settle, { once: true });
      if (signal.aborted) settle();
    });

  return {
    send: withPattern(exchangePattern, (exchange) => {
      const routeInput = consumers.get(name);
      return routeInput === undefined ? handleMissing(exchange) : routeInput.enter(exchange, trigger);
    }),
  };
}

function noConsumer(name: string): FlowError {
  return new FlowError("org.apache.camel.component.direct.DirectConsumerNotAvailableException", `No consumers available on endpoint: direct://${name}`, {
    code: "direct-no-consumer",
    retryable: true,
  });
}
