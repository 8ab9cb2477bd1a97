// Schemas used by several replies: failures, messages and statuses.
import { z } from "zod";
import { runKinds } from "../runs/run-metadata.ts";
import { named, shape } from "./endpoint.ts";

export const runStatuses = ["running", "completed", "failed", "retrying", "discarded", "cancelled"] as const;

export const runStatus = named("RunStatus", () => z.enum(runStatuses));

export const runKind = named("RunKind", () =>
  z.enum(runKinds).describe("`test`: in a test session. `replay`: of a run or a dead letter, with the runs that it starts. `live`: all others."),
);

export const routeStatus = named("RouteStatus", () => z.enum(["Starting", "Started", "Suspended", "Stopping", "Stopped", "Failed"]));

/** `stepId` is absent when a run continues after the timeout of its call. */
export const failureShape = shape(() => ({ type: z.string(), message: z.string(), stepId: z.string().nullable().optional() }), "Failure");

export const anyMap = (): z.ZodType => z.record(z.string(), z.unknown());

/** A stored message with masked secrets. */
export const messageMembers = (): Readonly<Record<string, z.ZodType>> => ({
  body: z.unknown(),
  bodyType: z.string(),
  size: z.int(),
  headers: anyMap(),
  properties: anyMap(),
});

export const messageShape = shape(messageMembers, "MessageContent");

/** Nodes of a cluster whose data is missing from a reply. */
export const incompleteShape = (): z.ZodType =>
  z
    .array(z.looseObject({ node: z.string(), reason: z.string() }))
    .optional()
    .describe("Nodes that did not respond; the response does not include their data. Only in a cluster.");
