// The version history of flows, and deploying a past version again.
import { f } from "@sluice/model";
import { z } from "zod";
import type { FlowViews } from "../flows/flow-views.ts";
import { rollBack } from "../flows/roll-back.ts";
import { historyOf, versionJson, versionOf } from "../flows/version-views.ts";
import { defineEndpoint, ok, oneOf, shape, type Endpoint } from "./endpoint.ts";
import { changeErrors } from "./error-responses.ts";
import { dryRunJson, dryRunShape, flowId, installJson, putShape, wantsYaml, yamlReply } from "./flows.ts";
import { anyMap } from "./message-shapes.ts";
import { ServiceError } from "../service-error.ts";
import { versionMetadata, versionQuery } from "./version-metadata.ts";

const versionMembers = (): Readonly<Record<string, z.ZodType>> => ({
  revision: z.int().describe("Counts the versions of this flow from 1; in a cluster, the changes of the whole cluster."),
  hash: z.string(),
  at: z.string(),
  by: z.string().nullable().describe("The author that the caller sent, otherwise the fingerprint of its token; null for a file changed outside the API."),
  comment: z.string().nullable(),
  size: z.int().describe("Size of the text in bytes."),
  running: z.boolean(),
  restoredFrom: z.int().nullable().describe("The revision that a rollback deployed again."),
  params: anyMap().describe("Secrets are returned as `***`; their values are not part of the history."),
});
const versionShape = shape(versionMembers, "FlowVersion");
const versionTextShape = shape(() => ({ ...versionMembers(), yaml: z.string(), tests: z.string().nullable() }), "FlowVersionText");

export function flowVersionEndpoints(views: FlowViews): readonly Endpoint[] {
  const { parts } = views;
  return [
    defineEndpoint({
      method: "GET",
      path: "/flows/:id/versions",
      tag: "flows",
      summary: "Lists the stored versions of a flow",
      description: "Newest first, with author, comment and hash.",
      errors: ["id-invalid", "not-found"],
      replies: { 200: { description: "The versions, newest first.", schema: shape(() => ({ versions: z.array(versionShape()), total: z.int() })) } },
      async handle({ params }) {
        const history = await historyOf(parts, flowId(params));
        return ok({ versions: history.versions.map((version) => versionJson(version, history)), total: history.versions.length });
      },
    }),
    defineEndpoint({
      method: "GET",
      path: "/flows/:id/versions/:revision",
      tag: "flows",
      summary: "Returns a version of a flow with its YAML",
      description: "With `Accept: application/yaml`, only the YAML.",
      tagged: true,
      errors: ["id-invalid", "not-found"],
      replies: { 200: { description: "The version.", schema: versionTextShape, alsoAs: ["application/yaml"] } },
      async handle({ params, headers }) {
        const id = flowId(params);
        const history = await historyOf(parts, id);
        const version = versionOf(id, history, revisionOf(params));
        const yaml = Buffer.from(version.bytes).toString("utf8");
        const etag = { ETag: `"${version.hash}"` };
        return wantsYaml(headers) ? yamlReply(yaml, etag) : ok({ ...versionJson(version, history), yaml, tests: version.tests ?? null }, etag);
      },
    }),
    defineEndpoint({
      method: "POST",
      path: "/flows/:id/rollback",
      tag: "flows",
      summary: "Deploys a stored version again",
      description:
        "The stored version is deployed with its parameters and tests, with the same checks as a new one, and becomes the newest entry of the history.",
      query: {
        dryRun: f.boolean({ doc: "Report the changes without applying them.", default: false }),
        tests: f.enum(["required"], { doc: "Deploy only if the tests of that version pass; they run isolated from live traffic." }),
        ...versionQuery,
      },
      body: z.object({ revision: z.int().min(1) }),
      conditional: "roll it back",
      tagged: true,
      example: { revision: 1 },
      errors: ["id-invalid", "not-found", "yaml-invalid", "flow-invalid", "flow-start-failed", "tests-failed", "conflict", ...changeErrors],
      replies: { 200: { description: "Replaced or unchanged; with dryRun the expected changes.", schema: oneOf(putShape, dryRunShape) } },
      async handle({ params, query, body, precondition }) {
        const { dryRun } = query;
        const outcome = await rollBack(parts, {
          id: flowId(params),
          revision: body.revision,
          precondition,
          dryRun,
          testsRequired: query.tests === "required",
          metadata: versionMetadata(query, views.fingerprint),
        });
        return ok(dryRun ? dryRunJson(views, outcome) : installJson(views, outcome), { ETag: `"${outcome.flow.hash}"` });
      },
    }),
  ];
}

function revisionOf({ revision = "" }: Readonly<Record<string, string>>): number {
  if (!/^[1-9]\d{0,14}$/.test(revision)) throw new ServiceError("id-invalid", "revision must be an integer of 1 or more");
  return Number(revision);
}
