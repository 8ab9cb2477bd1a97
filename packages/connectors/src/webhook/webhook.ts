// A route that is called over HTTP at /api/<route-id>.
import { defineConnector } from "@sluice/engine/spi";
import { noQueues, type DurableQueues } from "../queue/durable-queues.ts";
import { httpHeaders, httpOptions, methodsOf } from "./http-options.ts";
import { httpSource } from "./http-source.ts";
import type { HttpTools } from "./http-tools.ts";
import { routePath } from "./http-claims.ts";
import { IdempotencyKeys } from "./idempotency.ts";
import { TraceIds } from "./trace-context.ts";

export const webhookConnector = (tools: HttpTools, queues: DurableQueues = noQueues) =>
  defineConnector({
    scheme: "webhook",
    title: "Webhook",
    summary: "Runs the route for each POST to /api/<route-id> and answers `ok`, or the body a step has set.",
    group: "http",
    icon: "webhook",
    since: "0.1",
    syntax: "webhook",
    path: {},
    options: httpOptions,
    headers: httpHeaders,
    examples: [
      {
        title: "Greeting who calls",
        yaml: `- route:
    id: greeting
    from:
      uri: webhook
      steps:
        - setBody: {simple: "Hello \${body}"}`,
        given: { body: "Ada" },
        expect: { body: "Hello Ada" },
      },
    ],
    connect(host) {
      const idempotency = new IdempotencyKeys(host.clock, tools.digest);
      const traceIds = new TraceIds(() => host.random());
      return {
        source: ({ uri, options }, route) =>
          httpSource(host, {
            uri,
            route,
            paths: [routePath(route.id)],
            methods: methodsOf(options.httpMethodRestrict, ["POST"]),
            options,
            unchanged: "ok",
            idempotency,
            tools,
            traceIds,
            queues,
          }),
      };
    },
  });
