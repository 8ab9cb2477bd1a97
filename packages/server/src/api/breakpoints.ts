import { z } from "zod";
import { maxTtlMs, type BreakpointSessions } from "../breakpoints/breakpoint-sessions.ts";
import type { ClusterView } from "../other-nodes/cluster-view.ts";
import { ServiceError } from "../service-error.ts";
import { defineEndpoint, ok, shape, type Endpoint } from "./endpoint.ts";
import { requests } from "./examples.ts";
import { anyMap } from "./message-shapes.ts";

const sessionShape = shape(
  () => ({
    sessionId: z.string(),
    flowId: z.string(),
    state: z.enum(["armed", "held", "running", "ended"]).describe("`running`: the message continued and may be held again until its run ends."),
    reason: z.string().nullable().describe("Why the session ended."),
    expiresAt: z.string(),
    leaseMs: z.int().describe("The session ends, and a held message continues, when no call uses the session for this long."),
    breakpoints: z.array(z.looseObject({ routeId: z.string(), stepId: z.string(), when: z.string().nullable(), skip: z.int(), hits: z.int() })),
    runId: z.string().nullable(),
    held: z
      .looseObject({
        runId: z.string(),
        exchangeId: z.string(),
        routeId: z.string(),
        stepId: z.string().describe("The message is held before this step."),
        since: z.string(),
        until: z.string().describe("When it continues unchanged."),
        message: z.looseObject({ body: z.unknown(), bodyType: z.string(), truncated: z.boolean(), headers: anyMap() }),
      })
      .nullable(),
  }),
  "BreakpointSession",
);

const changeBody = () =>
  z.strictObject({ body: z.unknown().optional(), bodyBase64: z.string().optional(), headers: z.record(z.string(), z.unknown()).optional() }).optional();

/** Endpoints that hold one message of a live route, show it, change it and let it continue. */
export function breakpointEndpoints(sessions: BreakpointSessions, cluster: ClusterView | undefined): readonly Endpoint[] {
  const proceedEndpoint = (path: string, summary: string, description: string, toNextStep: boolean): Endpoint =>
    defineEndpoint({
      method: "POST",
      path: `/breakpoints/:id/${path}`,
      tag: "breakpoints",
      summary,
      description,
      whileDraining: true,
      body: changeBody(),
      example: { headers: { "X-Reviewed": "yes" } },
      errors: ["not-found", "conflict"],
      replies: { 200: { description: "The message continues.", schema: sessionShape } },
      handle({ params, body }) {
        const session = sessions.get(params["id"] as string);
        session.proceed(body ?? {}, toNextStep);
        return ok(session.toJson());
      },
    });
  return [
    defineEndpoint({
      method: "POST",
      path: "/breakpoints",
      tag: "breakpoints",
      summary: "Sets breakpoints",
      description:
        "The first message that reaches a breakpoint is held; all others pass. The session ends, and the message continues, if no call uses it for a few seconds.",
      body: z.strictObject({
        flowId: z.string().min(1),
        breakpoints: z
          .array(
            z.strictObject({
              routeId: z.string().min(1),
              stepId: z.string().min(1),
              when: z.string().min(1).max(4_096).optional(),
              skip: z.int().min(0).max(1_000_000).optional(),
            }),
          )
          .min(1)
          .max(20),
        ttlMs: z.int().min(1_000).max(maxTtlMs).optional(),
      }),
      example: requests.breakpoints,
      errors: ["forbidden", "cluster-unsupported", "not-found", "document-invalid", "too-many"],
      replies: { 201: { description: "Set.", schema: sessionShape } },
      handle({ body }) {
        if (cluster !== undefined) throw new ServiceError("cluster-unsupported", "breakpoints are not supported in a cluster yet");
        return { status: 201, json: sessions.open(body).toJson() };
      },
    }),
    defineEndpoint({
      method: "GET",
      path: "/breakpoints/:id",
      tag: "breakpoints",
      summary: "Returns the session and the held message",
      description: "Also renews the lease of the session.",
      errors: ["not-found"],
      replies: { 200: { description: "The session.", schema: sessionShape } },
      handle: ({ params }) => ok(sessions.get(params["id"] as string).toJson()),
    }),
    proceedEndpoint(
      "continue",
      "Lets the held message continue",
      "Without a body, the message is unchanged. `null` as the value of a header removes it.",
      false,
    ),
    proceedEndpoint(
      "step",
      "Lets the held message continue to its next step",
      "It is held again before that step. The body changes the message, as in `continue`.",
      true,
    ),
    defineEndpoint({
      method: "POST",
      path: "/breakpoints/:id/abort",
      tag: "breakpoints",
      summary: "Cancels the run of the held message",
      description: "The message is not processed further.",
      whileDraining: true,
      errors: ["not-found", "conflict"],
      replies: { 200: { description: "Cancelled.", schema: sessionShape } },
      handle({ params }) {
        const session = sessions.get(params["id"] as string);
        session.abort();
        return ok(session.toJson());
      },
    }),
    defineEndpoint({
      method: "DELETE",
      path: "/breakpoints/:id",
      tag: "breakpoints",
      summary: "Removes the breakpoints",
      description: "A held message continues unchanged.",
      whileDraining: true,
      errors: ["not-found"],
      replies: { 200: { description: "Removed.", schema: sessionShape } },
      handle({ params }) {
        const session = sessions.get(params["id"] as string);
        session.end("removed by the client");
        return ok(session.toJson());
      },
    }),
  ];
}
