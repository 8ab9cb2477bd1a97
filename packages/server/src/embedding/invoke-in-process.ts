// Sends a message to a route in process. Values are passed unchanged: bytes stay bytes.
import { Headers, Message } from "@sluice/engine";
import { toPlain } from "@sluice/engine/values";
import { shownFailure, type ShownFailure } from "../masking/shown-failure.ts";
import { findRouteInput, withTimeout, type InvokeParts } from "../sessions/invoke-route.ts";

export interface InvokedMessage {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, unknown>>;
  /** How long to wait for the run; it continues after the timeout. */
  readonly timeoutMs?: number;
}

export interface InvokedRun {
  readonly runId: string;
  readonly status: string;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly error: ShownFailure | null;
}

export async function invokeInProcess(parts: InvokeParts, routeId: string, { body, headers, timeoutMs }: InvokedMessage): Promise<InvokedRun> {
  const routeInput = findRouteInput(parts.runtime, { routeId });
  // Steps may change a message in place, so the caller's object is copied.
  const message = new Message(body === undefined ? null : structuredClone(body), Headers.of(headers ?? {}));
  let runId = "";
  const result = Promise.resolve(
    routeInput.deliver(message, { pattern: "InOut", trigger: { uri: `route:${routeId}` }, started: ({ run }) => (runId = run.id) }),
  );
  const exchange = timeoutMs === undefined ? await result : await withTimeout(result, timeoutMs, parts.clock);
  if (exchange === undefined) {
    const error = { type: "Timeout", message: `the run did not finish within ${timeoutMs} ms and continues`, stepId: null };
    return { runId, status: "running", body: null, headers: {}, error };
  }
  const { run, message: reply, failure } = exchange;
  return {
    runId: run.id,
    status: run.status,
    body: reply.body instanceof Uint8Array ? reply.body : toPlain(reply.body),
    headers: Object.fromEntries([...reply.headers].filter(([name]) => name !== "__proto__").map(([name, value]) => [name, toPlain(value)])),
    error: shownFailure(failure, parts.secrets),
  };
}
