// The options of each side of a document: the formats take the allowed names from here, and the JSON Schema of documents contains them.
import { closedObject, type ClosedObject, type JsonSchema } from "@sluice/model";

const lineBreak: JsonSchema = { type: "string", description: "Text between lines when writing.", default: "\r\n" };
const loops: JsonSchema = {
  type: "object",
  additionalProperties: { type: "array", items: { type: "string" } },
  description: 'Loops: the name of the record or segment that starts one, with the names that belong to it, such as `{"LIN": ["QTY", "PRI"]}`.',
};

const common = {
  schema: { type: ["object", "boolean"], description: "JSON Schema of the message: every path of the document is checked against it." },
  sample: { description: "Sample message, used instead of a schema: as data, or as text in the format." },
  note: { description: "Remark for readers." },
} satisfies Record<string, JsonSchema>;

const separators = {
  segment: "Character that ends a segment; by default `'`.",
  element: "Character between elements; by default `+`.",
  component: "Character between components; by default `:`.",
  release: "Character that makes the next one part of the text.",
  repetition: "Character between repetitions of an element.",
};
export const separatorsSchema = closedObject(
  Object.fromEntries(Object.entries(separators).map(([name, description]) => [name, { type: ["string", "null"], minLength: 1, maxLength: 1, description }])),
  { title: "EDI separators", description: "All separators must be different." },
);

const position: JsonSchema = { type: "integer", minimum: 1, maximum: 100_000 };
const fieldMembers = {
  name: { type: "string", minLength: 1, description: "Name in paths." },
  start: { ...position, description: "Position of the first character, from 1." },
  length: { ...position, description: "Number of characters." },
  align: { enum: ["left", "right"], description: "Side of the text; padding is on the other side.", default: "left" },
  pad: { type: "string", minLength: 1, maxLength: 1, description: "Padding character; by default a space." },
  note: common.note,
} satisfies Record<string, JsonSchema>;
export const fieldSchema = closedObject(fieldMembers, {
  title: "Field of a fixed-width line",
  description: "In an object of fields, the key is the `name`.",
  required: ["start", "length"],
});

/** A list of named entries, or an object of them by name. */
const named = (reference: string, description: string): JsonSchema => ({
  anyOf: [
    { type: "array", minItems: 1, items: { allOf: [{ $ref: reference }, { required: ["name"] }] } },
    { type: "object", minProperties: 1, additionalProperties: { $ref: reference } },
  ],
  description,
});

const fields = named("#/$defs/field", "Fields of a line.");
export const recordSchema = closedObject(
  {
    name: { type: "string", minLength: 1, description: "Name in paths." },
    match: { type: "string", description: "Text that lines of this record begin with." },
    fields,
    note: common.note,
  },
  { title: "Record of a fixed-width message", description: "In an object of records, the key is the `name`.", required: ["fields"] },
);

const formats = {
  json: { title: "JSON", options: {} },
  xml: {
    title: "XML",
    options: {
      root: { type: "string", minLength: 1, description: "Name of the root element. Other source messages are rejected." },
      namespaces: {
        type: "object",
        additionalProperties: { type: "string", minLength: 1 },
        description: "Namespace URIs by the prefix that paths use.",
      },
      declaration: { type: "boolean", description: "Whether to write the XML declaration.", default: true },
    },
  },
  csv: {
    title: "CSV",
    options: {
      delimiter: { type: "string", minLength: 1, pattern: "^[^\\r\\n]*$", description: "Text between cells.", default: "," },
      quote: { type: "string", maxLength: 1, pattern: "^[^\\r\\n]*$", description: "Quotation mark; empty for none.", default: '"' },
      header: { type: "boolean", description: "Whether the first line contains the names of the columns; by default true if there are no `columns`." },
      columns: { type: "array", items: { type: "string" }, uniqueItems: true, description: "Names of the columns." },
      lineBreak,
    },
  },
  fixed: {
    title: "Fixed-width text",
    options: { fields, records: named("#/$defs/record", "Kinds of lines."), loops, lineBreak },
    oneOf: [{ required: ["fields"] }, { required: ["records"] }],
  },
  edi: {
    title: "EDI",
    options: {
      dialect: {
        anyOf: [
          { enum: ["edifact", "x12"] },
          { $ref: "#/$defs/separators" },
          { type: "object", properties: { separators: { $ref: "#/$defs/separators" } }, required: ["separators"] },
        ],
        description: "Syntax of the interchange.",
        default: "edifact",
      },
      loops,
      lineBreaks: { type: "boolean", description: "Whether to write a line break after each segment.", default: false },
    },
  },
} satisfies Record<string, { title: string; options: Record<string, JsonSchema>; oneOf?: readonly JsonSchema[] }>;

export type FormatName = keyof typeof formats;

/** The schema of a side, by format. */
export const formatSchemas = Object.fromEntries(
  Object.entries(formats).map(([name, { title, options, ...more }]) => [
    name,
    closedObject(
      { format: { const: name, description: "Name of the format." }, ...options, ...common },
      { title: `Format ${title}`, required: ["format"], ...more },
    ),
  ]),
) as Readonly<Record<FormatName, ClosedObject>>;
