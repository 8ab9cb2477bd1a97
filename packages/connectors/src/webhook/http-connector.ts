// Code shared by `webhook`, `platform-http` and `rest`: the state of their endpoints, and their guarantees.
import type { Connector, Endpoint, Host, RouteIdentity, SharedState } from "@sluice/engine/spi";
import type { DurableQueues } from "../queue/durable-queues.ts";
import { queueRegistry } from "../queue/queue-registry.ts";
import { httpSource, type HttpSourceSettings } from "./http-source.ts";
import type { HttpTools } from "./http-tools.ts";
import { IdempotencyKeys } from "./idempotency.ts";
import { TraceIds } from "./trace-context.ts";

export const httpGuarantees =
  "Without durable=true a request exists in memory only, and the response indicates whether it was processed. With durable=true the response 202 means that the message is on disk, or in the store of the cluster, and runs at least once. Requests run concurrently, up to the in-flight limit of the route; additional requests get 503. Order is not guaranteed. With idempotency=true, responses are stored in memory (10,000 keys, 64 MB, one day) and are lost on a restart.";

/** Settings of an endpoint in addition to those that all endpoints of its connector share. */
export type HttpEndpointSettings = Omit<HttpSourceSettings, "uri" | "route" | "idempotency" | "tools" | "traceIds" | "queues">;

/** The `connect` of a connector whose routes are called over HTTP. */
export function connectHttp<V>(tools: HttpTools, queues: DurableQueues, settingsOf: (options: V, route: RouteIdentity) => HttpEndpointSettings) {
  return (host: Host, shared: SharedState): Connector<V> => {
    const sharedSettings = {
      idempotency: new IdempotencyKeys(host.clock, tools.digest),
      tools,
      traceIds: new TraceIds(() => host.random()),
      queues: queueRegistry(queues, host, shared),
    };
    return { source: ({ uri, options }: Endpoint<V>, { route }) => httpSource(host, { uri, route, ...settingsOf(options, route), ...sharedSettings }) };
  };
}
