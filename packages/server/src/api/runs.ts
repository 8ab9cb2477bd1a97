import { f } from "@sluice/model";
import { z } from "zod";
import type { SecretValues } from "../masking/secret-values.ts";
import { findRuns, mergeRuns } from "../runs/find-runs.ts";
import type { RunHistory, RunPosition } from "../runs/run-history.ts";
import { runJson } from "../runs/run-facts.ts";
import type { ServiceView } from "../other-workers/service-view.ts";
import { defineEndpoint, ok, shape, type Endpoint } from "./endpoint.ts";
import { failureShape, messageMembers, runStatus, runStatuses } from "./message-shapes.ts";
import { Refusal } from "../refusal.ts";
import { readTime } from "./request-input.ts";

const maxLimit = 1_000;
const firstPage = "newest";
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
  correlationId: z.string(),
  parentRunId: z.string().nullable(),
  traceId: z.string().nullable(),
  redeliveries: z.int(),
  handled: z.boolean().describe("An error handler of the flow handled the failure."),
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
    messages: z.array(capturedShape()).optional().describe("The message before each step, if the route was being captured."),
    messagesTruncated: z.boolean().optional(),
  }),
  "RunDetail",
);
const capturedShape = shape(() => ({ stepId: z.string(), ...messageMembers() }), "CapturedMessage");

const runPageShape = shape(() => ({
  runs: z.array(runShape()),
  total: z.int().describe("Number of matches; with `text`, of those in this reply."),
  next: z.string().nullable().optional().describe("Cursor of the next page, or null. Only with `cursor` or `text`."),
  searchedBack: z.string().nullable().optional().describe("Start of the oldest run that was searched, or null if all were. Only with `cursor` or `text`."),
  complete: z.boolean().optional().describe("True if there are no older matches. Only with `cursor` or `text`."),
}));

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
      summary: "Lists recent runs, newest first",
      query: {
        routeId: f.string({ doc: "Only runs of this route." }),
        flowId: f.string({ doc: "Only runs of this flow." }),
        status: f.enum(runStatuses, { doc: "Only runs of this status." }),
        correlationId: f.string({ doc: "Only runs with this correlation id." }),
        sessionId: f.string({ doc: "Only runs of this test session." }),
        since: f.string({ doc: "Only runs started at or after this time (ISO 8601)." }),
        until: f.string({ doc: "Only runs started at or before this time (ISO 8601)." }),
        text: f.string({
          doc: "Only runs that contain all these words in the id, flow, route, trigger, correlation id, error or start of the request, after masking.",
        }),
        limit: f.integer({ doc: `Maximum number of entries, at most ${maxLimit}.`, default: 50, min: 1 }),
        cursor: f.string({ doc: `Returns the runs in pages: '${firstPage}' for the first one, then the value of \`next\` in the previous reply.` }),
      },
      replies: { 200: { description: "The runs.", schema: runPageShape } },
      async handle({ query }) {
        const { cursor, ...filters } = query;
        const asked = {
          ...filters,
          after: readCursor(cursor),
          since: readTime("since", query.since),
          until: readTime("until", query.until),
          limit: Math.min(query.limit, maxLimit),
        };
        const filter = service === undefined ? asked : { ...asked, oldest: await service.oldestRuns(asked) };
        const here = await findRuns(history, filter, secrets);
        const { stopped, ...found } = service === undefined ? here : mergeRuns([here, ...(await service.runs(filter))], filter.limit);
        if (cursor === undefined && query.text === undefined) return ok(found);
        return ok({
          ...found,
          next: stopped === undefined ? null : `${stopped.startedAt}-${stopped.id}`,
          searchedBack: stopped === undefined ? null : new Date(stopped.startedAt).toISOString(),
          complete: stopped === undefined,
        });
      },
    }),
    defineEndpoint({
      method: "GET",
      path: "/runs/:id",
      tag: "runs",
      summary: "Returns a run with all its steps",
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

function readCursor(cursor: string | undefined): RunPosition | undefined {
  if (cursor === undefined || cursor === firstPage) return undefined;
  const [, startedAt, id] = /^(\d{1,16})-(run_\w{1,64})$/.exec(cursor) ?? [];
  if (startedAt === undefined || id === undefined)
    throw new Refusal("query-invalid", `cursor must be '${firstPage}' or the value of 'next' in the previous reply`);
  return { startedAt: Number(startedAt), id };
}
