// The declaration of value-mapping tables: their reader takes the allowed names from here, and the JSON Schema is this.
import { closedObject, documentSchema, type JsonSchema } from "@sluice/model";
import { tableLimits } from "./table-limits.ts";
import { matchModes, missingRules } from "./value-table.ts";

const cell: JsonSchema = { $ref: "#/$defs/cell" };
const agency = { type: ["string", "null"] } as const;

const settings = {
  name: { type: ["string", "null"], description: "Title for people." },
  onMissing: { enum: missingRules, description: "What a lookup does without an entry: fail, return the key, return null, or return the default." },
  match: { enum: matchModes, description: "How keys are compared.", default: "exact" },
} satisfies Record<string, JsonSchema>;

const columnId: JsonSchema = { type: "string", maxLength: 128, pattern: "^[^\\r\\n]*\\S[^\\r\\n]*$" };

export const columnSchema = closedObject(
  {
    id: { ...columnId, description: "Name in lookups; unique in the table." },
    agency: { ...agency, description: "Agency in SAP's terms." },
    identifier: { ...agency, description: "Identifier in SAP's terms." },
    default: { ...cell, description: "Result of lookups in this column without an entry, with `onMissing: default`." },
    match: { enum: matchModes, description: "How keys of this column are compared; by default as in the table." },
  },
  { title: "Column", required: ["id"] },
);

export const longTableSchema = closedObject(
  {
    ...settings,
    columns: {
      type: "array",
      minItems: 2,
      maxItems: tableLimits.columns,
      items: { anyOf: [columnId, { $ref: "#/$defs/column" }] },
      description: "Columns: their ids, or objects.",
    },
    rows: {
      type: "array",
      maxItems: tableLimits.rows,
      items: { type: "array", items: cell },
      description: "Rows with one cell per column; null means that the row has no value in that column.",
    },
  },
  { title: "Long form", description: "Any number of columns.", required: ["columns", "rows"] },
);

export const shortTableSchema = closedObject(
  {
    ...settings,
    entries: { type: "object", additionalProperties: cell, description: "Results by key." },
    default: { ...cell, description: "Result without an entry." },
  },
  { title: "Short form", description: "Two columns, `from` and `to`.", required: ["entries"] },
);

/** The JSON Schema of value-mapping tables. */
export const tableSchema = (): JsonSchema =>
  documentSchema("value-mapping", "Sluice value mapping", {
    description: "Translates values between systems.",
    oneOf: [{ $ref: "#/$defs/long" }, { $ref: "#/$defs/short" }],
    $defs: {
      long: longTableSchema,
      short: shortTableSchema,
      column: columnSchema,
      cell: { title: "Cell", type: ["string", "number", "boolean", "null"], maxLength: tableLimits.cell },
    },
  });
