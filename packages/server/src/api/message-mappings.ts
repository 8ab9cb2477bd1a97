// Message-mapping documents: install, replace, list, read, remove, execute.
import { Headers, type Clock } from "@sluice/engine";
import { asJson } from "@sluice/engine/values";
import { z } from "zod";
import { inSlices } from "../host/in-slices.ts";
import { documentId } from "../mappings/installed-document.ts";
import type { InstalledMapping } from "../mappings/message-mappings.ts";
import type { Mappings } from "../mappings/open-mappings.ts";
import { ServiceError } from "../service-error.ts";
import { defineEndpoint, ok, shape, type Endpoint } from "./endpoint.ts";
import { replies, requests } from "./examples.ts";
import { changeErrors } from "./error-responses.ts";

const summaryMembers = (): Readonly<Record<string, z.ZodType>> => ({
  id: z.string(),
  source: z.string(),
  target: z.string(),
  fields: z.int(),
  uses: z.array(z.string()).describe("The value-mapping tables it uses."),
  hash: z.string(),
  lastModified: z.string(),
});
const summaryShape = shape(() => ({ ...summaryMembers(), name: z.string().nullable(), error: z.string().optional() }), "DocumentSummary");
const putShape = shape(() => ({ ...summaryMembers(), created: z.boolean(), warnings: z.array(z.string()) }), "InstalledDocument");
const errorShape = shape(
  () => ({ field: z.string(), rule: z.string(), code: z.string(), message: z.string(), source: z.string().nullable(), value: z.unknown() }),
  "MappingError",
);
const documentShape = shape(() => ({ source: z.unknown(), target: z.unknown(), map: z.array(z.unknown()) }), "MappingDocument");
const executeShape = z.object({
  input: z.unknown(),
  headers: z.record(z.string(), z.unknown()).optional(),
  params: z.record(z.string(), z.unknown()).optional(),
});

export function messageMappingEndpoints({ documents, users }: Mappings, clock: Clock): readonly Endpoint[] {
  return [
    defineEndpoint({
      method: "GET",
      path: "/message-mappings",
      tag: "message mappings",
      summary: "Lists the message-mapping documents",
      description: "With their formats, the number of target fields and the tables they use.",
      errors: [],
      replies: { 200: { description: "All documents, by id.", schema: shape(() => ({ messageMappings: z.array(summaryShape()), total: z.int() })) } },
      handle() {
        const messageMappings = documents.list().map(summary);
        return ok({ messageMappings, total: messageMappings.length });
      },
    }),
    defineEndpoint({
      method: "GET",
      path: "/message-mappings/:id",
      tag: "message mappings",
      summary: "Returns a document",
      description: "As it was installed.",
      tagged: true,
      errors: ["id-invalid", "not-found"],
      replies: { 200: { description: "The document.", schema: documentShape } },
      handle({ params }) {
        const { document, hash } = documents.read(documentId(params));
        return ok(document, { ETag: `"${hash}"` });
      },
    }),
    defineEndpoint({
      method: "PUT",
      path: "/message-mappings/:id",
      tag: "message mappings",
      summary: "Installs or replaces a document",
      description: "The document is compiled and its tests are run first; it takes effect immediately, also in documents that import it.",
      body: z.unknown(),
      conditional: "replace it",
      tagged: true,
      example: requests.mapping,
      errors: ["id-invalid", "conflict", "document-invalid", ...changeErrors],
      replies: { 201: { description: "Installed.", schema: putShape }, 200: { description: "Replaced.", schema: putShape } },
      async handle({ params, body, precondition }) {
        const id = documentId(params);
        const { installed, created, warnings } = await documents.install(id, body, precondition);
        const { source, target, fields, uses, hash, lastModified } = summary(installed);
        return {
          status: created ? 201 : 200,
          json: { id, created, source, target, fields, uses, hash, lastModified, warnings },
          headers: { ETag: `"${installed.hash}"` },
        };
      },
    }),
    defineEndpoint({
      method: "DELETE",
      path: "/message-mappings/:id",
      tag: "message mappings",
      summary: "Deletes a document",
      description: "Succeeds even if the document is in use; the reply lists the flows and documents that still use it.",
      conditional: "delete it",
      errors: ["id-invalid", "not-found", ...changeErrors],
      replies: { 200: { description: "Removed.", schema: shape(() => ({ id: z.string(), deleted: z.boolean(), usedBy: z.array(z.string()) })) } },
      async handle({ params, precondition }) {
        const id = documentId(params);
        const usedBy = await users.ofDocument(id);
        await documents.remove(id, precondition);
        return ok({ id, deleted: true, usedBy });
      },
    }),
    defineEndpoint({
      method: "POST",
      path: "/message-mappings/:id/execute",
      tag: "message mappings",
      summary: "Maps a message",
      description: "Returns the output, or all errors with their fields. The status is 200 even if the mapping fails.",
      body: executeShape,
      example: { input: { id: "A-1001" } },
      errors: ["id-invalid", "not-found", "document-invalid"],
      replies: {
        200: {
          description: "The result, even if the mapping failed.",
          schema: shape(() => ({ output: z.unknown(), errors: z.array(errorShape()), durationMs: z.int() })),
          example: replies.execution,
        },
      },
      async handle({ params, body }) {
        const { id, mapping, error } = documents.read(documentId(params));
        if (mapping === undefined) throw new ServiceError("document-invalid", `message mapping '${id}': ${error ?? "it is not active"}`);
        const { input, headers = {}, params: values = {} } = body;
        if (input === undefined) throw new ServiceError("body-invalid", "input is required");
        const startedAt = clock.monotonic();
        const { output, errors } = await inSlices(mapping.runIncrementally({ body: input, headers: Headers.of(headers), params: values, now: clock.now() }));
        return ok({ output: jsonOutput(output), errors, durationMs: Math.round(clock.monotonic() - startedAt) });
      },
    }),
  ];
}

function summary({ id, document, mapping, hash, lastModified, error }: InstalledMapping) {
  const name = (document as { name?: unknown } | undefined)?.name;
  return {
    id,
    name: typeof name === "string" ? name : null,
    source: mapping?.source ?? "",
    target: mapping?.target ?? "",
    fields: mapping?.fields ?? 0,
    uses: mapping?.uses ?? [],
    hash,
    lastModified: new Date(lastModified).toISOString(),
    ...(error === undefined ? {} : { error }),
  };
}

/** The output for a reply. JSON.stringify throws for a bigint, so long integers are rounded to doubles. */
function jsonOutput(output: unknown): unknown {
  return containsBigInt(output) ? JSON.parse(asJson(output)) : (output ?? null);
}

function containsBigInt(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return typeof value === "bigint";
  return (Array.isArray(value) ? value : Object.values(value)).some(containsBigInt);
}
