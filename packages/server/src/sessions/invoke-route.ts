// Sends a message to a route in a session, bypassing its trigger, and returns the result of the run.
import { Headers, Message, type Clock, type Exchange, type RouteInput, type Runtime } from "@sluice/engine";
import { bodyTypeOf, toPlain } from "@sluice/engine/values";
import type { SecretValues } from "../masking/secret-values.ts";
import { shownFailure } from "../masking/shown-failure.ts";
import { ServiceError } from "../service-error.ts";
import { decodeBody } from "./decode-body.ts";
import { limitHeaders } from "./limit-headers.ts";
import type { InvokeBody } from "./session-body.ts";
import type { TestSession } from "./test-session.ts";

const defaultTimeoutMs = 10_000;

export interface InvokeParts {
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly secrets: SecretValues;
}

export async function invokeRoute(parts: InvokeParts, session: TestSession, body: InvokeBody): Promise<Readonly<Record<string, unknown>>> {
  const routeInput = findRouteInput(parts.runtime, body);
  const { flowId } = routeInput.route;
  if (session.stale.includes(flowId))
    throw new ServiceError("conflict", `flow '${flowId}' changed since test session '${session.id}' was opened: open a new session`);
  const message = new Message(decodeBody(body) ?? null, Headers.of(limitHeaders(body.headers) ?? {}));
  const startedMs = parts.clock.monotonic();
  let runId: string | null = null;
  const result = routeInput.deliver(message, {
    pattern: body.pattern ?? "InOut",
    trigger: { uri: body.trigger ?? `route:${body.routeId}` },
    session: session.tag,
    ...correlationOf(message.headers),
    started: ({ run }) => (runId = run.id),
    ...(body.properties === undefined ? {} : { properties: new Map(Object.entries(body.properties)) }),
    ...(body.variables === undefined ? {} : { variables: new Map(Object.entries(body.variables)) }),
  });
  const elapsed = (): number => Math.round(parts.clock.monotonic() - startedMs);
  const running = { runId: runId as string | null, status: "running", body: null, bodyType: "none", headers: {} };
  // One-way: do not wait for the result, unless the run did not start.
  if (body.pattern === "InOnly" && running.runId !== null) return { ...running, durationMs: elapsed(), error: null };
  const timeoutMs = body.timeoutMs ?? defaultTimeoutMs;
  const exchange = result instanceof Promise ? await withTimeout(result, timeoutMs, parts.clock) : result;
  if (exchange === undefined)
    return { ...running, durationMs: elapsed(), error: { type: "Timeout", message: `the run did not finish within ${timeoutMs} ms and continues` } };
  return outcomeOf(exchange, elapsed(), parts.secrets);
}

/** As for a webhook, the caller may set the correlation id. */
function correlationOf(headers: Headers): { readonly correlationId?: string } {
  const correlationId = headers.get("X-Correlation-Id") ?? headers.get("breadcrumbId");
  return typeof correlationId === "string" && correlationId !== "" && correlationId.length <= 256 ? { correlationId } : {};
}

export function findRouteInput(runtime: Runtime, { trigger, routeId }: Pick<InvokeBody, "trigger" | "routeId">): RouteInput {
  if ((trigger === undefined) === (routeId === undefined))
    throw new ServiceError("body-invalid", trigger === undefined ? "trigger or routeId is required" : "send either trigger or routeId, not both");
  if (routeId !== undefined) {
    const route = runtime.routes.get(routeId);
    if (route === undefined) throw new ServiceError("not-found", `route '${routeId.slice(0, 128)}' not found`);
    return route.routeInput;
  }
  const uri = trigger as string;
  const routeInput = runtime.isLocalEndpoint(uri) ? runtime.routeInputOf(uri) : undefined;
  if (routeInput === undefined || runtime.routes.get(routeInput.route.id)?.trigger !== "route")
    throw new ServiceError("not-found", `no direct endpoint '${uri.slice(0, 200)}'`);
  return routeInput;
}

function outcomeOf(exchange: Exchange, durationMs: number, secrets: SecretValues): Readonly<Record<string, unknown>> {
  const { run, message, failure } = exchange;
  return {
    runId: run.id,
    status: run.status,
    body: toPlain(message.body),
    bodyType: bodyTypeOf(message.body),
    headers: Object.fromEntries([...message.headers].filter(([name]) => name !== "__proto__").map(([name, value]) => [name, toPlain(value)])),
    durationMs,
    error: shownFailure(failure, secrets),
  };
}

/** The value, or undefined after the timeout. */
export function withTimeout<T>(promise: Promise<T>, ms: number, clock: Clock): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => resolve(undefined));
    promise.then(
      (value) => {
        cancel();
        resolve(value);
      },
      (error: unknown) => {
        cancel();
        reject(error);
      },
    );
  });
}
