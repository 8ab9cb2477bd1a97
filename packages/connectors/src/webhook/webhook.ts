// A route that is called over HTTP at /api/<route-id>.
import { defineConnector } from "@sluice/engine/spi";
import type { Values } from "@sluice/model";
import { noQueues, type DurableQueues } from "../queue/durable-queues.ts";
import { routePath } from "./http-claims.ts";
import { connectHttp, httpGuarantees } from "./http-connector.ts";
import { httpHeaders, httpOptions, methodsOf, type HttpOptions } from "./http-options.ts";
import type { HttpTools } from "./http-tools.ts";

const path = {};

type Options = Values<typeof path> & HttpOptions;

export const webhookConnector = (tools: HttpTools, queues: DurableQueues = noQueues) =>
  defineConnector({
    scheme: "webhook",
    title: "Webhook",
    summary: "Runs the route for each POST to /api/<route-id> and responds with `ok`, or with the body a step has set.",
    guarantees: httpGuarantees,
    group: "http",
    icon: "webhook",
    paletteGroup: "receive",
    card: { subtitle: "POST /api/{routeId}" },
    since: "0.1",
    syntax: "webhook",
    roles: ["source"],
    trigger: "request",
    path,
    options: httpOptions,
    headers: httpHeaders,
    examples: [
      {
        title: "Greet the caller",
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
    connect: connectHttp(tools, queues, (options: Options, route) => ({
      paths: [routePath(route.id)],
      methods: methodsOf(options.httpMethodRestrict, ["POST"]),
      options,
      unchanged: "ok",
    })),
  });
