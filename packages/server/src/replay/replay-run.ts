// Replays a run with its original or an edited message, from the start or from one of the route's steps, for real or in a test session.
// Throws a ServiceError with the reason if it cannot be replayed.
import { restoreMessage, type StoredMessage } from "@sluice/connectors";
import { Headers, Message, type Clock, type Exchange, type RouteInput, type Route, type Runtime } from "@sluice/engine";
import { shownHeaders } from "../masking/preview.ts";
import { maskMembersOf } from "../masking/secret-members.ts";
import type { SecretValues } from "../masking/secret-values.ts";
import { shownFailure } from "../masking/shown-failure.ts";
import { ServiceError } from "../service-error.ts";
import type { DiskRuns } from "../run-store/open-run-store.ts";
import type { RunHistory } from "../runs/run-history.ts";
import type { RunMetadata } from "../runs/run-metadata.ts";
import type { RunRecord } from "../runs/run-record.ts";
import { decodeBody } from "../sessions/decode-body.ts";
import { limitHeaders } from "../sessions/limit-headers.ts";
import { withTimeout } from "../sessions/invoke-route.ts";
import type { TestSessions } from "../sessions/test-sessions.ts";
import type { Captures } from "./captures.ts";
import { outcomeOf, type ReplayStore, type RunOutcome } from "./replay-store.ts";
import { differences } from "./outcome-diff.ts";

export interface RunReplayParts {
  readonly runtime: Runtime;
  readonly history: RunHistory;
  readonly disk: DiskRuns | undefined;
  readonly replayStore: ReplayStore;
  readonly captures: Captures;
  readonly sessions: TestSessions;
  readonly clock: Clock;
  readonly secrets: SecretValues;
}

export interface ReplayRequest {
  readonly fromStep?: string | undefined;
  readonly body?: unknown;
  readonly bodyBase64?: string | undefined;
  /** Merged with the run's own headers; null removes a header. */
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  readonly sessionId?: string | undefined;
  readonly timeoutMs?: number | undefined;
}

const defaultTimeoutMs = 30_000;

type Json = Readonly<Record<string, unknown>>;

export async function replayRun(parts: RunReplayParts, runId: string, request: ReplayRequest): Promise<Json> {
  const { history, disk, runtime, clock, sessions } = parts;
  const record = history.find(runId) ?? (await disk?.store.find(runId))?.metadata;
  if (record === undefined) throw new ServiceError("not-found", `run '${runId.slice(0, 128)}' not found`);
  const cannotReplay = (reason: string): ServiceError => new ServiceError("conflict", `run '${runId}' cannot be replayed: ${reason}`);
  if (!record.isOver) throw cannotReplay("it is still running");
  const route = runtime.routes.get(record.route.id);
  if (route === undefined) throw cannotReplay(`route '${record.route.id}' is not deployed`);
  const routeInput = routeInputOf(route, request.fromStep, cannotReplay);
  const body = decodeBody(request);
  const headers = limitHeaders(request.headers);
  const restored = messageFor(parts, record, request.fromStep, body, cannotReplay);
  const session = request.sessionId === undefined ? undefined : sessions.getOpen(request.sessionId);
  if (session?.stale.includes(record.route.flowId) === true)
    throw new ServiceError("conflict", `flow '${record.route.flowId}' changed since test session '${session.id}' was opened: open a new session`);

  const startedMs = clock.monotonic();
  let startedId: string | null = null;
  const result = routeInput.deliver(applyEdits(restored.message, body, headers), {
    pattern: "InOut",
    trigger: record.trigger,
    correlationId: record.correlationId,
    ...(restored.delivery.properties === undefined ? {} : { properties: restored.delivery.properties }),
    ...(session === undefined ? {} : { session: session.tag }),
    started({ run }) {
      startedId = run.id;
      (run.record as RunRecord | undefined)?.replays(runId);
    },
  });
  const timeoutMs = request.timeoutMs ?? defaultTimeoutMs;
  const exchange = result instanceof Promise ? await withTimeout(result, timeoutMs, clock) : result;
  const common = {
    replayOf: runId,
    fromStep: request.fromStep ?? null,
    flowChanged: route.identity.flowHash !== record.route.flowHash,
    durationMs: Math.round(clock.monotonic() - startedMs),
  };
  if (exchange === undefined)
    return {
      runId: startedId,
      status: "running",
      ...common,
      error: { type: "Timeout", message: `the run did not finish within ${timeoutMs} ms and continues` },
    };
  return { ...reply(exchange, parts.secrets, originalOutcome(parts, record)), ...common };
}

function routeInputOf(route: Route, fromStep: string | undefined, cannotReplay: (reason: string) => ServiceError): RouteInput {
  if (fromStep === undefined) return route.routeInput;
  const routeInput = route.enterAt(fromStep);
  if (routeInput !== undefined) return routeInput;
  const nested = route.steps.some(({ node }) => node.id === fromStep);
  throw cannotReplay(
    nested
      ? `step '${fromStep}' is nested in another step; a replay can only start at a top-level step of the route`
      : `route '${route.identity.id}' has no step '${fromStep}'`,
  );
}

/** The message to start with: the one captured before the step, or the input of the run. */
function messageFor(
  { replayStore, captures }: RunReplayParts,
  record: RunMetadata,
  fromStep: string | undefined,
  body: unknown,
  cannotReplay: (reason: string) => ServiceError,
): ReturnType<typeof restoreMessage> {
  const captured = captures.of(record.id)?.steps;
  const first = captured?.[0];
  const stored: StoredMessage | undefined =
    fromStep === undefined ? (replayStore.input(record.id) ?? first?.message) : captured?.find(({ stepId }) => stepId === fromStep)?.message;
  if (stored !== undefined) return restoreMessage(stored);
  if (body !== undefined) return { message: new Message(null), delivery: {}, session: undefined };
  const what = fromStep === undefined ? "its input message was not stored" : `the message before step '${fromStep}' was not captured`;
  throw cannotReplay(`${what}; send a body, or enable capture with POST /_api/routes/${record.route.id}/capture before the next run`);
}

function applyEdits(message: Message, body: unknown, headers: ReplayRequest["headers"]): Message {
  if (body !== undefined) message.body = body;
  if (headers === undefined) return message;
  // Edited headers replace received ones, and do not count as headers that the route has set.
  const received = new Map<string, readonly [string, unknown]>();
  const own = new Set([...message.headers.own()].map(([name]) => name.toLowerCase()));
  for (const [name, value] of message.headers) if (!own.has(name.toLowerCase())) received.set(name.toLowerCase(), [name, value]);
  const ownHeaders = [...message.headers.own()];
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) received.delete(name.toLowerCase());
    else received.set(name.toLowerCase(), [name, value]);
  }
  const layered = new Headers({ entries: () => received.values() });
  const editedNames = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  for (const [name, value] of ownHeaders) if (!editedNames.has(name.toLowerCase())) layered.set(name, value);
  message.headers = layered;
  return message;
}

function originalOutcome({ replayStore }: RunReplayParts, record: RunMetadata): Partial<RunOutcome> & { readonly status: string } {
  return replayStore.outcome(record.id) ?? { status: record.status, error: record.error ?? null };
}

function reply(exchange: Exchange, secrets: SecretValues, original: Partial<RunOutcome> & { readonly status: string }): Json {
  const { run, failure } = exchange;
  const outcome = outcomeOf(exchange, failure);
  const shown = {
    runId: run.id,
    status: run.status,
    body: maskMembersOf(outcome.body ?? null),
    bodyType: outcome.bodyType,
    headers: shownHeaders(exchange.message.headers),
    error: shownFailure(failure, secrets),
    diff: differences(original, outcome, secrets.records),
  };
  return JSON.parse(secrets.records.scrubJson(JSON.stringify(shown))) as Json;
}
