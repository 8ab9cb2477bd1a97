// The declaration of message-mapping documents: the compiler takes the allowed names and values from here, and the JSON Schema is this.
import { closedObject, documentSchema, type JsonSchema } from "@sluice/model";
import { missingRules } from "../value-mapping/value-table.ts";
import { fieldSchema, formatSchemas, recordSchema, separatorsSchema } from "./formats/format-schemas.ts";

/** A rule has exactly one of these. */
export const sourceKinds = ["from", "value", "expr", "lookup", "switch", "use", "map"] as const;
export const valueTypes = ["string", "integer", "number", "boolean", "date", "dateTime", "time"] as const;
export const maxDocumentTests = 1_000;

const ref = (name: string): JsonSchema => ({ $ref: `#/$defs/${name}` });
/** An expression, a path or a name must not be blank. */
const text = (description: string): JsonSchema => ({ type: "string", pattern: "\\S", description });
const name = (description: string): JsonSchema => ({ type: "string", pattern: "^\\$?[\\p{L}_][\\p{L}\\p{N}_]*$", description });
const rules = (description: string): JsonSchema => ({ type: "array", items: ref("rule"), description });
const note: JsonSchema = { description: "Remark for readers." };
const scalar = ["string", "number", "boolean"] as const;

const sources: Readonly<Record<(typeof sourceKinds)[number], JsonSchema>> = {
  from: text("Path of the source field whose value is copied."),
  value: { description: "Fixed value." },
  expr: {
    anyOf: [
      { type: "string", pattern: "\\S" },
      { type: "object", minProperties: 1, maxProperties: 1, additionalProperties: { type: "string" } },
    ],
    description: 'Expression, or an expression of another language, such as `{"jsonata": "…"}`.',
  },
  lookup: { ...ref("lookup"), description: "Value of a value-mapping table." },
  switch: { type: "array", minItems: 1, items: ref("case"), description: "Cases; the first one whose condition is true provides the value." },
  use: { type: "string", description: "Name of the part whose rules build the value." },
  map: rules("Rules that build the value as an object."),
};
const exactlyOneSource = sourceKinds.map((kind) => ({ required: [kind] }));
const argument = text("Path of the value that the part of `use` receives; by default the current item.");

/** Members of a rule with `forEach`. */
const forEach = {
  as: name("Name of the item in expressions, as `$name`."),
  where: text("Condition for items."),
  sort: {
    anyOf: [{ type: "string", pattern: "\\S" }, ref("sort"), { type: "array", items: { anyOf: [{ type: "string", pattern: "\\S" }, ref("sort")] } }],
    description: "Order of the items: one or more paths.",
  },
  groupBy: text("Path of the value by which items are grouped: one target item per group, with `$key` and `$group`."),
  limit: { type: "integer", minimum: 0, description: "Maximum number of target items." },
  omitEmpty: { type: "boolean", description: "Whether an empty list is omitted.", default: false },
} satisfies Record<string, JsonSchema>;
export const forEachMembers: readonly string[] = Object.keys(forEach);

export const ruleSchema = closedObject(
  {
    to: { type: "string", minLength: 1, description: "Target field, such as `customer.name`; `items[]` is a list." },
    ...sources,
    with: argument,
    forEach: text("Path of a source list: one target item per source item."),
    ...forEach,
    when: text("Condition: without it, or if it is true, the field is written."),
    default: { description: "Value if the source has none." },
    type: { enum: valueTypes, description: "Type of the target value." },
    scale: { type: "integer", minimum: 0, maximum: 12, description: "Number of decimals to which the value is rounded." },
    format: {
      anyOf: [{ type: "string" }, ref("dateFormat")],
      description: "Pattern of a number, such as `#,##0.00`, or of a date, such as `yyyy-MM-dd`.",
    },
    required: { type: "boolean", description: "Whether a missing value is an error; for a list, whether at least one item is required.", default: false },
    pattern: { type: "string", description: "Regular expression that the value must match." },
    maxLength: { type: "integer", minimum: 0, description: "Maximum number of characters." },
    enum: { type: "array", minItems: 1, description: "Allowed values." },
    note,
  },
  {
    title: "Rule",
    description: "Writes one target field.",
    required: ["to"],
    oneOf: exactlyOneSource,
    dependentRequired: { with: ["use"], ...Object.fromEntries(forEachMembers.map((member) => [member, ["forEach"]])) },
  },
);

export const caseSchema = closedObject(
  { when: text("Condition; only the last case may omit it."), ...sources, with: argument, note },
  { title: "Case of a switch", oneOf: exactlyOneSource },
);

export const lookupSchema = closedObject(
  {
    table: { type: "string", description: "Id of the table." },
    key: {
      anyOf: [
        { type: "string", pattern: "\\S" },
        { type: "object", minProperties: 1, additionalProperties: { type: "string", pattern: "\\S" } },
      ],
      description: "Path of the key, or one path for each column of a composite key.",
    },
    from: { type: scalar, description: "Column of the key.", default: "from" },
    to: { type: scalar, description: "Column of the result.", default: "to" },
    onMissing: { enum: missingRules, description: "What happens if there is no entry; by default the setting of the table." },
  },
  { title: "Lookup", required: ["table", "key"] },
);

export const sortSchema = closedObject(
  { by: text("Path of the value to compare."), desc: { type: "boolean", description: "Whether the order is descending.", default: false } },
  { title: "Sort order", required: ["by"] },
);

export const dateFormatSchema = closedObject(
  { in: { type: "string", description: "Pattern of the source." }, out: { type: "string", description: "Pattern of the target." } },
  { title: "Format of a date" },
);

export const variableSchema = closedObject(
  { name: name("Name; expressions refer to it as `$name`."), expr: text("Expression on the source."), note },
  { title: "Variable", required: ["name", "expr"] },
);

export const functionSchema = closedObject(
  { args: { type: "array", items: name(""), description: "Names of the arguments." }, expr: text("Expression on the arguments."), note },
  { title: "Function", required: ["expr"] },
);

export const partSchema = closedObject({ map: rules("Rules of the part."), note }, { title: "Part", required: ["map"] });

export const documentTestSchema = closedObject(
  {
    name: { type: "string", description: "Name of the test." },
    input: { description: "Source message." },
    headers: { type: "object", description: "Headers of the source message." },
    params: { type: "object", description: "Values of `$params`." },
    now: { type: "string", description: "Time of the test, such as `2024-02-03T04:05:06Z`." },
    output: { description: "Expected target message." },
    error: { type: "string", description: "Text that the error must contain." },
    note,
  },
  { title: "Test", required: ["input"], anyOf: [{ required: ["output"] }, { required: ["error"] }] },
);

const side = (description: string): JsonSchema => ({ oneOf: Object.keys(formatSchemas).map((format) => ref(`format.${format}`)), description });

export const mappingMembers = {
  name: { type: "string", description: "Title for people." },
  description: { description: "What the document is for." },
  source: side("Format of the source message."),
  target: side("Format of the target message."),
  vars: { type: "array", items: ref("variable"), description: "Variables, evaluated once per message, in this order." },
  functions: { type: "object", additionalProperties: ref("function"), description: "Functions for expressions, by name." },
  parts: { type: "object", additionalProperties: ref("part"), description: "Lists of rules that rules apply with `use`, by name." },
  import: { type: "array", items: { type: "string" }, description: "Ids of documents whose parts and functions can be used." },
  onError: { enum: ["first", "all"], description: "Whether the first error ends the mapping, or all errors are collected.", default: "first" },
  map: rules("Rules, in order."),
  tests: { type: "array", maxItems: maxDocumentTests, items: ref("test"), description: "Tests that run when the document is installed." },
  note,
} satisfies Record<string, JsonSchema>;

/** The JSON Schema of message-mapping documents. */
export const mappingSchema = (): JsonSchema =>
  documentSchema("message-mapping", "Sluice message mapping", {
    description: "Transforms a message field by field.",
    ...closedObject(mappingMembers, { required: ["source", "target", "map"] }),
    $defs: {
      rule: ruleSchema,
      lookup: lookupSchema,
      case: caseSchema,
      sort: sortSchema,
      dateFormat: dateFormatSchema,
      variable: variableSchema,
      function: functionSchema,
      part: partSchema,
      test: documentTestSchema,
      ...Object.fromEntries(Object.entries(formatSchemas).map(([format, schema]) => [`format.${format}`, schema])),
      field: fieldSchema,
      record: recordSchema,
      separators: separatorsSchema,
    },
  });
