import { z } from "zod";
import { invokeRoute, type InvokeParts } from "../sessions/invoke-route.ts";
import { invokeShape, openShape, type OpenBody } from "../sessions/session-body.ts";
import type { TestSessions } from "../sessions/test-sessions.ts";
import type { ClusterView } from "../other-nodes/cluster-view.ts";
import { defineEndpoint, ok, shape, type Endpoint, type Reply } from "./endpoint.ts";
import { replies, requests } from "./examples.ts";
import { anyMap, failureShape, incompleteShape, runStatus } from "./message-shapes.ts";

const callShape = shape(
  () => ({
    seq: z.int(),
    mockId: z.string(),
    flowId: z.string(),
    routeId: z.string(),
    stepId: z.string().nullable(),
    uri: z.string().nullable(),
    runId: z.string(),
    at: z.string(),
    attempt: z.int(),
    request: z.looseObject({ body: z.unknown(), bodyType: z.string(), headers: anyMap() }),
    outcome: z.enum(["responded", "threw", "pending"]),
    response: z.unknown(),
    error: failureShape().nullable(),
  }),
  "RecordedCall",
);
const closeShape = shape(
  () => ({
    recordedCalls: z.array(callShape()),
    sessionId: z.string(),
    name: z.string().optional(),
    expired: z.boolean(),
    stale: z.array(z.string()).describe("Flows that changed since the session was opened."),
    truncated: z.boolean(),
    callCount: z.int(),
    assertions: z.array(z.looseObject({ ok: z.boolean(), message: z.string() })).optional(),
  }),
  "SessionCalls",
);
const openedShape = shape(
  () => ({
    sessionId: z.string(),
    ttlMs: z.int(),
    expiresAt: z.string(),
    mocks: z.array(z.looseObject({ id: z.string(), steps: z.array(z.string()).describe("As `route/step`.") })),
    node: z.string().optional().describe("The node of the session. Only in a cluster."),
    incomplete: incompleteShape(),
    warnings: z.array(z.string()),
  }),
  "OpenedSession",
);
const outcomeShape = shape(
  () => ({
    runId: z.string().nullable(),
    status: runStatus(),
    body: z.unknown(),
    bodyType: z.string(),
    headers: anyMap(),
    durationMs: z.number(),
    error: failureShape().nullable(),
  }),
  "InvokeOutcome",
);

export function testEndpoints(sessions: TestSessions, parts: InvokeParts, cluster: ClusterView | undefined): readonly Endpoint[] {
  return [
    defineEndpoint({
      method: "POST",
      path: "/test/session",
      tag: "test",
      summary: "Opens a test session",
      description:
        "Mocks replace steps that call other systems. With the scope `session`, only messages of the session use them; with `deployment`, all messages of the deployed flows. The session ends when it is closed or `ttlMs` has passed.",
      body: openShape,
      forwarded: true,
      example: requests.session,
      errors: ["forbidden", "too-many", "document-invalid", "conflict", "cluster-unsupported", "cluster-unreachable", "cluster-uncertain"],
      replies: { 201: { description: "Open.", schema: openedShape, example: replies.openedSession } },
      handle: ({ body }) => (cluster === undefined ? { status: 201, json: sessions.open(body).openReply() } : openInCluster(sessions, cluster, body)),
    }),
    defineEndpoint({
      method: "GET",
      path: "/test/session/:id",
      tag: "test",
      summary: "Returns the calls recorded so far",
      description: "The session stays open.",
      errors: ["not-found", "gone"],
      replies: { 200: { description: "The calls.", schema: closeShape } },
      owned: ({ params }) => ({ kind: "session", id: params["id"] as string }),
      handle: ({ params }) => ok(sessions.get(params["id"] as string).closeReply()),
    }),
    defineEndpoint({
      method: "DELETE",
      path: "/test/session/:id",
      tag: "test",
      summary: "Closes a test session and returns the recorded calls",
      description: "Returns the calls in the order in which they happened, and the results of the assertions.",
      whileDraining: true,
      errors: ["not-found", "gone"],
      replies: { 200: { description: "The calls.", schema: closeShape } },
      owned: ({ params }) => ({ kind: "session", id: params["id"] as string }),
      async handle({ params }) {
        const session = sessions.close(params["id"] as string);
        await cluster?.publishSessions();
        return ok(session.closeReply());
      },
    }),
    defineEndpoint({
      method: "POST",
      path: "/test/invoke",
      tag: "test",
      summary: "Invokes a route in an open test session",
      description: "Sends a message to a `direct:` or `seda:` endpoint, or to any route without its trigger. The status is 200 even if the run fails.",
      body: invokeShape,
      example: requests.invocation,
      errors: ["not-found", "gone", "conflict"],
      replies: {
        200: { description: "The result of the run, even if it failed.", schema: outcomeShape, example: replies.invocation },
      },
      owned: ({ body }) => ({ kind: "session", id: body.sessionId }),
      handle: async ({ body }) => ok(await invokeRoute(parts, sessions.getOpen(body.sessionId), body)),
    }),
  ];
}

/** Sessions with the same flow must be on one node: if another node has a session with one of the flows, the new session is opened there. */
async function openInCluster(sessions: TestSessions, cluster: ClusterView, body: OpenBody): Promise<Reply> {
  const owner = await cluster.claimFlows(sessions.flowsOf(body));
  if (owner !== undefined) {
    const { status, text, headers } = await cluster.queries.callNode(owner, { method: "POST", path: "/_api/test/session", body });
    return { status, text, headers };
  }
  const session = sessions.open(body);
  const incomplete = await cluster.publishSessions();
  return { status: 201, json: { ...session.openReply(), node: cluster.queries.node, incomplete } };
}
