// Schemas of stream events.
import { z } from "zod";
import { shape } from "./endpoint.ts";
import { anyMap, failureShape } from "./message-shapes.ts";

const text = (): z.ZodType => z.string().nullable();

/** Events of flows and routes, and of runs that were lost with their worker, have no message. */
export const traceShape = shape(
  () => ({
    id: z.string(),
    node: z.string().optional().describe("The node of the event. Only in a cluster."),
    type: z.string().describe("For example `run.started`, `step.completed`, `route.failed`, `flow.deployed`."),
    at: z.string(),
    flowId: z.string(),
    routeId: z.string().optional(),
    hash: z.string().optional().describe("The hash of a deployed or removed flow."),
    runId: z.string().optional(),
    exchangeId: z.string().optional(),
    correlationId: text().optional(),
    traceId: text().optional(),
    spanId: text().optional(),
    parentSpanId: text().optional(),
    stepId: z.string().optional(),
    kind: z.string().optional(),
    label: z.string().optional(),
    uri: text().optional(),
    depth: z.int().optional(),
    seq: z.int().optional(),
    attempt: z.int().optional(),
    mocked: z.boolean().optional(),
    durationMs: z.number().nullable().optional(),
    error: failureShape().nullable().optional(),
    sessionId: text().optional(),
    message: z.looseObject({ body: text(), bodyType: z.string(), size: z.int().nullable(), truncated: z.boolean(), headers: anyMap() }).optional(),
  }),
  "TraceEvent",
);

export const logShape = shape(
  () => ({
    id: z.string(),
    at: z.string(),
    node: z.string().optional().describe("The node of the event. Only in a cluster."),
    level: z.string(),
    logger: z.string(),
    message: z.string(),
    flowId: text(),
    routeId: text(),
    stepId: text(),
    runId: text(),
    exchangeId: text(),
    traceId: text(),
    fields: anyMap(),
  }),
  "LogEvent",
);

export const gapShape = shape(() => ({ dropped: z.int(), reason: z.enum(["slow-client", "restart", "not-recorded"]) }), "StreamGap");
