// The catalogue as the document describes it: the same members as CatalogView of the model.
import { z } from "zod";
import { shape } from "./endpoint.ts";

const kinds = [
  "string",
  "boolean",
  "integer",
  "number",
  "duration",
  "size",
  "enum",
  "uri",
  "parameters",
  "expression",
  "steps",
  "format",
  "list",
  "object",
] as const;

const optionShape = shape(
  () => ({
    name: z.string(),
    kind: z.enum(kinds).describe("What the value means and how it is drawn."),
    type: z.enum(["string", "boolean", "integer", "number", "array", "object"]).describe("What the value is in JSON."),
    title: z.string().optional(),
    doc: z.string(),
    required: z.boolean(),
    default: z.unknown().optional(),
    values: z.array(z.string()).optional().describe("The words an enum allows."),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    group: z.enum(["common", "advanced", "security"]),
    secret: z.boolean(),
    examples: z.array(z.unknown()).optional(),
    inline: z.boolean().optional(),
    shorthand: z.string().optional(),
    item: z
      .lazy(() => optionShape())
      .optional()
      .describe("Of a list: what each item is."),
    fields: z
      .array(z.lazy(() => optionShape()))
      .optional()
      .describe("Of an object: its members."),
  }),
  "CatalogOption",
);

const options = (): z.ZodType => z.array(optionShape());

const described = (): Readonly<Record<string, z.ZodType>> => ({
  title: z.string(),
  summary: z.string(),
  group: z.string(),
  icon: z.string().optional(),
  since: z.string(),
  examples: z.array(z.unknown()),
});

const named = (more: Readonly<Record<string, z.ZodType>>): z.ZodType =>
  z.array(z.looseObject({ ...described(), name: z.string(), ...more, options: options() }));

export const catalogShape = shape(
  () => ({
    common: options().describe("What every step takes beside its own options."),
    route: options(),
    from: options(),
    steps: named({ shorthand: z.string().optional(), adoptsSiblings: z.boolean().optional() }),
    connectors: z.array(
      z.looseObject({
        ...described(),
        scheme: z.string(),
        aliases: z.array(z.string()),
        syntax: z.string(),
        lenient: z.boolean(),
        roles: z.array(z.enum(["source", "sink", "poller"])),
        path: options(),
        options: options(),
        headers: options(),
      }),
    ),
    languages: named({ textKey: z.string() }),
    formats: named({ shorthand: z.string().optional() }),
    entities: named({
      shorthand: z.string().optional(),
      beforeRoutes: z.boolean().optional(),
      many: z.boolean().optional(),
      raw: z.boolean().optional(),
    }),
    beans: z.array(z.looseObject({ ...described(), names: z.array(z.string()), kind: z.string(), properties: options() })),
    refused: z.record(z.string(), z.string()).describe("Camel words that are refused, each with what to use instead."),
  }),
  "Catalog",
);
