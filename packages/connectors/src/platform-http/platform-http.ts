// A route that is called over HTTP at a path of its own, with Camel's replies: the body as the route leaves it, 204 when
// there is none. It also answers at /api/<route-id>, as every webhook does.
import { CompileError, defineConnector, type Connector } from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";
import { noQueues, type DurableQueues } from "../queue/durable-queues.ts";
import { routePath } from "../webhook/http-claims.ts";
import { httpHeaders, httpOptions, methodsOf } from "../webhook/http-options.ts";
import { httpSource } from "../webhook/http-source.ts";
import type { HttpTools } from "../webhook/http-tools.ts";
import { IdempotencyKeys } from "../webhook/idempotency.ts";
import { TraceIds } from "../webhook/trace-context.ts";

const path = { path: f.string({ doc: "The path, which may hold `{name}` segments; a last `/*` serves everything below.", required: true }) };

type Options = Values<typeof path> & Values<typeof httpOptions>;

export const platformHttpConnector = (tools: HttpTools, queues: DurableQueues = noQueues) =>
  defineConnector({
    scheme: "platform-http",
    title: "Platform HTTP",
    summary: "Runs the route for each request to a path and answers with the message's body.",
    group: "http",
    icon: "http",
    since: "0.1",
    syntax: "platform-http:path",
    path,
    options: httpOptions,
    headers: httpHeaders,
    examples: [
      {
        title: "A path of its own",
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
    connect(host): Connector<Options> {
      const idempotency = new IdempotencyKeys(host.clock, tools.digest);
      const traceIds = new TraceIds(() => host.random());
      return {
        source({ uri, options: given }, route) {
          const { own, prefix } = ownPath(given.path);
          const options = { ...given, matchOnUriPrefix: given.matchOnUriPrefix || prefix };
          const byId = routePath(route.id);
          return httpSource(host, {
            uri,
            route,
            paths: own === byId ? [own] : [own, byId],
            methods: methodsOf(options.httpMethodRestrict, undefined),
            options,
            unchanged: "echo",
            idempotency,
            tools,
            traceIds,
            queues,
          });
        },
      };
    },
  });

function ownPath(written: string): { readonly own: string; readonly prefix: boolean } {
  const slashed = `/${written.replace(/^\/+/, "")}`;
  const prefix = slashed.endsWith("/*");
  const cut = prefix ? slashed.slice(0, -2) : slashed;
  const own = cut.length > 1 ? cut.replace(/\/+$/, "") : cut;
  for (const segment of own.split("/"))
    if (/[{}*]/.test(segment) && !/^\{[^{}*]+\}$/.test(segment))
      throw new CompileError("bad-option", `path '${written}' has the segment '${segment}', which is neither a text nor a whole {name}`, {
        hint: "write it as /orders/{id}",
      });
  return { own: own === "" ? "/" : own, prefix };
}
