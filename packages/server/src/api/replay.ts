import { z } from "zod";
import { messageJson } from "../dead-letters/dead-letter-view.ts";
import type { CaptureState } from "../replay/captures.ts";
import { replayRun, type RunReplayParts } from "../replay/replay-run.ts";
import { ServiceError } from "../service-error.ts";
import type { ServiceView } from "../other-workers/service-view.ts";
import { defineEndpoint, ok, shape, type Endpoint, type Json } from "./endpoint.ts";
import { anyMap, failureShape, incompleteShape, runStatus } from "./message-shapes.ts";

const maxCaptureMs = 24 * 3_600_000;
const captureShape = shape(
  () => ({
    routeId: z.string(),
    active: z.boolean(),
    until: z.string().nullable(),
    bytes: z.int(),
    maxBytes: z.int().nullable(),
    incomplete: incompleteShape(),
  }),
  "Capture",
);
const changeShape = (inner: z.ZodType): z.ZodType => z.looseObject({ before: inner, after: inner });
const differenceShape = shape(
  () => ({
    same: z.boolean().nullable().describe("null: the original outcome was not stored completely."),
    status: changeShape(z.string()),
    error: changeShape(failureShape().nullable()),
    body: z.looseObject({ changed: z.boolean(), before: z.unknown(), after: z.unknown() }).nullable(),
    headers: z.looseObject({ added: anyMap(), removed: anyMap(), changed: z.record(z.string(), changeShape(z.unknown())) }).nullable(),
  }),
  "OutcomeDifference",
);
const outcomeShape = shape(
  () => ({
    runId: z.string().nullable(),
    replayOf: z.string(),
    status: runStatus(),
    fromStep: z.string().nullable(),
    flowChanged: z.boolean(),
    durationMs: z.number(),
    error: failureShape().nullable(),
    body: z.unknown().optional(),
    bodyType: z.string().optional(),
    headers: anyMap().optional(),
    diff: differenceShape().optional().describe("Missing while the run continues."),
  }),
  "ReplayOutcome",
);

/** Endpoints to replay runs and to capture messages for replay. */
export function replayEndpoints(parts: RunReplayParts, service: ServiceView | undefined): readonly Endpoint[] {
  const { captures, runtime } = parts;
  const requireRoute = (id: string): string => {
    if (!runtime.routes.has(id)) throw new ServiceError("not-found", `route '${id.slice(0, 128)}' not found`);
    return id;
  };
  return [
    defineEndpoint({
      method: "POST",
      path: "/runs/:id/replay",
      tag: "runs",
      summary: "Replays a run",
      description:
        "Sends the message of a past run through its route again: unchanged or edited, completely or from a step, and optionally with the mocks of a test session. The reply compares the outcome with the original one.",
      owned: ({ params }) => ({ kind: "run", id: params["id"] as string }),
      body: z.strictObject({
        fromStep: z.string().min(1).optional(),
        body: z.unknown().optional(),
        bodyBase64: z.string().optional(),
        headers: z.record(z.string(), z.unknown()).optional(),
        sessionId: z.string().optional(),
        timeoutMs: z.int().min(1).max(600_000).optional(),
      }),
      example: { headers: { "X-Retry": "1" } },
      errors: ["not-found", "conflict", "gone"],
      replies: {
        200: {
          description: "The result of the replay, even if it failed, and the differences.",
          schema: outcomeShape,
        },
      },
      async handle({ params, body }) {
        const id = params["id"] as string;
        if (parts.history.find(id) === undefined) await service?.fetchRun(id);
        return ok(await replayRun(parts, id, body));
      },
    }),
    defineEndpoint({
      method: "POST",
      path: "/routes/:id/capture",
      tag: "routes",
      combine: combineCaptures,
      summary: "Captures the messages of a route",
      description: "The message before each step of the route's runs is stored for a limited time, so that runs can be inspected and replayed from any step.",
      body: z.strictObject({ forMs: z.int().min(1).max(maxCaptureMs), maxBytes: z.int().min(1).optional() }),
      example: { forMs: 600000 },
      errors: ["not-found"],
      replies: { 200: { description: "Switched on.", schema: captureShape } },
      handle({ params, body }) {
        const id = requireRoute(params["id"] as string);
        return ok(stateJson(id, captures.start(id, body.forMs, body.maxBytes), true));
      },
    }),
    defineEndpoint({
      method: "GET",
      path: "/routes/:id/capture",
      tag: "routes",
      combine: combineCaptures,
      summary: "Returns whether the messages of a route are captured",
      description: "With the bytes in use and the end of the capture.",
      errors: ["not-found"],
      replies: { 200: { description: "The state of the capture.", schema: captureShape } },
      handle: ({ params }) =>
        ok(stateJson(requireRoute(params["id"] as string), captures.state(params["id"] as string), captures.state(params["id"] as string) !== undefined)),
    }),
    defineEndpoint({
      method: "DELETE",
      path: "/routes/:id/capture",
      tag: "routes",
      combine: combineCaptures,
      summary: "Stops capturing the messages of a route",
      description: "Captured messages stay available until they are evicted.",
      errors: ["not-found"],
      replies: { 200: { description: "Switched off.", schema: captureShape } },
      handle: ({ params }) => ok(stateJson(requireRoute(params["id"] as string), captures.stop(params["id"] as string), false)),
    }),
  ];
}

/** Replay information of a run. */
export function replayDetails({ captures, replayStore, secrets }: RunReplayParts, runId: string): Readonly<Record<string, unknown>> {
  const captured = captures.of(runId);
  const messages = captured?.steps.map(({ stepId, message }) => ({ stepId, ...messageJson(message, secrets) }));
  return {
    replayable: replayStore.input(runId) !== undefined || (captured?.steps.length ?? 0) > 0,
    ...(captured === undefined ? {} : { messages, messagesTruncated: captured.truncated }),
  };
}

/** Combines the captures of all nodes: each node captures its own runs. */
function combineCaptures(own: Json, others: readonly Json[]): Json {
  const all = [own, ...others];
  const until = all.flatMap((state) => (state["until"] === null ? [] : [state["until"] as string]));
  return {
    ...own,
    active: all.some((state) => state["active"] === true),
    until: until.reduce<string | null>((last, time) => (last === null || time > last ? time : last), null),
    bytes: all.reduce((sum, state) => sum + (state["bytes"] as number), 0),
  };
}

function stateJson(routeId: string, state: CaptureState | undefined, active: boolean): Readonly<Record<string, unknown>> {
  return {
    routeId,
    active,
    until: state === undefined ? null : new Date(state.until).toISOString(),
    bytes: state?.bytes ?? 0,
    maxBytes: state?.maxBytes ?? null,
  };
}
