// The way between an HTTP request and a route, shared by `webhook` and `platform-http`: request to message, delivery,
// and when the route answers at once, the reply without a promise in between.
import {
  Headers,
  Message,
  type Awaitable,
  type Delivery,
  type Exchange,
  type Host,
  type HttpReply,
  type HttpRequest,
  type Inlet,
  type RouteIdentity,
  type SessionTag,
  type Source,
  type TraceContext,
  type Trigger,
} from "@sluice/engine/spi";
import { checkNotReserved, claimsOf } from "./http-claims.ts";
import type { DurableQueues } from "../queue/durable-queues.ts";
import { durableIntake, type DurableIntake } from "./durable-intake.ts";
import type { HttpOptions } from "./http-options.ts";
import type { IdempotencyKeys } from "./idempotency.ts";
import { isMultipart, type HttpTools } from "./http-tools.ts";
import { acceptedReply, errorReply, replyOfExchange, timeoutReply, type ReplyRule } from "./reply-of-exchange.ts";
import { findHeader, wireHeadersOf } from "./request-headers.ts";
import type { TraceIds } from "./trace-context.ts";

export interface HttpSourceSettings {
  readonly uri: string;
  readonly route: RouteIdentity;
  /** Where the route is mounted, as spelled in URLs. */
  readonly paths: readonly string[];
  /** Undefined serves every method. */
  readonly methods: readonly string[] | undefined;
  readonly options: HttpOptions;
  readonly unchanged: ReplyRule["unchanged"];
  readonly idempotency: IdempotencyKeys;
  readonly tools: HttpTools;
  readonly traceIds: TraceIds;
  readonly queues: DurableQueues;
}

/** Makes the source; the path is checked here, so that a wrong one is a fault of the flow and starts nothing. */
export function httpSource(host: Host, settings: HttpSourceSettings): Source {
  const { route, paths, methods, options } = settings;
  const prefix = options.matchOnUriPrefix;
  for (const path of paths) checkNotReserved(route.id, path, prefix);
  const intake = options.durable ? durableIntake(host, settings) : undefined;
  let unmounts: (() => void)[] = [];
  const unmountAll = (): void => {
    for (const unmount of unmounts) unmount();
    unmounts = [];
  };
  return {
    claims: paths.flatMap((path) => claimsOf(path, methods, prefix)),
    exclusive: false,
    // Accepted messages and remembered keys belong to whoever took them in.
    everyWorker: !options.durable && !options.idempotency,
    start: (inlet) => (intake === undefined ? mount(inlet) : startDurable(intake, inlet)),
    stop() {
      unmountAll();
      return intake?.source.stop();
    },
  };

  function mount(inlet: Inlet): void {
    unmountAll();
    const handle = requestHandler(host, settings, inlet, intake);
    unmounts = paths.map((path) => host.http.mount({ path, methods, prefix, flowId: route.flowId, routeId: route.id, handle }));
  }

  /** What was accepted before comes first: the store must be open before anything new is taken. */
  async function startDurable({ source }: DurableIntake, inlet: Inlet): Promise<void> {
    await source.start(inlet);
    mount(inlet);
  }
}

/** What goes along with the message, and what came of it: the reply is made while the run can still be told of it. */
class WebhookDelivery implements Delivery {
  readonly pattern: "InOnly" | "InOut";
  readonly trigger: Trigger;
  readonly trace: TraceContext;
  readonly session: SessionTag | undefined;
  readonly properties: ReadonlyMap<string, unknown> | undefined;
  exchange: Exchange | undefined = undefined;
  readonly #delivered: unknown;
  readonly #rule: ReplyRule;
  #reply: HttpReply | undefined = undefined;
  #fault: unknown = undefined;

  constructor(request: HttpRequest, trigger: Trigger, trace: TraceContext, properties: ReadonlyMap<string, unknown> | undefined, expected: Expected) {
    this.pattern = expected.waits ? "InOut" : "InOnly";
    this.trigger = trigger;
    this.trace = trace;
    this.session = request.session;
    this.properties = properties;
    this.#delivered = expected.delivered;
    this.#rule = expected.rule;
  }

  started(exchange: Exchange): void {
    this.exchange = exchange;
    if (this.pattern === "InOnly") exchange.run.reply = this.#reply = acceptedReply(exchange);
  }

  settled(exchange: Exchange): void {
    if (this.#reply !== undefined) return;
    try {
      this.#reply = replyOfExchange(exchange, this.#delivered, this.#rule);
      exchange.run.root.reply ??= this.#reply;
    } catch (fault) {
      this.#fault = fault;
    }
  }

  /** The run's own reply, also when its caller was told something else before. */
  replyOf(exchange: Exchange): HttpReply {
    if (this.#fault !== undefined) throw this.#fault;
    return this.#reply ?? replyOfExchange(exchange, this.#delivered, this.#rule);
  }

  /** The caller waits no longer. */
  timedOut(timeoutMs: number): HttpReply {
    const reply = timeoutReply(this.exchange, this.#rule, timeoutMs);
    if (this.exchange !== undefined) this.exchange.run.root.reply = reply;
    return reply;
  }
}

/** What a reply is made from. */
interface Expected {
  readonly waits: boolean;
  readonly delivered: unknown;
  readonly rule: ReplyRule;
}

function requestHandler(
  host: Host,
  settings: HttpSourceSettings,
  inlet: Inlet,
  intake: DurableIntake | undefined,
): (request: HttpRequest) => Awaitable<HttpReply> {
  const { options, route, unchanged } = settings;
  const rule: ReplyRule = { routeId: route.id, unchanged, muteException: options.muteException };
  let lastTrigger: Trigger = { uri: settings.uri };
  let lastProperties: ReadonlyMap<string, unknown> | undefined;

  return options.idempotency ? once : (request) => accept(request);

  /** `settle` hears the run's own reply, also when the caller has given up waiting for it. */
  function accept(request: HttpRequest, settle: Settle = settleNothing): Awaitable<HttpReply> {
    const contentType = request.body.length === 0 ? undefined : findHeader(request.rawHeaders, "content-type");
    if (options.consumes !== undefined && request.body.length > 0 && !isConsumed(contentType, options.consumes))
      return settle(errorReply(415, `unsupported content type '${(contentType ?? "").slice(0, 100)}'`));
    if (isMultipart(contentType))
      return settings.tools
        .readUpload(request.body, contentType)
        .then((upload) => deliver(request, new Message(upload.body, new Headers(wireHeadersOf(request, upload.headers))), settle));
    return deliver(request, new Message(bodyOf(request, unchanged), new Headers(wireHeadersOf(request))), settle);
  }

  function deliver(request: HttpRequest, message: Message, settle: Settle): Awaitable<HttpReply> {
    const trace = settings.traceIds.contextOf(findHeader(request.rawHeaders, "traceparent"));
    if (intake !== undefined) return intake.accept(request, message, trace, triggerOf(request)).then(settle);
    const waits = !isAsync(options, request);
    const delivery = new WebhookDelivery(request, triggerOf(request), trace, propertiesOf(request), { waits, delivered: message.body, rule });
    const outcome = inlet.deliver(message, delivery);
    if (!(outcome instanceof Promise)) return settle(delivery.replyOf(outcome));
    if (!waits && delivery.exchange !== undefined) return settle(delivery.replyOf(delivery.exchange));
    const reply = outcome.then((exchange) => settle(delivery.replyOf(exchange)));
    return waits ? patiently(reply, delivery) : reply;
  }

  function patiently(reply: Promise<HttpReply>, delivery: WebhookDelivery): Promise<HttpReply> {
    const timeoutMs = options.requestTimeout;
    if (timeoutMs <= 0) return reply;
    return new Promise((resolve, reject) => {
      const cancel = host.clock.after(timeoutMs, () => resolve(delivery.timedOut(timeoutMs)));
      reply.finally(cancel).then(resolve, reject);
    });
  }

  /** Most requests of a route have the same method and path: one trigger serves them all. */
  function triggerOf({ method, path }: HttpRequest): Trigger {
    if (lastTrigger.method !== method || lastTrigger.path !== path) lastTrigger = { uri: settings.uri, method, path };
    return lastTrigger;
  }

  /** The same few call over and over; the route makes its own copy. */
  function propertiesOf({ principal }: HttpRequest): ReadonlyMap<string, unknown> | undefined {
    if (principal === undefined) return undefined;
    if (lastProperties?.get("principal") !== principal) lastProperties = new Map([["principal", principal]]);
    return lastProperties;
  }

  function once(request: HttpRequest): Awaitable<HttpReply> {
    const key = findHeader(request.rawHeaders, "idempotency-key");
    if (key === undefined) return accept(request);
    if (key === "" || key.length > 255) return errorReply(400, "Idempotency-Key must have 1 to 255 characters");
    // What a test session was answered is nobody else's answer, and one caller's is no other's of the same name.
    const scoped = JSON.stringify([route.id, callerOf(request.principal), request.session?.id ?? "", key]);
    const claim = settings.idempotency.claim(scoped, request.body);
    if (claim.kind === "running") return errorReply(409, "a request with this Idempotency-Key is still running");
    if (claim.kind === "differs") return errorReply(422, "this Idempotency-Key was used with another body");
    if (claim.kind === "known") return { ...claim.reply, headers: { ...claim.reply.headers, "Idempotent-Replayed": "true" } };
    return accept(request, (reply) => {
      settings.idempotency.settle(scoped, reply, request.session === undefined);
      return reply;
    });
  }
}

/** Who called, as far as a policy asked: how they proved it, by whose word, and their name. */
function callerOf(principal: unknown): readonly string[] {
  const { scheme = "", id = "", claims = {} } = (principal ?? {}) as { scheme?: string; id?: string; claims?: Readonly<Record<string, unknown>> };
  return [scheme, String(claims["iss"] ?? ""), id];
}

type Settle = (reply: HttpReply) => HttpReply;

const settleNothing: Settle = (reply) => reply;

/** Where Camel's rules hold, a request without content has no body at all. */
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
    const wanted = allowed.trim().toLowerCase();
    return wanted === "*/*" || wanted === media || (wanted.endsWith("/*") && media.startsWith(wanted.slice(0, -1)));
  });
}
