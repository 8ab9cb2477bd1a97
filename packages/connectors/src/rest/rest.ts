// `rest:get:orders/{id}`: one REST operation as an endpoint, served like platform-http paths.
import { CompileError, defineConnector } from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";
import { servedPaths } from "../platform-http/platform-http.ts";
import { noQueues, type DurableQueues } from "../queue/durable-queues.ts";
import { connectHttp, httpGuarantees } from "../webhook/http-connector.ts";
import { httpHeaders, httpOptions } from "../webhook/http-options.ts";
import type { HttpTools } from "../webhook/http-tools.ts";

const { httpMethodRestrict: _, ...served } = httpOptions;
const ignored = (what: string) => f.string({ doc: `Accepted but ignored: ${what}.`, group: "advanced" });

const path = {
  method: f.string({ doc: "HTTP method: `get`, `post`, `put`, `patch`, `delete` or `head`.", required: true, examples: ["post"] }),
  path: f.string({ doc: "Path, with optional `{name}` segments; a template may follow after a colon.", required: true }),
};
const options = {
  ...served,
  routeId: ignored("the route has its own id"),
  description: ignored("it is documentation only"),
  uriTemplate: f.string({ doc: "A template appended to the path, like one after a colon.", group: "advanced" }),
  bindingMode: ignored("bodies are converted on demand"),
  apiDoc: ignored("it applies to calls to other services, which are made with http:"),
  host: ignored("it applies to calls to other services, which are made with http:"),
  queryParameters: ignored("it applies to calls to other services; query parameters of a request are headers"),
  producerComponentName: ignored("it applies to calls to other services, which are made with http:"),
  consumerComponentName: ignored("there is only one HTTP server"),
  lazyStartProducer: ignored("it applies to calls to other services, which are made with http:"),
  inType: ignored("it refers to a Java class"),
  outType: ignored("it refers to a Java class"),
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
        title: "One operation",
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
    connect: connectHttp(tools, queues, ({ method, path: above, uriTemplate, ...given }: Options, route) => {
      const httpMethod = method.toUpperCase();
      const written = uriTemplate === undefined ? above : `${above}/${uriTemplate}`;
      if (!methods.includes(httpMethod))
        throw new CompileError("bad-option", `'${method}' is not a method of a REST operation`, { hint: `use one of ${methods.join(", ").toLowerCase()}` });
      const { paths, prefix } = servedPaths(written.replace(/:/g, "/").replace(/\/{2,}/g, "/"), route);
      return {
        paths,
        methods: [httpMethod],
        options: { ...given, httpMethodRestrict: httpMethod, matchOnUriPrefix: given.matchOnUriPrefix || prefix },
        unchanged: "echo",
      };
    }),
  });
