import { f } from "@sluice/model";
import { z } from "zod";
import type { SecretValues } from "../masking/secret-values.ts";
import { findStoredRuns } from "../run-store/find-stored-runs.ts";
import type { DiskRuns } from "../run-store/open-run-store.ts";
import { messagesOf } from "../run-store/stored-run.ts";
import { findRuns, mergeRuns } from "../runs/find-runs.ts";
import type { RunFilter, RunHistory, RunPosition } from "../runs/run-history.ts";
import { runJson, runKinds, type RunKind } from "../runs/run-metadata.ts";
import type { MissingResponse, NodeQueries } from "../other-nodes/node-queries.ts";
import type { ServiceView } from "../other-workers/service-view.ts";
import type { FoundRuns } from "../other-workers/worker-metrics.ts";
import { defineEndpoint, ok, shape, type Endpoint } from "./endpoint.ts";
import { replies } from "./examples.ts";
import { failureShape, incompleteShape, messageMembers, runKind, runStatus, runStatuses } from "./message-shapes.ts";
import { ServiceError } from "../service-error.ts";
import { readTime } from "./request-input.ts";

const maxLimit = 1_000;
const firstPage = "newest";
const defaultKinds: readonly RunKind[] = ["live", "replay"];
const stepShape = shape(
  () => ({
    stepId: z.string(),
    kind: z.string(),
    startedAt: z.string(),
    durationMs: z.number(),
    status: z.enum(["running", "completed", "failed"]),
    attempts: z.int(),
    tries: z
      .array(z.looseObject({ startedAt: z.string(), durationMs: z.number() }))
      .optional()
      .describe("The attempts of a step that was redelivered, at most 20. The step waited between them."),
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
  kind: runKind(),
  node: z.string().optional().describe("The node of the run. Only in a cluster."),
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
  total: z.int().describe("Number of matches; with `text`, only the matches in this reply."),
  next: z.string().nullable().optional().describe("Cursor of the next page, or null. Only with `cursor` or `text`."),
  searchedBack: z.string().nullable().optional().describe("Start of the oldest run that was searched, or null if all were. Only with `cursor` or `text`."),
  incomplete: incompleteShape(),
  complete: z.boolean().optional().describe("True if there are no older matches. Only with `cursor` or `text`."),
}));

export interface RunParts {
  readonly history: RunHistory;
  readonly secrets: SecretValues;
  readonly service: ServiceView | undefined;
  /** Undefined when runs are stored in memory only. */
  readonly disk: DiskRuns | undefined;
  replayDetails(runId: string): Readonly<Record<string, unknown>>;
  /** The other nodes; undefined without a cluster. */
  readonly nodes: NodeQueries | undefined;
}

export function runEndpoints(parts: RunParts): readonly Endpoint[] {
  return [
    defineEndpoint({
      method: "GET",
      path: "/runs",
      tag: "runs",
      summary: "Lists recent runs, newest first",
      description: "All filters must match. The list contains running and past runs of this runtime; in a cluster, those of all nodes.",
      query: {
        routeId: f.string({ doc: "Only runs of this route." }),
        flowId: f.string({ doc: "Only runs of this flow." }),
        status: f.enum(runStatuses, { doc: "Only runs with this status." }),
        correlationId: f.string({ doc: "Only runs with this correlation id." }),
        sessionId: f.string({ doc: "Only runs of this test session." }),
        kind: f.list(f.enum(runKinds, { doc: "A kind of run.", required: true }), {
          doc: "Only runs of these kinds, comma-separated. By default `live,replay`; with `correlationId` or `sessionId`, all kinds.",
        }),
        since: f.string({ doc: "Only runs started at or after this time (ISO 8601)." }),
        until: f.string({ doc: "Only runs started at or before this time (ISO 8601)." }),
        text: f.string({
          doc: "Only runs that contain all these words in the id, flow, route, trigger, correlation id, error or start of the request, after masking.",
        }),
        limit: f.integer({ doc: `Maximum number of entries, at most ${maxLimit}.`, default: 50, min: 1 }),
        cursor: f.string({ doc: `Returns the runs in pages: '${firstPage}' for the first page, then the value of \`next\` in the previous response.` }),
      },
      errors: [],
      replies: { 200: { description: "The runs.", schema: runPageShape, example: replies.runs } },
      async handle({ query }) {
        const { cursor, kind, ...filters } = query;
        const isChain = query.correlationId !== undefined || query.sessionId !== undefined;
        const filter: RunFilter = {
          ...filters,
          kinds: kind ?? (isChain ? undefined : defaultKinds),
          after: readCursor(cursor),
          since: readTime("since", query.since),
          until: readTime("until", query.until),
          limit: Math.min(query.limit, maxLimit),
        };
        const { stopped, ...found } = parts.nodes === undefined ? await allRuns(parts, filter) : await clusterRuns(parts, parts.nodes, filter);
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
      description: "Includes the messages before each step if the route was being captured.",
      errors: ["not-found"],
      replies: { 200: { description: "The run.", schema: detailShape } },
      owned: ({ params }) => ({ kind: "run", id: params["id"] as string }),
      async handle({ params }) {
        const id = params["id"] as string;
        const run = (await runInMemory(parts, id)) ?? (await storedRun(parts, id));
        if (run === undefined) throw new ServiceError("not-found", `run '${id.slice(0, 128)}' not found`);
        return ok(parts.nodes === undefined ? run : { ...run, node: parts.nodes.node });
      },
    }),
  ];
}

/** Runs of this and the other nodes, each with the name of its node. */
async function clusterRuns(parts: RunParts, nodes: NodeQueries, filter: RunFilter): Promise<FoundRuns & { readonly incomplete: readonly MissingResponse[] }> {
  const [here, { found, incomplete }] = await Promise.all([ownRuns(parts, filter), nodes.runs(filter)]);
  return { ...mergeRuns([here, ...found], filter.limit), incomplete };
}

/** The runs of this node, each with the name of the node. */
export async function ownRuns(parts: RunParts, filter: RunFilter): Promise<FoundRuns> {
  const found = await allRuns(parts, filter);
  return { ...found, runs: found.runs.map((run) => ({ ...run, node: parts.nodes?.node })) };
}

export const hasRun = async ({ history, disk }: RunParts, id: string): Promise<boolean> =>
  history.find(id) !== undefined || (await disk?.store.find(id)) !== undefined;

/** Searches memory before the disk, so that a run that is stored in the meantime is found twice instead of being missed. */
async function allRuns({ history, secrets, service, disk }: RunParts, filter: RunFilter): Promise<FoundRuns> {
  const memoryFilter = service === undefined ? filter : { ...filter, oldest: await service.oldestRuns(filter) };
  await disk?.writer.flush();
  const here = await findRuns(history, memoryFilter, secrets);
  if (service === undefined && disk === undefined) return here;
  const elsewhere = (await service?.runs(memoryFilter)) ?? [];
  const stored = disk === undefined ? [] : [await findStoredRuns(disk.store, filter, secrets)];
  return mergeRuns([here, ...elsewhere, ...stored], filter.limit);
}

/** A run in the memory of this or another worker. Its captured messages may be only on disk, where they are stored longer. */
async function runInMemory({ history, secrets, service, disk, replayDetails }: RunParts, id: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const run = history.find(id);
  if (run === undefined) return service?.run(id);
  const replay = replayDetails(id);
  const stored = disk === undefined || "messages" in replay ? undefined : await disk.store.find(id);
  return { ...runJson(run, secrets), ...replay, ...(typeof stored?.messages === "string" ? messagesOf(stored.messages, secrets) : {}) };
}

/** A run on disk. Its input message is not stored, so it can only be replayed with another message. */
async function storedRun({ secrets, disk }: RunParts, id: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const stored = await disk?.store.find(id);
  if (stored === undefined) return undefined;
  const { metadata, messages } = stored;
  return { ...runJson(metadata, secrets), replayable: false, ...(messages === null ? {} : messagesOf(messages, secrets)) };
}

function readCursor(cursor: string | undefined): RunPosition | undefined {
  if (cursor === undefined || cursor === firstPage) return undefined;
  const [, startedAt, id] = /^(\d{1,16})-(run_\w{1,64})$/.exec(cursor) ?? [];
  if (startedAt === undefined || id === undefined)
    throw new ServiceError("query-invalid", `cursor must be '${firstPage}' or the value of 'next' in the previous response`);
  return { startedAt: Number(startedAt), id };
}
