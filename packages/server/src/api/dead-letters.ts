import { f } from "@sluice/model";
import { z } from "zod";
import type { DeadLetterSource, DeadLetterStore } from "../dead-letters/dead-letter-store.ts";
import { deadLetterJson, summaryJson } from "../dead-letters/dead-letter-view.ts";
import type { DeadLetterReplays, ReplayJob } from "../dead-letters/replay-dead-letters.ts";
import type { SecretValues } from "../masking/secret-values.ts";
import { shownFailure } from "../masking/shown-failure.ts";
import { ServiceError } from "../service-error.ts";
import type { DeadLetterFilter } from "../store/dead-letter-table.ts";
import { defineEndpoint, ok, shape, type Endpoint } from "./endpoint.ts";
import { failureShape, messageShape, runStatus } from "./message-shapes.ts";
import { readTime } from "./request-input.ts";

export interface DeadLetterParts {
  readonly store: DeadLetterSource;
  readonly replays: DeadLetterReplays;
}

const maxLimit = 1_000;
const maxReplayed = 10_000;
/** If a bulk replay takes longer, the reply is 202 and the replay continues in the background. */
const waitMs = 2_000;

const deadLetterMembers = (): Readonly<Record<string, z.ZodType>> => ({
  id: z.string(),
  at: z.string(),
  routeId: z.string(),
  flowId: z.string(),
  flowHash: z.string(),
  runId: z.string().nullable(),
  source: z.string(),
  attempts: z.int(),
  replayedAt: z.string().nullable(),
  error: z.looseObject({ type: z.string(), message: z.string(), stepId: z.string().nullable(), routeId: z.string().nullable() }),
  size: z.int(),
  node: z.string().optional().describe("The node that stored it. Only in a cluster."),
});
const deadLetterShape = shape(deadLetterMembers, "DeadLetter");
const deadLetterDetailShape = shape(() => ({ ...deadLetterMembers(), message: messageShape(), input: messageShape().nullable() }), "DeadLetterDetail");
const deadLetterReplayShape = shape(
  () => ({ id: z.string(), runId: z.string(), status: runStatus(), replayed: z.boolean(), error: failureShape().nullable() }),
  "DeadLetterReplay",
);
const jobShape = shape(
  () => ({
    id: z.string().nullable().describe("null when no dead letter matched."),
    startedAt: z.string().optional(),
    status: z.enum(["running", "completed", "cancelled"]),
    total: z.int(),
    replayed: z.int(),
    failed: z.int(),
    skipped: z.int(),
  }),
  "ReplayJob",
);

const filterFields = {
  routeId: f.string({ doc: "Only dead letters of this route." }),
  flowId: f.string({ doc: "Only dead letters of this flow." }),
  since: f.string({ doc: "Only dead letters stored at or after this time (ISO 8601)." }),
  until: f.string({ doc: "Only dead letters stored at or before this time (ISO 8601)." }),
  text: f.string({ doc: "Only dead letters with this text in the body, headers or error; case-insensitive." }),
};

type FilterQuery = { readonly [K in keyof typeof filterFields]?: string | undefined };

export function deadLetterEndpoints({ store, replays }: DeadLetterParts, secrets: SecretValues): readonly Endpoint[] {
  const requireStore = async (id: string): Promise<DeadLetterStore> => {
    const deadLetters = await store.openExisting();
    if (deadLetters === undefined) throw new ServiceError("not-found", `dead letter '${id.slice(0, 128)}' not found`);
    return deadLetters;
  };
  return [...readEndpoints(store, secrets, requireStore), ...replayEndpoints(store, replays, secrets, requireStore), ...removeEndpoints(store, requireStore)];
}

/** Opens the store; throws `not-found` for the dead letter with this id if nothing has been stored yet. */
type RequireStore = (id: string) => Promise<DeadLetterStore>;

function readEndpoints(store: DeadLetterSource, secrets: SecretValues, requireStore: RequireStore): readonly Endpoint[] {
  return [
    defineEndpoint({
      method: "GET",
      path: "/dead-letters",
      tag: "dead letters",
      summary: "Lists messages that could not be processed",
      description: "Newest first. All filters must match.",
      query: { ...filterFields, limit: f.integer({ doc: `Maximum number of entries, at most ${maxLimit}.`, default: 50, min: 1 }) },
      errors: [],
      replies: { 200: { description: "The dead letters.", schema: shape(() => ({ deadLetters: z.array(deadLetterShape()), total: z.int() })) } },
      async handle({ query }) {
        const filter = filterOf(query);
        const deadLetters = await store.openExisting();
        const { letters, total } = deadLetters?.list(filter, Math.min(query.limit, maxLimit)) ?? { letters: [], total: 0 };
        return ok({ deadLetters: letters.map((letter) => summaryJson(letter, secrets)), total });
      },
    }),
    defineEndpoint({
      method: "GET",
      path: "/dead-letters/:id",
      tag: "dead letters",
      summary: "Returns a dead letter with its message",
      description: "With the message as it failed and as it entered the route. Secrets are masked.",
      errors: ["not-found"],
      replies: { 200: { description: "The dead letter.", schema: deadLetterDetailShape } },
      async handle({ params }) {
        const id = params["id"] as string;
        const letter = await (await requireStore(id)).find(id);
        if (letter === undefined) throw new ServiceError("not-found", `dead letter '${id.slice(0, 128)}' not found`);
        return ok(deadLetterJson(letter, secrets));
      },
    }),
  ];
}

function replayEndpoints(store: DeadLetterSource, replays: DeadLetterReplays, secrets: SecretValues, requireStore: RequireStore): readonly Endpoint[] {
  return [
    defineEndpoint({
      method: "POST",
      path: "/dead-letters/:id/replay",
      tag: "dead letters",
      summary: "Replays a dead letter into its route",
      description: "The message enters its route again. If the run succeeds, the dead letter is removed; if it fails, it stays with the new error.",
      errors: ["not-found", "conflict", "storage-full", "storage-refused", "cluster-unreachable", "cluster-uncertain"],
      replies: {
        200: {
          description: "The result of the run, even if it failed.",
          schema: deadLetterReplayShape,
        },
      },
      async handle({ params }) {
        const id = params["id"] as string;
        const outcome = await replays.replay(await requireStore(id), id);
        return ok({ ...outcome, error: shownFailure(outcome.error, secrets) });
      },
    }),
    defineEndpoint({
      method: "POST",
      path: "/dead-letters/replay",
      tag: "dead letters",
      summary: "Replays the matching dead letters into their routes",
      description:
        "Oldest first. If it takes longer than two seconds, the reply is 202 and the replay continues; its progress is at `/_api/dead-letters/replays/{id}`.",
      body: z.strictObject({
        routeId: z.string().optional(),
        flowId: z.string().optional(),
        since: z.string().optional(),
        until: z.string().optional(),
        text: z.string().optional(),
        limit: z.int().min(1).max(maxReplayed).optional(),
      }),
      example: { routeId: "order-intake", limit: 100 },
      errors: ["too-many", "storage-full", "storage-refused", "cluster-unreachable", "cluster-uncertain"],
      replies: {
        200: { description: "Completed or cancelled.", schema: jobShape },
        202: { description: "Still running; query it by its id.", schema: jobShape },
      },
      async handle({ body }) {
        if (body.routeId === undefined && body.flowId === undefined) throw new ServiceError("body-invalid", "routeId or flowId is required");
        const filter = filterOf(body);
        const deadLetters = await store.openExisting();
        if (deadLetters === undefined) return ok({ id: null, status: "completed", total: 0, replayed: 0, failed: 0, skipped: 0 });
        const { job, done } = replays.replayAll(deadLetters, filter, body.limit ?? maxLimit);
        await waitBriefly(done);
        return { status: job.status === "running" ? 202 : 200, json: jobJson(job) };
      },
    }),
    defineEndpoint({
      method: "GET",
      path: "/dead-letters/replays/:id",
      tag: "dead letters",
      owned: ({ params }) => ({ kind: "dead-letter-replay", id: params["id"] as string }),
      summary: "Returns the progress of a bulk replay",
      description: "The counts so far, and whether it is finished.",
      errors: ["not-found"],
      replies: { 200: { description: "The counts so far.", schema: jobShape } },
      handle: ({ params }) => ok(jobJson(requireJob(replays.job(params["id"] as string), params["id"] as string))),
    }),
    defineEndpoint({
      method: "DELETE",
      path: "/dead-letters/replays/:id",
      tag: "dead letters",
      owned: ({ params }) => ({ kind: "dead-letter-replay", id: params["id"] as string }),
      summary: "Cancels a bulk replay",
      description: "Dead letters that are being replayed are finished.",
      errors: ["not-found"],
      replies: { 200: { description: "The counts so far.", schema: jobShape } },
      async handle({ params }) {
        const { job, done } = requireJob(replays.cancel(params["id"] as string), params["id"] as string);
        await waitBriefly(done);
        return ok(jobJson(job));
      },
    }),
  ];
}

function removeEndpoints(store: DeadLetterSource, requireStore: RequireStore): readonly Endpoint[] {
  return [
    defineEndpoint({
      method: "DELETE",
      path: "/dead-letters/:id",
      tag: "dead letters",
      summary: "Deletes a dead letter",
      description: "The message cannot be restored.",
      errors: ["not-found", "storage-full", "storage-refused", "cluster-unreachable", "cluster-uncertain"],
      replies: { 200: { description: "Removed.", schema: shape(() => ({ id: z.string(), deleted: z.boolean() })) } },
      async handle({ params }) {
        const id = params["id"] as string;
        if (!(await (await requireStore(id)).remove(id))) throw new ServiceError("not-found", `dead letter '${id.slice(0, 128)}' not found`);
        return ok({ id, deleted: true });
      },
    }),
    defineEndpoint({
      method: "DELETE",
      path: "/dead-letters",
      tag: "dead letters",
      summary: "Deletes all matching dead letters",
      description: "At least one filter is required. The messages cannot be restored.",
      query: filterFields,
      errors: ["storage-full", "storage-refused", "cluster-unreachable", "cluster-uncertain"],
      replies: { 200: { description: "The number of deleted dead letters.", schema: shape(() => ({ deleted: z.int() })) } },
      async handle({ query }) {
        const filter = filterOf(query);
        if (Object.values(filter).every((value) => value === undefined))
          throw new ServiceError("query-invalid", "routeId, flowId, since, until or text is required");
        return ok({ deleted: (await (await store.openExisting())?.removeAll(filter)) ?? 0 });
      },
    }),
  ];
}

function filterOf({ routeId, flowId, since, until, text }: FilterQuery): DeadLetterFilter {
  // Empty text matches every dead letter, so a request could delete all of them by mistake.
  if (text === "") throw new ServiceError("query-invalid", "text must not be empty");
  return { routeId, flowId, text, since: readTime("since", since), until: readTime("until", until) };
}

function requireJob<T>(job: T | undefined, id: string): T {
  if (job === undefined) throw new ServiceError("not-found", `replay '${id.slice(0, 128)}' not found`);
  return job;
}

function waitBriefly(done: Promise<void>): Promise<unknown> {
  return Promise.race([done, new Promise((resolve) => setTimeout(resolve, waitMs).unref())]);
}

function jobJson(job: ReplayJob): Readonly<Record<string, unknown>> {
  return { ...job, startedAt: new Date(job.startedAt).toISOString() };
}
