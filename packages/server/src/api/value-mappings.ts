// Value-mapping tables: install, replace, list, read, remove; as JSON, CSV or SAP's value_mapping.xml.
import { tableFromCsvIncrementally, tableFromXmlIncrementally, tableCsvPieces, tableXmlPieces } from "@sluice/mapping";
import { z } from "zod";
import { inSlices } from "../host/in-slices.ts";
import { documentId } from "../mappings/installed-document.ts";
import type { Mappings } from "../mappings/open-mappings.ts";
import type { InstalledTable } from "../mappings/value-mappings.ts";
import { ServiceError } from "../service-error.ts";
import { sendPieces } from "./send-pieces.ts";
import { defineEndpoint, ok, shape, type Call, type Endpoint } from "./endpoint.ts";
import { requests } from "./examples.ts";
import { changeErrors } from "./error-responses.ts";
import { anyMap } from "./message-shapes.ts";

const rawTypes = ["text/csv", "application/xml", "text/xml"] as const;
const summaryMembers = (): Readonly<Record<string, z.ZodType>> => ({
  id: z.string(),
  columns: z.array(z.string()),
  rowCount: z.int(),
  hash: z.string(),
  lastModified: z.string(),
});
const summaryShape = shape(() => ({ ...summaryMembers(), name: z.string().nullable(), error: z.string().optional() }), "TableSummary");
const putShape = shape(() => ({ ...summaryMembers(), created: z.boolean(), warnings: z.array(z.string()) }), "InstalledTable");
const tableShape = shape(
  () => ({
    name: z.string().optional(),
    match: z.string().optional(),
    onMissing: z.string().optional(),
    default: z.unknown().optional(),
    columns: z.array(z.unknown()).optional(),
    rows: z.array(z.array(z.unknown())).optional(),
    entries: anyMap().optional(),
  }),
  "ValueTable",
);

export function valueMappingEndpoints({ tables, users }: Mappings): readonly Endpoint[] {
  return [
    defineEndpoint({
      method: "GET",
      path: "/value-mappings",
      tag: "value mappings",
      summary: "Lists the value-mapping tables",
      description: "With their columns and number of rows.",
      errors: [],
      replies: { 200: { description: "All tables, by id.", schema: shape(() => ({ valueMappings: z.array(summaryShape()), total: z.int() })) } },
      handle() {
        const valueMappings = tables.list().map(summary);
        return ok({ valueMappings, total: valueMappings.length });
      },
    }),
    defineEndpoint({
      method: "GET",
      path: "/value-mappings/:id",
      tag: "value mappings",
      summary: "Returns a table",
      description: "With `Accept: text/csv` or `application/xml` in that format.",
      tagged: true,
      errors: ["id-invalid", "not-found"],
      replies: { 200: { description: "The table.", schema: tableShape, alsoAs: ["text/csv", "application/xml"] } },
      handle({ params, headers }) {
        const { document, table, hash } = tables.read(documentId(params));
        const etag = { ETag: `"${hash}"` };
        const requestedType = /\b(text\/csv|(?:application|text)\/xml)\b/i.exec(headers.accept ?? "")?.[1]?.toLowerCase();
        if (requestedType === undefined || table === undefined) return ok(document, etag);
        const isCsv = requestedType === "text/csv";
        return {
          status: 200,
          stream: (stream) => void sendPieces(stream, isCsv ? tableCsvPieces(table.content) : tableXmlPieces(table.content)),
          headers: { ...etag, "Content-Type": isCsv ? "text/csv; charset=utf-8" : "application/xml" },
        };
      },
    }),
    defineEndpoint({
      method: "PUT",
      path: "/value-mappings/:id",
      tag: "value mappings",
      summary: "Installs or replaces a table",
      description: "Takes effect immediately. The table can be JSON, CSV, or the XML that SAP exports.",
      body: z.unknown(),
      rawBody: rawTypes,
      conditional: "replace it",
      tagged: true,
      example: requests.table,
      errors: ["id-invalid", "conflict", "document-invalid", ...changeErrors],
      replies: { 201: { description: "Installed.", schema: putShape }, 200: { description: "Replaced.", schema: putShape } },
      async handle(call) {
        const id = documentId(call.params);
        const { installed, created, warnings } = await tables.install(id, await tableBody(call), call.precondition);
        const { columns, rowCount, hash, lastModified } = summary(installed);
        return {
          status: created ? 201 : 200,
          json: { id, created, columns, rowCount, hash, lastModified, warnings },
          headers: { ETag: `"${installed.hash}"` },
        };
      },
    }),
    defineEndpoint({
      method: "DELETE",
      path: "/value-mappings/:id",
      tag: "value mappings",
      summary: "Deletes a table",
      description: "Succeeds even if the table is in use; the reply lists the flows and documents that still use it.",
      conditional: "delete it",
      errors: ["id-invalid", "not-found", ...changeErrors],
      replies: { 200: { description: "Removed.", schema: shape(() => ({ id: z.string(), deleted: z.boolean(), usedBy: z.array(z.string()) })) } },
      async handle({ params, precondition }) {
        const id = documentId(params);
        await tables.remove(id, precondition);
        return ok({ id, deleted: true, usedBy: await users.ofTable(id) });
      },
    }),
  ];
}

function summary({ id, table, hash, lastModified, error }: InstalledTable) {
  return {
    id,
    name: table?.content.name ?? null,
    columns: table?.columnIds ?? [],
    rowCount: table?.content.rows.length ?? 0,
    hash,
    lastModified: new Date(lastModified).toISOString(),
    ...(error === undefined ? {} : { error }),
  };
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true });

/** Reads the table from a body in any of the three formats. */
async function tableBody({ body, raw }: Call): Promise<unknown> {
  if (raw === undefined) return body;
  const isCsv = raw.mediaType === "text/csv";
  try {
    const text = strictUtf8.decode(raw.bytes);
    return await inSlices(isCsv ? tableFromCsvIncrementally(text) : tableFromXmlIncrementally(text));
  } catch (error) {
    const reason = error instanceof TypeError ? "the text is not UTF-8" : (error as Error).message;
    throw new ServiceError("body-invalid", `invalid ${isCsv ? "CSV" : "XML"} body: ${reason}`);
  }
}
