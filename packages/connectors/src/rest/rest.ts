// `rest:get:orders/{id}`: one REST operation as an endpoint, served like platform-http paths, or called at another service.
import { CompileError, defineConnector, type Endpoint, type SharedState } from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";
import { servedPaths } from "../platform-http/platform-http.ts";
import { noQueues, type DurableQueues } from "../queue/durable-queues.ts";
import { connectHttp, httpGuarantees } from "../webhook/http-connector.ts";
import { httpHeaders, httpOptions } from "../webhook/http-options.ts";
import { operationOption, readOperation } from "../webhook/rest-operation.ts";
import type { HttpTools } from "../webhook/http-tools.ts";
import type { HttpCalls } from "../http/http.ts";
import { restSink } from "./rest-sink.ts";

const { httpMethodRestrict: _, ...sourceOptions } = httpOptions;
const ignoredOption = (reason: string) => f.string({ doc: `Accepted but ignored: ${reason}.`, group: "advanced" });

const path = {
  method: f.string({ doc: "HTTP method: `get`, `post`, `put`, `patch`, `delete` or `head`.", required: true, examples: ["post"] }),
  path: f.string({ doc: "Path, with optional `{name}` segments; a template may follow after a colon.", required: true }),
};
const options = {
  ...sourceOptions,
  operation: operationOption,
  consumes: f.string({
    doc: "Source: accepted content types, separated by commas; others get 415. Destination: the Accept header, unless the route sets one.",
    examples: ["application/json"],
  }),
  produces: f.string({
    doc: "Source: content type of responses if the route sets none; the first one if there are several. Destination: content type of the body, unless the message has one.",
    examples: ["application/json"],
  }),
  routeId: ignoredOption("the route has its own id"),
  description: ignoredOption("it is documentation only"),
  uriTemplate: f.string({ doc: "A template appended to the path, like one after a colon.", group: "advanced" }),
  bindingMode: ignoredOption("bodies are converted on demand"),
  apiDoc: ignoredOption("calls are not checked against a description of the service"),
  host: f.string({
    doc: "Destination (required): the server to call, as a host with an optional port or as an `http:` or `https:` URL. Source: ignored.",
    examples: ["https://api.example.com"],
  }),
  queryParameters: f.string({
    doc: "Destination: the query. `{name}` as a value is a header or variable; a pair with `{name?}` is omitted if there is none. Source: ignored, because the query parameters of a request are headers.",
    examples: ["limit=10&after={after?}"],
  }),
  producerComponentName: ignoredOption("there is only one HTTP client"),
  consumerComponentName: ignoredOption("there is only one HTTP server"),
  lazyStartProducer: ignoredOption("endpoints start with their flow"),
  inType: ignoredOption("it refers to a Java class"),
  outType: ignoredOption("it refers to a Java class"),
};

type Options = Values<typeof path> & Values<typeof options>;

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"];

/** The method and path of the endpoint, as a source and as a sink. */
const operationOf = ({ method, path: basePath, uriTemplate }: Options): { readonly httpMethod: string; readonly fullPath: string } => {
  const httpMethod = method.toUpperCase();
  if (!methods.includes(httpMethod))
    throw new CompileError("bad-option", `'${method}' is not a supported HTTP method`, { hint: `use one of ${methods.join(", ").toLowerCase()}` });
  const fullPath = uriTemplate === undefined ? basePath : `${basePath}/${uriTemplate}`;
  return { httpMethod, fullPath: fullPath.replace(/:/g, "/").replace(/\/{2,}/g, "/") };
};

const serve = (tools: HttpTools, queues: DurableQueues) =>
  connectHttp(tools, queues, (all: Options, route) => {
    const { method: _method, path: _path, uriTemplate: _template, operation, ...endpointOptions } = all;
    const { httpMethod, fullPath } = operationOf(all);
    const { paths, prefix } = servedPaths(fullPath, route);
    return {
      paths,
      methods: [httpMethod],
      options: { ...endpointOptions, httpMethodRestrict: httpMethod, matchOnUriPrefix: endpointOptions.matchOnUriPrefix || prefix },
      unchanged: "echo",
      ...(operation === undefined ? {} : { operation: readOperation(operation) }),
    };
  });

export const restConnector = (tools: HttpTools, queues: DurableQueues = noQueues, calls?: (shared: SharedState) => HttpCalls) =>
  defineConnector({
    scheme: "rest",
    title: "REST operation",
    summary: "Runs the route for each request with the given method and path. As a destination, calls an operation of another REST service.",
    guarantees: httpGuarantees,
    group: "http",
    icon: "http",
    paletteGroup: "receive",
    card: { subtitle: "{method} {path}" },
    since: "0.1",
    syntax: "rest:method:path",
    roles: ["source", "sink"],
    workers: "any",
    trigger: "request",
    sinkStarter: { host: "api.example.com" },
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
    connect: (host, shared) => ({
      ...serve(tools, queues)(host, shared),
      ...(calls === undefined
        ? {}
        : {
            sink: (endpoint: Endpoint<Options>) => {
              const { httpMethod, fullPath } = operationOf(endpoint.options);
              return restSink(endpoint, { ...endpoint.options, method: httpMethod, path: fullPath }, calls(shared));
            },
          }),
    }),
  });
