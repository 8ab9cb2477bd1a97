import { z } from "zod";
import { invokeRoute, type InvokeParts } from "../sessions/invoke-route.ts";
import { invokeShape, openShape } from "../sessions/session-body.ts";
import type { TestSessions } from "../sessions/test-sessions.ts";
import { defineEndpoint, ok, shape, type Endpoint } from "./endpoint.ts";

const closeShape = shape({
  recordedCalls: z.array(shape({ seq: z.int(), mockId: z.string() })),
  sessionId: z.string(),
  expired: z.boolean(),
  stale: z.array(z.string()),
  truncated: z.boolean(),
});

export function testEndpoints(sessions: TestSessions, parts: InvokeParts): readonly Endpoint[] {
  return [
    defineEndpoint({
      method: "POST",
      path: "/test/session",
      tag: "test",
      summary: "Opens a test session and arms its mocks",
      body: openShape,
      replies: { 201: { description: "Open.", schema: shape({ sessionId: z.string(), ttlMs: z.int(), expiresAt: z.string() }) } },
      handle: ({ body }) => ({ status: 201, json: sessions.open(body).openReply() }),
    }),
    defineEndpoint({
      method: "GET",
      path: "/test/session/:id",
      tag: "test",
      summary: "What the mocks saw so far; the session stays open",
      replies: { 200: { description: "The calls.", schema: closeShape } },
      handle: ({ params }) => ok(sessions.get(params["id"] as string).closeReply()),
    }),
    defineEndpoint({
      method: "DELETE",
      path: "/test/session/:id",
      tag: "test",
      summary: "Closes a test session and returns what its mocks saw",
      whileDraining: true,
      replies: { 200: { description: "The calls.", schema: closeShape } },
      handle: ({ params }) => ok(sessions.close(params["id"] as string).closeReply()),
    }),
    defineEndpoint({
      method: "POST",
      path: "/test/invoke",
      tag: "test",
      summary: "Fires a direct endpoint, or any route past its trigger, inside an open session",
      body: invokeShape,
      replies: {
        200: { description: "How the run ended, also when it failed.", schema: shape({ runId: z.string(), status: z.string(), durationMs: z.number() }) },
      },
      handle: async ({ body }) => ok(await invokeRoute(parts, sessions.getOpen(body.sessionId), body)),
    }),
  ];
}
