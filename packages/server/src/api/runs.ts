import { f } from "@sluice/model";
import { z } from "zod";
import type { SecretValues } from "../masking/secret-values.ts";
import type { RunHistory } from "../runs/run-history.ts";
import { runJson } from "../runs/run-facts.ts";
import type { FoundRuns } from "../workers/messages.ts";
import type { ServiceView } from "../workers/service-view.ts";
import { defineEndpoint, ok, shape, type Endpoint } from "./endpoint.ts";
import { failureShape, messageMembers, runStatus, runStatuses } from "./message-shapes.ts";
import { Refusal } from "../refusal.ts";
import { readTime } from "./request-input.ts";

const highestLimit = 1_000;
const stepShape = shape(
  () => ({
    stepId: z.string(),
    kind: z.string(),
    startedAt: z.string(),
    durationMs: z.number(),
    status: z.enum(["running", "completed", "failed"]),
    attempts: z.int(),
  }),
  "RunStep",
);
const runMembers = (): Readonly<Record<string, z.ZodType>> => ({
  id: z.string(),
  routeId: z.string(),
  flowId: z.string(),
  flowHash: z.string(),
  status: runStatus(),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  durationMs: z.number().nullable(),
  trigger: z.looseObject({ uri: z.string(), method: z.string().optional(), path: z.string().optional() }),
  exchangeId: z.string(),
  correlationId: z.string().nullable(),
  parentRunId: z.string().nullable(),
  traceId: z.string().nullable(),
  redeliveries: z.int(),
  handled: z.boolean().describe("A handler of the flow dealt with the failure."),
  steps: z.array(stepShape()),
  error: failureShape().nullable(),
  request: z.looseObject({ contentType: z.string().nullable(), size: z.int().nullable(), preview: z.string() }),
  reply: z.looseObject({ status: z.int().nullable(), size: z.int().nullable() }).nullable(),
  sessionId: z.string().nullable(),
  replayOf: z.string().nullable(),
});
const runShape = shape(runMembers, "Run");
const detailShape = shape(
  () => ({
    ...runMembers(),
    replayable: z.boolean(),
    messages: z.array(capturedShape()).optional().describe("The message before each step, when the route was captured."),
    messagesTruncated: z.boolean().optional(),
  }),
  "RunDetail",
);
const capturedShape = shape(() => ({ stepId: z.string(), ...messageMembers() }), "CapturedMessage");

export function runEndpoints(
  history: RunHistory,
  secrets: SecretValues,
  replayFacts: (runId: string) => Readonly<Record<string, unknown>>,
  service: ServiceView | undefined,
): readonly Endpoint[] {
  return [
    defineEndpoint({
      method: "GET",
      path: "/runs",
      tag: "runs",
      summary: "The last runs, newest first",
      query: {
        routeId: f.string({ doc: "Only runs of this route." }),
        flowId: f.string({ doc: "Only runs of this flow." }),
        status: f.enum(runStatuses, { doc: "Only runs of this status." }),
        correlationId: f.string({ doc: "Only runs with this correlation id." }),
        sessionId: f.string({ doc: "Only runs of this test session." }),
        since: f.string({ doc: "Only runs started at this time or later (ISO 8601)." }),
        until: f.string({ doc: "Only runs started at this time or earlier (ISO 8601)." }),
        limit: f.integer({ doc: `How many at most; ${highestLimit} is the most there is.`, default: 50, min: 1 }),
      },
      replies: { 200: { description: "The runs.", schema: shape(() => ({ runs: z.array(runShape()), total: z.int() })) } },
      async handle({ query }) {
        const filter = {
          ...query,
          since: readTime("since", query.since),
          until: readTime("until", query.until),
          limit: Math.min(query.limit, highestLimit),
        };
        const { runs, total } = history.list(filter);
        const found = { runs: runs.map((run) => runJson(run, secrets)), total };
        return ok(service === undefined ? found : joinRuns([found, ...(await service.runs(filter))], filter.limit));
      },
    }),
    defineEndpoint({
      method: "GET",
      path: "/runs/:id",
      tag: "runs",
      summary: "One run with all its steps",
      replies: { 200: { description: "The run.", schema: detailShape } },
      async handle({ params }) {
        const run = history.find(params["id"] as string);
        const elsewhere = run === undefined ? await service?.run(params["id"] as string) : undefined;
        if (elsewhere !== undefined) return ok(elsewhere);
        if (run === undefined) throw new Refusal("not-found", `run '${(params["id"] as string).slice(0, 128)}' not found`);
        return ok({ ...runJson(run, secrets), ...replayFacts(run.id) });
      },
    }),
  ];
}

/** The runs of several workers as one list, newest first. */
function joinRuns(found: readonly FoundRuns[], limit: number): FoundRuns {
  const orderOf = (run: Readonly<Record<string, unknown>>): string => `${String(run["startedAt"])} ${String(run["id"])}`;
  const runs = found.flatMap((part) => part.runs).sort((one, other) => (orderOf(one) < orderOf(other) ? 1 : -1));
  return { runs: runs.slice(0, limit), total: found.reduce((sum, { total }) => sum + total, 0) };
}
