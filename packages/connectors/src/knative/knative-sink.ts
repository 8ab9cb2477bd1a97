// Sends messages as CloudEvents: attributes in headers, the data as the body.
import { STATUS_CODES } from "node:http";
import type { Dispatcher } from "undici";
import { CompileError, type Endpoint, type Exchange, type Host, type RouteIdentity, type Sink } from "@sluice/engine/spi";
import type { CallAgents } from "../http/call-agents.ts";
import { checkLiteralAddress, isExempt, type EgressPolicy } from "../http/egress.ts";
import { callFailure, statusFailure } from "../http/http-failure.ts";
import { bodyOf, headersOf } from "../http/http-request.ts";
import { applyResponse, readResponse, type ResponseOptions } from "../http/http-response.ts";
import { cloudEventHeaders } from "./cloud-event.ts";
import { missingName, type KnativeOptions } from "./knative-options.ts";

export interface KnativeSinkParts {
  readonly host: Host;
  readonly agents: CallAgents;
  readonly egress: EgressPolicy;
}

const requestOptions = { skipRequestHeaders: false, userAgent: "Sluice", customHostHeader: undefined };
const responseOptions: ResponseOptions = {
  ignoreResponseBody: false,
  disableStreamCache: false,
  maxResponseSize: 10 * 1024 * 1024,
  skipResponseHeaders: false,
  copyHeaders: true,
};

export function knativeSink(endpoint: Endpoint<KnativeOptions>, route: RouteIdentity, { host, agents, egress }: KnativeSinkParts): Sink {
  const { options, trusted } = endpoint;
  const url = addressOf(options);
  const { type, typeId, timeout, cloudEventsSpecVersion } = options;
  const defaults = {
    type: type === "event" && typeId !== undefined ? typeId : options.cloudEventsType,
    specVersion: cloudEventsSpecVersion,
    source: `/${route.flowId}/${route.id}`,
    now: () => host.clock.now(),
  };
  const guarded = !trusted && !isExempt(url, egress);
  return {
    async send(exchange: Exchange): Promise<void> {
      const { signal } = exchange.run;
      try {
        if (guarded) checkLiteralAddress(url);
        const body = bodyOf({ getWithBody: false, deleteWithBody: false }, "POST", exchange.message.body ?? "");
        const dispatcher = await agents.get({ connectTimeout: timeout, guarded, proxy: undefined });
        const response = await dispatcher.request({
          origin: url.origin,
          path: `${url.pathname}${url.search}`,
          method: "POST",
          headers: { ...headersOf(requestOptions, exchange, body, undefined), ...cloudEventHeaders(exchange, defaults) },
          body: (body ?? null) as Dispatcher.DispatchOptions["body"],
          signal,
          headersTimeout: timeout,
          bodyTimeout: timeout,
        });
        const { statusCode, headers } = response;
        const statusText = STATUS_CODES[statusCode] ?? "";
        if (statusCode < 200 || statusCode > 299)
          throw statusFailure(url, { statusCode, statusText, headers, body: await readResponse(response, 64 * 1024, true) });
        await applyResponse(exchange.message, response, statusText, responseOptions);
      } catch (error) {
        throw callFailure(error, url, signal);
      }
    },
  };
}

/** The address of a channel, broker or service inside the cluster. */
function addressOf({ url, type, typeId, name = "default", namespace }: KnativeOptions): URL {
  if (url !== undefined) {
    if (/^https?:\/\//i.test(url) && URL.canParse(url)) return new URL(url);
    throw new CompileError("bad-option", "'url' is not an http or https address", { hint: "write it as http://host:port/path", option: "url" });
  }
  if (type !== "event" && typeId === undefined) throw missingName(type);
  for (const part of type === "event" ? [name, namespace] : [typeId as string, namespace])
    if (!/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(part))
      throw new CompileError("bad-option", `'${part}' is not a valid Kubernetes resource name`, {
        hint: "use lower-case letters, digits and '-', or set url",
      });
  const service = { channel: `${typeId}-kn-channel.${namespace}`, endpoint: `${typeId}.${namespace}`, event: "broker-ingress.knative-eventing" }[type];
  return new URL(`http://${service}.svc.cluster.local/${type === "event" ? `${namespace}/${name}` : ""}`);
}
