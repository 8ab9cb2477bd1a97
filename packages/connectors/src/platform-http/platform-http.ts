// A route that is called over HTTP at its own path, with Camel's responses: the body as the route leaves it, 204 when it is
// empty. It is also served at /api/<route-id>, like every webhook.
import { CompileError, defineConnector, type RouteIdentity } from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";
import { noQueues, type DurableQueues } from "../queue/durable-queues.ts";
import { routePath } from "../webhook/http-claims.ts";
import { connectHttp, httpGuarantees } from "../webhook/http-connector.ts";
import { httpHeaders, httpOptions, methodsOf } from "../webhook/http-options.ts";
import type { HttpTools } from "../webhook/http-tools.ts";
import { operationOption, readOperation } from "../webhook/rest-operation.ts";

const path = { path: f.string({ doc: "The path; it may have `{name}` segments, and a trailing `/*` serves all paths below.", required: true }) };

const ignoredOption = (reason: string) => f.boolean({ doc: `Accepted but ignored: ${reason}.`, default: false, group: "advanced" });

const options = {
  ...httpOptions,
  operation: operationOption,
  useStreaming: ignoredOption("bodies are read when a step needs them"),
  useBodyHandler: ignoredOption("bodies are read when a step needs them"),
  servletName: f.string({ doc: "Accepted but ignored: there is only one HTTP server.", group: "advanced" }),
  handleWriteResponseError: ignoredOption("a response that cannot be sent is dropped"),
};

type Options = Values<typeof path> & Values<typeof options>;

export const platformHttpConnector = (tools: HttpTools, queues: DurableQueues = noQueues) =>
  defineConnector({
    scheme: "platform-http",
    // Schemes of Camel's other HTTP servers. The runtime serves all of them with its own server.
    aliases: ["jetty", "netty-http", "servlet", "undertow"],
    title: "Platform HTTP",
    summary: "Runs the route for each request to a path and responds with the body of the message.",
    guarantees: httpGuarantees,
    group: "http",
    icon: "http",
    paletteGroup: "receive",
    card: { title: "Webhook", subtitle: "{httpMethodRestrict?} {path}" },
    since: "0.1",
    syntax: "platform-http:path",
    roles: ["source"],
    trigger: "request",
    path,
    options,
    headers: httpHeaders,
    examples: [
      {
        title: "A custom path",
        yaml: `- route:
    id: greeting
    from:
      uri: platform-http:/greetings
      parameters: {httpMethodRestrict: POST}
      steps:
        - setBody: {simple: "Hello \${body}"}`,
        given: { body: "Ada" },
        expect: { body: "Hello Ada" },
      },
    ],
    connect: connectHttp(tools, queues, ({ operation, ...endpointOptions }: Options, route) => {
      const { paths, prefix } = servedPaths(pathOf(endpointOptions.path), route);
      return {
        paths,
        methods: methodsOf(endpointOptions.httpMethodRestrict, undefined),
        options: { ...endpointOptions, matchOnUriPrefix: endpointOptions.matchOnUriPrefix || prefix },
        unchanged: "echo",
        ...(operation === undefined ? {} : { operation: readOperation(operation) }),
      };
    }),
  });

/**
 * Returns the path of an address such as `http://0.0.0.0:8080/orders`, the form that Camel's other HTTP servers use. Host and port are those of
 * the runtime. Other protocols are rejected.
 */
function pathOf(address: string): string {
  const [, protocol, path] = /^\/*([a-z][a-z0-9+.-]*):\/*[^/]*(\/.*)?$/i.exec(address) ?? [];
  if (protocol === undefined) return address;
  if (protocol.toLowerCase() === "http") return path ?? "/";
  throw new CompileError("bad-option", `'${protocol}:' is not supported here`, {
    hint:
      protocol.toLowerCase() === "https"
        ? "write http: and terminate TLS in a proxy in front of the runtime"
        : "write the path alone, as in platform-http:/orders; calls to other servers are made with http:",
  });
}

/** The paths to serve (the path of the endpoint and `/api/<route-id>`), and whether paths below them are served too. */
export function servedPaths(path: string, route: RouteIdentity): { readonly paths: readonly string[]; readonly prefix: boolean } {
  const absolutePath = `/${path.replace(/^\/+/, "")}`;
  const prefix = absolutePath.endsWith("/*");
  const withoutWildcard = prefix ? absolutePath.slice(0, -2) : absolutePath;
  const ownPath = withoutWildcard.replace(/\/+$/, "") || "/";
  for (const segment of ownPath.split("/"))
    if (/[{}*]/.test(segment) && !/^[^{}*]*(?:\{[^{}*]+\}[^{}*]+)*(?:\{[^{}*]+\})?$/.test(segment))
      throw new CompileError("bad-option", `invalid segment '${segment}' in path '${path}'`, {
        hint: "write it as /orders/{id} or /files/{name}.{type}",
      });
  const routeIdPath = routePath(route.id);
  return { paths: ownPath === routeIdPath ? [ownPath] : [ownPath, routeIdPath], prefix };
}
