// Kamelets: list, read, install, replace, remove, validate.
import { f } from "@sluice/model";
import { z } from "zod";
import { listProblems } from "../flows/flow-problems.ts";
import type { InstalledKamelets, KameletOutcome } from "../kamelets/installed-kamelets.ts";
import type { KameletMetadata } from "../kamelets/kamelet-metadata.ts";
import { ServiceError, invalidId } from "../service-error.ts";
import { isFlowId } from "../flows/flow-id.ts";
import { defineEndpoint, ok, oneOf, shape, type Call, type Endpoint } from "./endpoint.ts";
import { requests } from "./examples.ts";
import { changeErrors } from "./error-responses.ts";
import { problemShape, wantsYaml, yamlBytes, yamlReply, yamlTypes } from "./flows.ts";
import { kameletTextsByName, kameletTexts } from "./kamelet-texts.ts";

const summaryMembers = (): Readonly<Record<string, z.ZodType>> => ({
  name: z.string(),
  title: z.string().nullable(),
  type: z.string().nullable().describe("`source`, `sink` or `action`; null when the file is not a usable Kamelet."),
  origin: z.enum(["deployed", "folder", "package"]).describe("`deployed`: stored in the data directory or the cluster; the API can replace it."),
  place: z.string().describe("The folder, the package or the cluster that it is read from."),
  hash: z.string(),
  lastModified: z.string(),
  flows: z.array(z.string()).describe("The running flows that use it."),
  error: z.string().optional().describe("The reason why the file cannot be used."),
});
const summaryShape = shape(summaryMembers, "KameletSummary");
const parameterShape = shape(
  () => ({
    name: z.string(),
    title: z.string().optional(),
    description: z.string().optional(),
    type: z.string(),
    default: z.string().optional(),
    example: z.string().optional(),
    values: z.array(z.string()).optional(),
    required: z.boolean(),
    secret: z.boolean(),
    group: z.string().optional(),
  }),
  "KameletParameter",
);
const kameletShape = shape(
  () => ({ ...summaryMembers(), description: z.string().nullable(), parameters: z.array(parameterShape()), yaml: z.string() }),
  "Kamelet",
);
const outcomeMembers = (): Readonly<Record<string, z.ZodType>> => ({
  name: z.string(),
  title: z.string().nullable(),
  type: z.string(),
  created: z.boolean(),
  changed: z.boolean(),
  hash: z.string(),
  flows: z.array(z.string()).describe("The running flows that use it."),
  refused: z
    .array(z.looseObject({ id: z.string(), error: z.string() }))
    .describe("Only with `force`: flows that cannot be deployed with this version and keep running with the previous one."),
  warnings: z.array(z.string()),
});
const putShape = shape(() => ({ ...outcomeMembers(), lastModified: z.string() }), "InstalledKamelet");
const dryRunShape = shape(() => ({ ...outcomeMembers(), dryRun: z.literal(true), previousHash: z.string().nullable() }), "KameletDryRun");
const bodyShape = z.object({ yaml: z.string().describe("The Kamelet."), kamelets: kameletTexts });

export function kameletEndpoints(kamelets: InstalledKamelets): readonly Endpoint[] {
  const summaryJson = ({ name, about, place, hash, lastModified, error }: KameletMetadata): Readonly<Record<string, unknown>> => ({
    name,
    title: about?.title ?? null,
    type: about?.type ?? null,
    origin: place.origin,
    place: place.name,
    hash,
    lastModified: new Date(lastModified).toISOString(),
    flows: kamelets.usersOf(name),
    ...(error === undefined ? {} : { error }),
  });
  return [
    defineEndpoint({
      method: "GET",
      path: "/kamelets",
      tag: "kamelets",
      summary: "Lists the Kamelets that flows can use",
      description: "With their origin (deployed, a folder or a package) and the flows that use them.",
      errors: [],
      replies: { 200: { description: "All Kamelets, by name.", schema: shape(() => ({ kamelets: z.array(summaryShape()), total: z.int() })) } },
      async handle() {
        const summaries = (await kamelets.list()).map(summaryJson);
        return ok({ kamelets: summaries, total: summaries.length });
      },
    }),
    defineEndpoint({
      method: "GET",
      path: "/kamelets/:name",
      tag: "kamelets",
      summary: "Returns a Kamelet with its YAML",
      description: "With its parameters. With `Accept: application/yaml`, only the YAML.",
      tagged: true,
      errors: ["id-invalid", "not-found"],
      replies: { 200: { description: "The Kamelet.", schema: kameletShape, alsoAs: ["application/yaml"] } },
      handle({ params, headers }) {
        const kamelet = kamelets.read(kameletName(params));
        const etag = { ETag: `"${kamelet.hash}"` };
        const { description = null, parameters = [] } = kamelet.about ?? {};
        return wantsYaml(headers) ? yamlReply(kamelet.text, etag) : ok({ ...summaryJson(kamelet), description, parameters, yaml: kamelet.text }, etag);
      },
    }),
    defineEndpoint({
      method: "PUT",
      path: "/kamelets/:name",
      tag: "kamelets",
      summary: "Installs or replaces a Kamelet",
      description:
        "The flows that use it are replaced without dropping a message. If one of them cannot use the new version, nothing is changed, unless `force` is set.",
      query: {
        dryRun: f.boolean({ doc: "Report the changes without applying them.", default: false }),
        force: f.boolean({ doc: "Install it even if flows cannot use it; these flows keep running with the previous version.", default: false }),
      },
      body: bodyShape,
      rawBody: yamlTypes,
      conditional: "replace it",
      tagged: true,
      example: requests.kamelet,
      errors: ["id-invalid", "yaml-invalid", "flow-invalid", "flow-start-failed", "conflict", ...changeErrors],
      replies: {
        201: { description: "Installed.", schema: putShape },
        200: { description: "Replaced or unchanged; with dryRun the expected changes.", schema: oneOf(putShape, dryRunShape) },
      },
      async handle(call) {
        const name = kameletName(call.params);
        const { dryRun, force } = call.query;
        const { bytes, others } = kameletBody(call);
        if (others.size > 0 && !dryRun)
          throw new ServiceError("body-invalid", "kamelets is allowed only with dryRun=true: install each Kamelet with its own request");
        const previousHash = kamelets.find(name)?.hash ?? null;
        const outcome = await kamelets.install({ name, bytes, precondition: call.precondition, dryRun, force, others });
        const json = dryRun
          ? { ...outcomeJson(outcome), dryRun, previousHash }
          : { ...outcomeJson(outcome), lastModified: new Date(outcome.lastModified).toISOString() };
        return { status: outcome.created && !dryRun ? 201 : 200, json, headers: { ETag: `"${outcome.hash}"` } };
      },
    }),
    defineEndpoint({
      method: "DELETE",
      path: "/kamelets/:name",
      tag: "kamelets",
      summary: "Removes a deployed Kamelet that no flow uses",
      description: "A Kamelet of a folder or package is removed there. Rejected with 409 while a flow uses it.",
      conditional: "delete it",
      errors: ["id-invalid", "not-found", "conflict", "flow-start-failed", ...changeErrors],
      replies: { 200: { description: "Removed.", schema: shape(() => ({ name: z.string(), deleted: z.boolean() })) } },
      async handle({ params, precondition }) {
        const name = kameletName(params);
        await kamelets.remove(name, precondition);
        return ok({ name, deleted: true });
      },
    }),
    defineEndpoint({
      method: "POST",
      path: "/kamelets/validate",
      tag: "kamelets",
      summary: "Validates a Kamelet without installing it",
      description: "Returns all problems with their lines. The status is 200 even if the Kamelet is not valid.",
      query: { name: f.string({ doc: "The name that the Kamelet must have; by default, any name is valid.", default: "" }) },
      body: bodyShape,
      rawBody: yamlTypes,
      example: requests.kamelet,
      errors: ["id-invalid", "yaml-invalid"],
      replies: { 200: { description: "The problems found.", schema: shape(() => ({ valid: z.boolean(), problems: z.array(problemShape()) })) } },
      async handle(call) {
        const { bytes, others } = kameletBody(call);
        const { prepared } = await kamelets.check(call.query.name === "" ? undefined : kameletName({ name: call.query.name }), bytes, others);
        const problems = listProblems(prepared);
        return ok({ valid: problems.every(({ severity }) => severity !== "error"), problems });
      },
    }),
  ];
}

function kameletName({ name = "" }: Readonly<Record<string, string>>): string {
  if (!isFlowId(name)) throw invalidId(name);
  return name;
}

function kameletBody({ body, raw }: Call): { readonly bytes: Uint8Array; readonly others: ReadonlyMap<string, string> } {
  if (raw !== undefined) return { bytes: raw.bytes, others: new Map() };
  const { yaml, kamelets } = body as z.infer<typeof bodyShape>;
  return { bytes: yamlBytes(yaml), others: kameletTextsByName(kamelets) };
}

const outcomeJson = ({ name, title, type, created, changed, hash, flows, refused, warnings }: KameletOutcome): Readonly<Record<string, unknown>> => ({
  ...{ name, title: title ?? null, type, created, changed, hash, flows, refused, warnings },
});
