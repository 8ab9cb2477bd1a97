// Connects HTTP requests to a route, for `webhook`, `platform-http`, `rest` and `knative`: converts the request, delivers it and
// creates the response, without a promise when the route is synchronous.
import {
  Headers,
  Message,
  type Awaitable,
  type Delivery,
  type Exchange,
  type Host,
  type HttpMount,
  type HttpReply,
  type HttpRequest,
  type RouteInput,
  type RouteIdentity,
  type SessionTag,
  type Source,
  type SourceInput,
  type TraceContext,
  type Trigger,
} from "@sluice/engine/spi";
import { inSlices } from "@sluice/engine/tools";
import { asJsonIncrementally, shouldWriteInParts } from "@sluice/engine/values";
import type { WebhookOperation } from "@sluice/model";
import { checkNotReserved, claimsOf } from "./http-claims.ts";
import type { QueueRegistry } from "../queue/queue-registry.ts";
import { durableReceiver, type DurableReceiver } from "./durable-receiver.ts";
import type { HttpOptions } from "./http-options.ts";
import type { IdempotencyKeys } from "./idempotency.ts";
import { isMultipart, type HttpTools } from "./http-tools.ts";
import { acceptedReply, replyOfExchange, timeoutReply, type ReplyRule, type WrittenBody } from "./reply-of-exchange.ts";
import { correlationIdOf, findHeader, wireHeadersOf } from "./request-headers.ts";
import { hopsHeader, maxHops, readHops } from "./http-hops.ts";
import { isForm, readForm } from "./form-post.ts";
import { checkRequest, type RestOperation } from "./rest-operation.ts";
import type { TraceIds } from "./trace-context.ts";
import { rejection } from "./webhook-errors.ts";

export interface HttpSourceSettings {
  readonly uri: string;
  readonly route: RouteIdentity;
  /** The encoded paths of the route. */
  readonly paths: readonly string[];
  /** Undefined allows every method. */
  readonly methods: readonly string[] | undefined;
  readonly options: HttpOptions;
  readonly unchanged: ReplyRule["unchanged"];
  readonly idempotency: IdempotencyKeys;
  readonly tools: HttpTools;
  readonly traceIds: TraceIds;
  readonly queues: QueueRegistry;
  /** Declared properties of the REST operation. */
  readonly operation?: RestOperation;
}

/** The operations of the route, for the comparison of two versions. */
function operationsOf({ paths, methods = ["*"], options, operation = {} }: HttpSourceSettings): readonly WebhookOperation[] {
  const { validates = false, required = [], allowed = {}, bodyRequired = false } = operation;
  const requirements = {
    required: validates ? [...required, ...(bodyRequired ? ["body"] : [])] : [],
    allowed: validates ? allowed : {},
    consumes: (options.consumes ?? "").split(",").flatMap((type) => type.trim().toLowerCase() || []),
  };
  return paths.flatMap((path) => {
    const served = options.matchOnUriPrefix ? `${path === "/" ? "" : path}/*` : path;
    return methods.map((method) => ({ method, path: served, ...requirements }));
  });
}

/** Creates the source; checks the path, so that an invalid one fails the deploy before anything starts. */
export function httpSource(host: Host, settings: HttpSourceSettings): Source {
  const { route, paths, methods, options } = settings;
  const prefix = options.matchOnUriPrefix;
  for (const path of paths) checkNotReserved(route.id, path, prefix);
  const durable = options.durable ? durableReceiver(host, settings) : undefined;
  let unmounts: (() => void)[] = [];
  const unmountAll = (): void => {
    for (const unmount of unmounts) unmount();
    unmounts = [];
  };
  return {
    claims: paths.flatMap((path) => claimsOf(path, methods, prefix)),
    operations: operationsOf(settings),
    exclusive: false,
    // Accepted messages and idempotency keys belong to the worker that received them.
    everyWorker: !options.durable && !options.idempotency,
    isStored: options.durable && !options.idempotency,
    start: (routeInput) => (durable === undefined ? mount(routeInput) : startDurable(durable, routeInput)),
    // Requests to an unmounted path get the response of a stopped route.
    reserve() {
      mountAll(() => rejection("route-stopped", `route '${route.id}' is stopped`));
      unmountAll();
    },
    stop() {
      unmountAll();
      return durable?.source.stop();
    },
  };

  function mount(routeInput: RouteInput): void {
    mountAll(requestHandler(host, settings, routeInput, durable));
  }

  function mountAll(handle: HttpMount["handle"]): void {
    unmountAll();
    const { cors } = settings.operation ?? {};
    const metadata = { flowId: route.flowId, routeId: route.id, ...(cors === undefined ? {} : { preflight: cors }) };
    unmounts = paths.map((path) => host.http.mount({ path, methods, prefix, ...metadata, handle }));
  }

  /** Messages accepted earlier are processed first, so the store must be open before new ones are accepted. */
  async function startDurable({ source }: DurableReceiver, routeInput: SourceInput): Promise<void> {
    await source.start(routeInput);
    mount(routeInput);
  }
}

/** The context of a message and its result: the response is created before the run is closed, so that it can be recorded. */
class WebhookDelivery implements Delivery {
  readonly pattern: "InOnly" | "InOut";
  readonly trigger: Trigger;
  readonly trace: TraceContext;
  readonly correlationId: string | undefined;
  readonly session: SessionTag | undefined;
  readonly properties: ReadonlyMap<string, unknown> | undefined;
  exchange: Exchange | undefined = undefined;
  readonly #delivered: unknown;
  readonly #rule: ReplyRule;
  #reply: HttpReply | undefined = undefined;
  #fault: unknown = undefined;
  #written: WrittenBody | undefined = undefined;

  constructor(request: HttpRequest, trigger: Trigger, trace: TraceContext, properties: ReadonlyMap<string, unknown> | undefined, context: ReplyContext) {
    this.pattern = context.waits ? "InOut" : "InOnly";
    this.trigger = trigger;
    this.trace = trace;
    this.correlationId = correlationIdOf(request.rawHeaders);
    this.session = request.session;
    this.properties = properties;
    this.#delivered = context.delivered;
    this.#rule = context.rule;
  }

  started(exchange: Exchange): void {
    this.exchange = exchange;
    if (this.pattern === "InOnly") exchange.run.reply = this.#reply = acceptedReply(exchange);
  }

  /** Writes a large list or map in slices. A value that is too large fails the run. */
  completing({ message, failure }: Exchange): Awaitable {
    const { body } = message;
    if (this.#reply !== undefined || failure !== undefined || body === this.#delivered || !shouldWriteInParts(body)) return undefined;
    return inSlices(asJsonIncrementally(body), this.#rule.clock).then((json) => void (this.#written = { body, json }));
  }

  ended(exchange: Exchange): void {
    if (this.#reply !== undefined) return;
    try {
      this.#reply = replyOfExchange(exchange, this.#delivered, this.#rule, this.#written);
      exchange.run.root.reply ??= this.#reply;
    } catch (fault) {
      this.#fault = fault;
    }
  }

  /** The response of the run, even when the caller already got another one. */
  replyOf(exchange: Exchange): HttpReply {
    if (this.#fault !== undefined) throw this.#fault;
    return this.#reply ?? replyOfExchange(exchange, this.#delivered, this.#rule, this.#written);
  }

  /** The caller stopped waiting. */
  timedOut(timeoutMs: number): HttpReply {
    const reply = timeoutReply(this.exchange, this.#rule, timeoutMs);
    if (this.exchange !== undefined) this.exchange.run.root.reply = reply;
    return reply;
  }
}

/** What a delivery needs to create the response. */
interface ReplyContext {
  readonly waits: boolean;
  readonly delivered: unknown;
  readonly rule: ReplyRule;
}

function requestHandler(
  host: Host,
  settings: HttpSourceSettings,
  routeInput: RouteInput,
  durable: DurableReceiver | undefined,
): (request: HttpRequest) => Awaitable<HttpReply> {
  const { options, route, unchanged, operation } = settings;
  const contentType = options.produces
    ?.split(",")
    .find((type) => !type.includes("*"))
    ?.trim();
  const rule: ReplyRule = {
    routeId: route.id,
    unchanged,
    muteException: options.muteException,
    mask: host.mask ?? ((text) => text),
    contentType,
    clock: host.clock,
  };
  const cors = operation?.cors;
  let lastTrigger: Trigger = { uri: settings.uri };
  let lastProperties: ReadonlyMap<string, unknown> | undefined;

  const handle = options.idempotency ? handleOnce : (request: HttpRequest): Awaitable<HttpReply> => accept(request);
  if (cors === undefined) return handle;
  const withCors = (reply: HttpReply): HttpReply => ({ ...reply, headers: { ...cors, ...reply.headers } });
  return (request) => {
    const reply = handle(request);
    return reply instanceof Promise ? reply.then(withCors) : withCors(reply);
  };

  /** `settle` receives the response of the run, even when the caller stopped waiting. */
  function accept(request: HttpRequest, settle: Settle = settleNothing): Awaitable<HttpReply> {
    const contentType = request.body.length === 0 ? undefined : findHeader(request.rawHeaders, "content-type");
    if (options.consumes !== undefined && request.body.length > 0 && !isConsumed(contentType, options.consumes))
      return settle(rejection("media-unsupported", `unsupported content type '${(contentType ?? "").slice(0, 100)}'`));
    const checked = operation === undefined ? undefined : checkRequest(operation, request, options.produces);
    if (checked !== undefined && !Array.isArray(checked)) return settle(checked);
    const added = checked === undefined || checked.length === 0 ? undefined : checked;
    if (isMultipart(contentType))
      return settings.tools
        .readUpload(request.body, contentType)
        .then((upload) => deliver(request, new Message(upload.body, new Headers(wireHeadersOf(request, [...(added ?? []), ...upload.headers]))), settle));
    if (unchanged === "echo" && isForm(contentType)) {
      const form = readForm(request.body);
      // A form field must not replace a header set by a proxy.
      const sent = new Headers(wireHeadersOf(request));
      const fields = Object.entries(form).filter(([name]) => !name.toLowerCase().startsWith("camel") && sent.get(name) === undefined);
      return deliver(request, new Message(form, new Headers(wireHeadersOf(request, [...(added ?? []), ...fields]))), settle);
    }
    return deliver(request, new Message(bodyOf(request, unchanged), new Headers(wireHeadersOf(request, added))), settle);
  }

  function deliver(request: HttpRequest, message: Message, settle: Settle): Awaitable<HttpReply> {
    const traceparent = findHeader(request.rawHeaders, "traceparent");
    const hops = traceparent === undefined ? undefined : readHops(findHeader(request.rawHeaders, hopsHeader));
    if (hops !== undefined && hops > maxHops)
      return settle(rejection("loop-detected", `loop detected: ${maxHops} runs called each other over HTTP before route '${route.id}' was called`));
    const trace = settings.traceIds.contextOf(traceparent, hops);
    if (durable !== undefined) return durable.accept(request, message, trace, triggerOf(request)).then(settle);
    const waits = !isAsync(options, request);
    const delivery = new WebhookDelivery(request, triggerOf(request), trace, propertiesOf(request), { waits, delivered: message.body, rule });
    const outcome = routeInput.deliver(message, delivery);
    if (!(outcome instanceof Promise)) return settle(delivery.replyOf(outcome));
    if (!waits && delivery.exchange !== undefined) return { ...settle(delivery.replyOf(delivery.exchange)), runEnds: outcome };
    const reply = outcome.then((exchange) => settle(delivery.replyOf(exchange)));
    return waits ? withTimeout(reply, delivery) : reply;
  }

  function withTimeout(reply: Promise<HttpReply>, delivery: WebhookDelivery): Promise<HttpReply> {
    const timeoutMs = options.requestTimeout;
    if (timeoutMs <= 0) return reply;
    return new Promise((resolve, reject) => {
      const cancel = host.clock.after(timeoutMs, () => resolve({ ...delivery.timedOut(timeoutMs), runEnds: reply }));
      reply.finally(cancel).then(resolve, reject);
    });
  }

  /** Cache: most requests of a route have the same method and path. */
  function triggerOf({ method, path }: HttpRequest): Trigger {
    if (lastTrigger.method !== method || lastTrigger.path !== path) lastTrigger = { uri: settings.uri, method, path };
    return lastTrigger;
  }

  /** Cache: most calls come from few principals; the route makes its own copy. */
  function propertiesOf({ principal }: HttpRequest): ReadonlyMap<string, unknown> | undefined {
    if (principal === undefined) return undefined;
    if (lastProperties?.get("principal") !== principal) lastProperties = new Map([["principal", principal]]);
    return lastProperties;
  }

  function handleOnce(request: HttpRequest): Awaitable<HttpReply> {
    const key = findHeader(request.rawHeaders, "idempotency-key");
    if (key === undefined) return accept(request);
    if (key === "" || key.length > 255) return rejection("idempotency-key-invalid", "Idempotency-Key must have 1 to 255 characters");
    // Scope keys to the test session and the principal, so that responses are not shared between them.
    const scoped = JSON.stringify([route.id, callerOf(request.principal), request.session?.id ?? "", key]);
    const claim = settings.idempotency.claim(scoped, request.body);
    if (claim.kind === "running") return rejection("idempotency-key-running", "a request with this Idempotency-Key is still running");
    if (claim.kind === "differs") return rejection("idempotency-key-reused", "this Idempotency-Key was used with another body");
    if (claim.kind === "known") return { ...claim.reply, headers: { ...claim.reply.headers, "Idempotent-Replayed": "true" } };
    return accept(request, (reply) => {
      settings.idempotency.settle(scoped, reply, request.session === undefined);
      return reply;
    });
  }
}

/** The authenticated caller, if a policy requires one: scheme, issuer and name. */
function callerOf(principal: unknown): readonly string[] {
  const { scheme = "", id = "", claims = {} } = (principal ?? {}) as { scheme?: string; id?: string; claims?: Readonly<Record<string, unknown>> };
  return [scheme, String(claims["iss"] ?? ""), id];
}

type Settle = (reply: HttpReply) => HttpReply;

const settleNothing: Settle = (reply) => reply;

/** Under Camel's rules, a request without content has a null body. */
function bodyOf(request: HttpRequest, unchanged: ReplyRule["unchanged"]): unknown {
  return unchanged === "echo" && request.body.length === 0 ? null : request.body;
}

function isAsync(options: HttpOptions, request: HttpRequest): boolean {
  if (options.async === "true" || options.exchangePattern === "InOnly") return true;
  return options.async === "allow" && /(^|[\s,;])respond-async($|[\s,;])/i.test(findHeader(request.rawHeaders, "prefer") ?? "");
}

function isConsumed(contentType: string | undefined, consumes: string): boolean {
  const media = (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return consumes.split(",").some((allowed) => {
    const consumed = allowed.trim().toLowerCase();
    return consumed === "*/*" || consumed === media || (consumed.endsWith("/*") && media.startsWith(consumed.slice(0, -1)));
  });
}
