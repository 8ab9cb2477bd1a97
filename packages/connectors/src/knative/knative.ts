// Channels, brokers and services of Knative: events are HTTP requests, received at a path of this runtime and sent to an address in the cluster.
import { CompileError, defineConnector, type Connector, type ConnectorDeclaration, type Source } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import type { ConnectorSettings } from "../connector-settings.ts";
import { noQueues } from "../queue/durable-queues.ts";
import { queueRegistry } from "../queue/queue-registry.ts";
import { routePath } from "../webhook/http-claims.ts";
import { httpSource } from "../webhook/http-source.ts";
import { sharedAgents } from "../http/http.ts";
import { IdempotencyKeys } from "../webhook/idempotency.ts";
import { nodeHttpTools } from "../webhook/node-http-tools.ts";
import { TraceIds } from "../webhook/trace-context.ts";
import { readCloudEvent } from "./cloud-event.ts";
import { knativeOptions, knativePath, missingName, type KnativeOptions } from "./knative-options.ts";
import { knativeSink } from "./knative-sink.ts";

const folders = { channel: "channels", endpoint: "endpoints", event: "events" } as const;

export function knativeConnector(settings: ConnectorSettings): ConnectorDeclaration {
  return defineConnector({
    scheme: "knative",
    title: "Knative",
    summary: "Receives events from Knative channels, brokers and services, and sends events to them.",
    guarantees:
      "The response to a request is sent when its run has ended, so a failed run is a failed delivery, which Knative retries as configured in the subscription. With durable=true the response 202 means that the message is on disk and runs at least once. Sending completes when the channel, broker or service responds; a status other than 2xx fails the step. Tested with events of CloudEvents 1.0 over HTTP, not against a Knative installation.",
    group: "messaging",
    icon: "queue",
    since: "0.2",
    syntax: "knative:type/typeId",
    roles: ["source", "sink"],
    trigger: "request",
    workers: "any",
    path: knativePath,
    options: knativeOptions,
    headers: {
      CamelCloudEventID: f.string({ doc: "Id of the event." }),
      CamelCloudEventSource: f.string({ doc: "Source of the event." }),
      CamelCloudEventType: f.string({ doc: "Type of the event." }),
      CamelCloudEventVersion: f.string({ doc: "Version of CloudEvents." }),
      CamelCloudEventSubject: f.string({ doc: "Subject of the event." }),
      CamelCloudEventTime: f.string({ doc: "When the event happened." }),
      CamelCloudEventSchemaURL: f.string({ doc: "Schema of the data." }),
      CamelCloudEventDataContentType: f.string({ doc: "Content type of the data." }),
    },
    examples: [
      {
        title: "The messages of a channel",
        yaml: `- route:
    id: words
    from:
      uri: knative:channel/words
      steps:
        - setBody: {simple: "Word \${body}"}`,
        given: { body: "one" },
        expect: { body: "Word one" },
      },
    ],
    connect(host, shared): Connector<KnativeOptions> {
      const agents = sharedAgents(shared, settings.http);
      const registry = queueRegistry(settings.queues ?? noQueues, host, shared);
      const idempotency = new IdempotencyKeys(host.clock, nodeHttpTools.digest);
      const traceIds = new TraceIds(() => host.random());
      return {
        sink: (endpoint, { route }) => knativeSink(endpoint, route, { host, agents, egress: settings.http?.egress ?? {} }),
        source({ uri, options: endpointOptions }, { route }) {
          const resourcePath = receivingPath(endpointOptions);
          const routeIdPath = routePath(route.id);
          return asEvents(
            httpSource(host, {
              uri,
              route,
              paths: resourcePath === routeIdPath ? [resourcePath] : [resourcePath, routeIdPath],
              methods: ["POST"],
              options: { ...endpointOptions, httpMethodRestrict: "POST", matchOnUriPrefix: false },
              unchanged: "ok",
              idempotency,
              tools: nodeHttpTools,
              traceIds,
              queues: registry,
            }),
          );
        },
      };
    },
  });
}

/** The path at which the subscription or trigger delivers: `/channels/<name>`, `/events/<type>` or `/endpoints/<name>`. */
function receivingPath({ type, typeId }: KnativeOptions): string {
  if (type !== "event" && typeId === undefined) throw missingName(type);
  if (typeId !== undefined && !/^[\w.~-]+$/.test(typeId))
    throw new CompileError("bad-option", `the name '${typeId}' is not valid in a path`, { hint: "use letters, digits, '.', '-' and '_'" });
  return typeId === undefined ? `/${folders[type]}` : `/${folders[type]}/${typeId}`;
}

/** Every request is an event: its attributes become headers before the route runs. */
function asEvents(source: Source): Source {
  return {
    ...source,
    start: (routeInput) =>
      source.start({
        route: routeInput.route,
        lost: (problem) => routeInput.lost(problem),
        enter: (exchange, trigger) => routeInput.enter(exchange, trigger),
        count: (event) => routeInput.count?.(event),
        deliver(message, delivery) {
          readCloudEvent(message);
          return routeInput.deliver(message, delivery);
        },
      }),
  };
}
