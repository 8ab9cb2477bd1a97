// `rest:get:orders/{id}`: one REST operation as an endpoint, served like platform-http paths.
import { CompileError, defineConnector } from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";
import { servedPaths } from "../platform-http/platform-http.ts";
import { noQueues, type DurableQueues } from "../queue/durable-queues.ts";
import { connectHttp, httpGuarantees } from "../webhook/http-connector.ts";
import { httpHeaders, httpOptions } from "../webhook/http-options.ts";
import type { HttpTools } from "../webhook/http-tools.ts";

const { httpMethodRestrict: _, ...served } = httpOptions;
const ignoredOption = (what: string) => f.string({ doc: `Accepted but ignored: ${what}.`, group: "advanced" });

const path = {
  method: f.string({ doc: "HTTP method: `get`, `post`, `put`, `patch`, `delete` or `head`.", required: true, examples: ["post"] }),
  path: f.string({ doc: "Path, with optional `{name}` segments; a template may follow after a colon.", required: true }),
};
const options = {
  ...served,
  routeId: ignoredOption("the route has its own id"),
  description: ignoredOption("it is documentation only"),
  uriTemplate: f.string({ doc: "A template appended to the path, like one after a colon.", group: "advanced" }),
  bindingMode: ignoredOption("bodies are converted on demand"),
  apiDoc: ignoredOption("it applies to calls to other services, which are made with http:"),
  host: ignoredOption("it applies to calls to other services, which are made with http:"),
  queryParameters: ignoredOption("it applies to calls to other services; query parameters of a request are headers"),
  producerComponentName: ignoredOption("it applies to calls to other services, which are made with http:"),
  consumerComponentName: ignoredOption("there is only one HTTP server"),
  lazyStartProducer: ignoredOption("it applies to calls to other services, which are made with http:"),
  inType: ignoredOption("it refers to a Java class"),
  outType: ignoredOption("it refers to a Java class"),
};

type Options = Values<typeof path> & Values<typeof options>;

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"];

export const restConnector = (tools: HttpTools, queues: DurableQueues = noQueues) =>
  defineConnector({
    scheme: "rest",
    title: "REST operation",
    summary: "Runs the route for each request with the given method and path.",
    guarantees: httpGuarantees,
    group: "http",
    icon: "http",
    paletteGroup: "receive",
    card: { subtitle: "{method} {path}" },
    since: "0.1",
    syntax: "rest:method:path",
    roles: ["source"],
    trigger: "request",
    path,
    options,
    headers: httpHeaders,
    examples: [
      {
        title: "Handle POST requests",
        yaml: `- route:
    id: order
    from:
      uri: rest:post:orders
      steps:
        - setBody: {simple: "Order \${body}"}`,
        given: { body: "7" },
        expect: { body: "Order 7" },
      },
    ],
    connect: connectHttp(tools, queues, ({ method, path: basePath, uriTemplate, ...endpointOptions }: Options, route) => {
      const httpMethod = method.toUpperCase();
      const fullPath = uriTemplate === undefined ? basePath : `${basePath}/${uriTemplate}`;
      if (!methods.includes(httpMethod))
        throw new CompileError("bad-option", `'${method}' is not a supported HTTP method`, { hint: `use one of ${methods.join(", ").toLowerCase()}` });
      const { paths, prefix } = servedPaths(fullPath.replace(/:/g, "/").replace(/\/{2,}/g, "/"), route);
      return {
        paths,
        methods: [httpMethod],
        options: { ...endpointOptions, httpMethodRestrict: httpMethod, matchOnUriPrefix: endpointOptions.matchOnUriPrefix || prefix },
        unchanged: "echo",
      };
    }),
  });
