// Flows: install, replace, list, read, remove, validate.
import { f } from "@sluice/model";
import { z } from "zod";
import { listFlows, readFlow, routesJson, type FlowViews } from "../flows/flow-views.ts";
import { hashOf } from "../flows/flow-hash.ts";
import { isFlowId } from "../flows/flow-id.ts";
import { readParams } from "../flows/flow-params.ts";
import { listProblems } from "../flows/flow-problems.ts";
import { missingConsumers } from "../flows/missing-consumers.ts";
import { missingMappings } from "../flows/missing-mappings.ts";
import { installFlow, type InstallOutcome } from "../flows/install-flow.ts";
import { prepareFlow } from "../flows/installed-flows.ts";
import { removeFlow } from "../flows/remove-flow.ts";
import { defineEndpoint, ok, oneOf, shape, type Call, type Endpoint, type Reply } from "./endpoint.ts";
import { replies, requests } from "./examples.ts";
import { changeErrors } from "./error-responses.ts";
import { kameletTextsByName, kameletTexts } from "./kamelet-texts.ts";
import { anyMap, routeStatus } from "./message-shapes.ts";
import { changeShape } from "./nodes.ts";
import type { ServiceView } from "../other-workers/service-view.ts";
import { invalidId, ServiceError } from "../service-error.ts";
import { versionMetadata, versionQuery } from "./version-metadata.ts";

export const yamlTypes = ["application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"] as const;
const routeShape = shape(() => ({ id: z.string(), from: z.string(), status: routeStatus(), url: z.string().optional() }), "DeployedRoute");
const flowMembers = (): Readonly<Record<string, z.ZodType>> => ({
  id: z.string(),
  file: z.string(),
  lastModified: z.string(),
  hash: z.string(),
  routeCount: z.int(),
  status: routeStatus(),
  paramNames: z.array(z.string()),
  hasPolicy: z.boolean(),
  error: z.string().nullable(),
});
const summaryShape = shape(
  () => ({
    ...flowMembers(),
    routes: z.array(z.looseObject({ id: z.string(), status: routeStatus() })),
    deployedHash: z.string().optional().describe("The hash of the deployed version, if it differs from the file."),
  }),
  "FlowSummary",
);
const flowShape = shape(
  () => ({
    ...flowMembers(),
    yaml: z.string(),
    deployedHash: z.string().nullable(),
    routes: z.array(routeShape()),
    params: anyMap().describe("Secrets are returned as `***`."),
    tests: z.string().nullable(),
    warnings: z.array(z.string()),
  }),
  "Flow",
);
const outcomeMembers = (): Readonly<Record<string, z.ZodType>> => ({
  id: z.string(),
  created: z.boolean(),
  changed: z.boolean(),
  hash: z.string(),
  routeCount: z.int(),
  warnings: z.array(z.string()),
  testsPassed: z.int().optional(),
  cluster: changeShape().optional().describe("Only in a cluster: how many nodes have applied the change, and which nodes are behind."),
  revision: z.int().optional().describe("The new entry in the version history; absent when nothing was stored."),
});
export const putShape = shape(() => ({ ...outcomeMembers(), lastModified: z.string(), routes: z.array(routeShape()) }), "InstalledFlow");
const optionShape = shape(
  () => ({
    name: z.string().describe("The path of the option, such as `when[0].simple`; empty for a step whose value is plain text."),
    before: z.string().nullable().describe("As written; null when it was not set. Secrets are masked."),
    after: z.string().nullable(),
  }),
  "OptionChange",
);
const changeKind = () => z.enum(["added", "changed", "removed"]);
const differenceShape = shape(
  () => ({
    routes: z.array(z.looseObject({ change: changeKind(), id: z.string(), options: z.array(optionShape()) })),
    steps: z
      .array(
        z.looseObject({
          change: z.enum(["added", "changed", "moved", "removed"]),
          routeId: z.string(),
          id: z.string(),
          name: z.string().describe("The kind of the step, such as `setBody`."),
          options: z.array(optionShape()),
        }),
      )
      .describe("Steps of routes that both versions have; those of added and removed routes are not listed."),
    elements: z
      .array(z.looseObject({ change: changeKind(), name: z.string(), options: z.array(optionShape()) }))
      .describe("Elements other than routes, such as `onException` or `beans`."),
    webhooks: z.looseObject({
      kept: z.boolean().describe("False if a request that succeeds now may be rejected after the change."),
      added: z.array(z.string()).describe("For example `POST /api/orders`; `*` means all methods."),
      removed: z.array(z.string()),
      stricter: z
        .array(
          z.looseObject({
            operation: z.string(),
            required: z.array(z.string()).describe("Parameters that become required; `body` means the request body."),
            restricted: z.array(z.string()).describe("Parameters with fewer allowed values than before."),
            contentTypes: z.array(z.string()).describe("Content types that are no longer accepted; `*` if every content type was accepted before."),
          }),
        )
        .describe("Operations that reject more requests than before."),
    }),
    tests: z
      .array(z.looseObject({ name: z.string(), line: z.int(), routes: z.array(z.string()), missingSteps: z.array(z.string()) }))
      .nullable()
      .describe("Tests of the flow that run a changed route or refer to a removed step; null when the tests cannot be read."),
  }),
  "FlowDifference",
);
export const dryRunShape = shape(
  () => ({
    ...outcomeMembers(),
    dryRun: z.literal(true),
    previousHash: z.string().nullable(),
    routes: z.looseObject({ added: z.array(z.string()), removed: z.array(z.string()), kept: z.array(z.string()) }),
    difference: differenceShape().optional().describe("The changes by route and step, compared as written; absent when the installed text cannot be read."),
  }),
  "FlowDryRun",
);
export const problemShape = shape(
  () => ({
    severity: z.enum(["error", "warning"]),
    line: z.int(),
    column: z.int(),
    routeId: z.string().nullable(),
    stepId: z.string().nullable(),
    code: z.string(),
    message: z.string(),
  }),
  "Problem",
);
// `params` is not typed here, because flow-params validates it with the documented error messages.
const bodyShape = z.object({
  yaml: z.string().describe("The flow."),
  params: z
    .unknown()
    .optional()
    .describe(
      "Values for the placeholders of the flow, by name; `{env: NAME}` and `{value: …, secret: true}` are also values. Without it, the stored values are kept.",
    ),
});
const installShape = bodyShape.extend({
  tests: z.string().nullable().optional().describe("The content of the flow's test file; null deletes it."),
  kamelets: kameletTexts,
});

export function flowEndpoints(views: FlowViews, service: ServiceView | undefined): readonly Endpoint[] {
  const { parts } = views;
  return [
    defineEndpoint({
      method: "GET",
      path: "/flows",
      tag: "flows",
      summary: "Lists the flows",
      description: "With the status of their routes and the hash of the file. A flow that cannot be loaded is listed with its error.",
      errors: [],
      replies: { 200: { description: "All flows, by id.", schema: shape(() => ({ flows: z.array(summaryShape()), total: z.int() })), example: replies.flows } },
      handle: async () => ({ status: 200, text: await listFlows(views), headers: { "Content-Type": "application/json" } }),
    }),
    defineEndpoint({
      method: "GET",
      path: "/flows/:id",
      tag: "flows",
      summary: "Returns a flow with its YAML",
      description: "With `Accept: application/yaml`, only the YAML, byte for byte as it was deployed.",
      tagged: true,
      errors: ["id-invalid", "not-found"],
      replies: { 200: { description: "The flow.", schema: flowShape, alsoAs: ["application/yaml"] } },
      async handle({ params, headers }) {
        const flow = await readFlow(views, flowId(params));
        const etag = { ETag: `"${flow.hash}"` };
        return wantsYaml(headers) ? yamlReply(flow.yaml, etag) : ok(flow, etag);
      },
    }),
    defineEndpoint({
      method: "PUT",
      path: "/flows/:id",
      tag: "flows",
      summary: "Installs or replaces a flow",
      description:
        "The new version is checked, built and started before it replaces the running one; if any of this fails, the running version is not affected. Running messages finish with the version that they started with. A body with a YAML content type is the flow itself.",
      query: {
        dryRun: f.boolean({ doc: "Report the changes without applying them.", default: false }),
        tests: f.enum(["required"], { doc: "Deploy only if the flow's tests pass; they run isolated from live traffic." }),
        ...versionQuery,
      },
      body: installShape,
      rawBody: yamlTypes,
      conditional: "replace it",
      tagged: true,
      example: requests.flow,
      errors: ["id-invalid", "yaml-invalid", "flow-invalid", "flow-start-failed", "tests-failed", "conflict", ...changeErrors],
      replies: {
        201: { description: "Installed.", schema: putShape, example: replies.installedFlow },
        200: { description: "Replaced or unchanged; with dryRun the expected changes.", schema: oneOf(putShape, dryRunShape) },
      },
      async handle(call) {
        const id = flowId(call.params);
        const { bytes, params } = flowBody(call);
        const body = call.body as z.infer<typeof installShape> | undefined;
        if (body?.kamelets !== undefined && !call.query.dryRun)
          throw new ServiceError("body-invalid", "kamelets is allowed only with dryRun=true: install each of them with PUT /_api/kamelets/:name first");
        const outcome = await installFlow(parts, {
          id,
          bytes,
          params,
          precondition: call.precondition,
          dryRun: call.query.dryRun,
          tests: body?.tests,
          kamelets: body?.kamelets === undefined ? undefined : views.withKamelets(kameletTextsByName(body.kamelets)),
          testsRequired: call.query.tests === "required",
          metadata: versionMetadata(call.query, views.fingerprint),
        });
        const json = call.query.dryRun ? dryRunJson(views, outcome) : installJson(views, outcome);
        return { status: outcome.created && !call.query.dryRun ? 201 : 200, json, headers: { ETag: `"${outcome.flow.hash}"` } };
      },
    }),
    defineEndpoint({
      method: "DELETE",
      path: "/flows/:id",
      tag: "flows",
      summary: "Stops the routes of a flow and deletes the flow",
      description: "The routes stop accepting messages and finish the running ones first. The access policy of the flow stays installed.",
      conditional: "delete it",
      errors: ["id-invalid", "not-found", "conflict", ...changeErrors],
      replies: {
        200: {
          description: "Removed.",
          schema: shape(() => ({ id: z.string(), deleted: z.boolean(), routes: z.array(z.string()), drained: z.boolean(), cluster: changeShape().optional() })),
        },
      },
      async handle({ params, precondition }) {
        const id = flowId(params);
        const { routes, drained } = await removeFlow(parts, id, precondition);
        const drainedByOthers = service === undefined || (await service.replicated().then(() => service.drained(id)));
        return ok({ id, deleted: true, routes, drained: drained && drainedByOthers });
      },
    }),
    defineEndpoint({
      method: "POST",
      path: "/flows/validate",
      tag: "flows",
      summary: "Validates a flow without installing it",
      description:
        "Returns all problems with their lines, in contrast to a deployment, which is rejected with the first ones. The status is 200 even if the flow is not valid.",
      query: { id: f.string({ doc: "The id of the flow; its deployed routes are then not reported as conflicts.", default: "validate" }) },
      body: bodyShape,
      rawBody: yamlTypes,
      example: requests.wrongFlow,
      errors: ["id-invalid"],
      replies: {
        200: {
          description: "The problems found.",
          schema: shape(() => ({ valid: z.boolean(), problems: z.array(problemShape()) })),
          example: replies.problems,
        },
      },
      async handle(call) {
        const { bytes, params } = flowBody(call);
        const id = flowId({ id: call.query.id });
        const stored = parts.installed.get(id)?.params ?? {};
        const flowParams = params === undefined ? stored : readParams(params, stored);
        const { prepared } = await prepareFlow(parts, { id, source: bytes.toString("utf8"), hash: hashOf(bytes), params: flowParams });
        const problems = [...listProblems(prepared), ...missingMappings(prepared.flow, parts.mappings), ...missingConsumers(id, prepared, parts.runtime)];
        return ok({ valid: problems.every(({ severity }) => severity !== "error"), problems });
      },
    }),
  ];
}

export function flowId({ id = "" }: Readonly<Record<string, string>>): string {
  if (!isFlowId(id)) throw invalidId(id);
  return id;
}

/** True when the caller requests only the text. */
export const wantsYaml = ({ accept = "" }: Call["headers"]): boolean => /^\s*(application|text)\/(x-)?yaml\b/i.test(accept);

export const yamlReply = (yaml: string, headers: Readonly<Record<string, string>>): Reply => ({
  status: 200,
  text: yaml,
  headers: { ...headers, "Content-Type": "application/yaml; charset=utf-8" },
});

/** The YAML as bytes, and `params` as sent. */
function flowBody({ body, raw }: Call): { bytes: Buffer; params: unknown } {
  if (raw !== undefined) return { bytes: raw.bytes, params: undefined };
  const { yaml, params } = body as z.infer<typeof bodyShape>;
  if (params !== undefined && (typeof params !== "object" || Array.isArray(params))) throw new ServiceError("body-invalid", "params must be an object");
  return { bytes: yamlBytes(yaml), params };
}

export function yamlBytes(yaml: string): Buffer {
  const bytes = Buffer.from(yaml, "utf8");
  // A lone surrogate has no UTF-8 encoding and would be changed.
  if (bytes.toString("utf8") !== yaml) throw new ServiceError("body-invalid", "yaml must be valid Unicode text");
  return bytes;
}

export function installJson(
  views: FlowViews,
  { flow, created, changed, revision, testsPassed, stateWarnings }: InstallOutcome,
): Readonly<Record<string, unknown>> {
  return {
    id: flow.id,
    created,
    changed,
    hash: flow.hash,
    lastModified: new Date(flow.lastModified).toISOString(),
    routeCount: flow.routeCount,
    routes: routesJson(views, flow.id),
    warnings: [...flow.warnings, ...stateWarnings],
    ...(testsPassed === undefined ? {} : { testsPassed }),
    ...(revision === undefined ? {} : { revision }),
  };
}

export function dryRunJson(views: FlowViews, outcome: InstallOutcome): Readonly<Record<string, unknown>> {
  const { flow, created, changed, routeIds, testsPassed, stateWarnings, difference } = outcome;
  const { before, after } = routeIds;
  return {
    id: flow.id,
    dryRun: true,
    created,
    changed,
    hash: flow.hash,
    previousHash: views.parts.installed.get(flow.id)?.hash ?? null,
    routeCount: flow.routeCount,
    routes: {
      added: after.filter((id) => !before.includes(id)),
      removed: before.filter((id) => !after.includes(id)),
      kept: after.filter((id) => before.includes(id)),
    },
    warnings: [...flow.warnings, ...stateWarnings],
    ...(testsPassed === undefined ? {} : { testsPassed }),
    ...(difference === undefined ? {} : { difference }),
  };
}
