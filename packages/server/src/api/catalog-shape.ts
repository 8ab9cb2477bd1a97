// The schema of the catalog. It must have the same members as CatalogView of the model.
import { z } from "zod";
import { nameKinds, paletteGroups } from "@sluice/model";
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
    kind: z.enum(kinds).describe("The kind of value, used to validate and edit it."),
    type: z.enum(["string", "boolean", "integer", "number", "array", "object"]).describe("The JSON type of the value."),
    title: z.string().optional(),
    doc: z.string(),
    required: z.boolean(),
    default: z.unknown().optional(),
    values: z.array(z.string()).optional().describe("The allowed values of an enum."),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    group: z.enum(["common", "advanced", "security"]),
    secret: z.boolean(),
    examples: z.array(z.unknown()).optional(),
    multiline: z.boolean().optional().describe("The value usually has several lines."),
    connection: z.array(z.string()).optional().describe("The value is the id of a connection of one of these kinds."),
    browse: z
      .object({ what: z.string(), within: z.boolean().optional() })
      .optional()
      .describe("The value is, or with `within` contains, a name that the connection can list."),
    names: z.enum(nameKinds).optional().describe("The kind of object that the value, or each item, names."),
    inline: z.boolean().optional(),
    shorthand: z.string().optional(),
    item: z
      .lazy(() => optionShape())
      .optional()
      .describe("For a list, the type of its items."),
    fields: z
      .array(z.lazy(() => optionShape()))
      .optional()
      .describe("For an object, its members."),
  }),
  "CatalogOption",
);

const options = (): z.ZodType => z.array(optionShape());

const descriptionMembers = (): Readonly<Record<string, z.ZodType>> => ({
  title: z.string(),
  summary: z.string(),
  guarantees: z.string().optional().describe("Guarantees about delivery, order, memory and concurrency."),
  group: z.string(),
  icon: z.string().optional(),
  since: z.string(),
  keywords: z.array(z.string()).optional().describe("Additional search terms."),
  paletteGroup: z.enum(paletteGroups).optional().describe("Heading under which lists of steps show it."),
  card: z
    .object({ title: z.string().optional(), subtitle: z.string().optional() })
    .optional()
    .describe("The text of the step's card on the canvas, with option names in braces."),
  examples: z.array(z.unknown()),
});

const declarationList = (more: Readonly<Record<string, z.ZodType>>): z.ZodType =>
  z.array(z.looseObject({ ...descriptionMembers(), name: z.string(), ...more, options: options() }));

export const catalogShape = shape(
  () => ({
    common: options().describe("Options common to all steps."),
    route: options(),
    from: options(),
    steps: declarationList({
      shorthand: z.string().optional(),
      adoptsSiblings: z.boolean().optional(),
      clausesInSteps: z.array(z.string()).optional(),
      lanes: z.enum(["all", "one", "addresses"]).optional(),
      stepsTitle: z.string().optional(),
    }),
    connectors: z.array(
      z.looseObject({
        ...descriptionMembers(),
        scheme: z.string(),
        aliases: z.array(z.string()),
        syntax: z.string(),
        lenient: z.boolean(),
        roles: z.array(z.enum(["source", "sink", "poller"])),
        trigger: z.enum(["route", "request", "schedule", "outside"]).optional(),
        sourceStarter: z.record(z.string(), z.string()).optional().describe("Options that a source needs, with initial values."),
        sinkStarter: z.record(z.string(), z.string()).optional().describe("Options that a sink needs, with initial values."),
        local: z.boolean().optional().describe("Messages sent to it stay in the runtime."),
        path: options(),
        options: options(),
        headers: options(),
        loaded: z.boolean().optional().describe("False when the options are not loaded."),
      }),
    ),
    connections: z
      .array(
        z.looseObject({
          ...descriptionMembers(),
          type: z.string(),
          kinds: z.array(z.string()),
          fields: options(),
          beans: z.array(z.string()).describe("The Camel classes it replaces."),
          needs: z.array(z.object({ package: z.string(), version: z.string(), reason: z.string() })),
          verifiedAgainst: z.array(z.string()).describe("Servers it is tested against, with their versions."),
          browsable: z.boolean(),
          browses: z.array(z.string()).describe("The kinds of names that `POST /connections/{id}/browse` can list."),
        }),
      )
      .describe("The loaded connection types; with `full=true`, all connection types."),
    languages: declarationList({ textKey: z.string() }),
    formats: declarationList({ shorthand: z.string().optional() }),
    entities: declarationList({
      shorthand: z.string().optional(),
      beforeRoutes: z.boolean().optional(),
      many: z.boolean().optional(),
      raw: z.boolean().optional(),
    }),
    beans: z.array(z.looseObject({ ...descriptionMembers(), names: z.array(z.string()), kind: z.string(), properties: options() })),
    kamelets: z
      .array(z.looseObject({ name: z.string(), title: z.string(), summary: z.string(), type: z.string(), parameters: options() }))
      .describe("The Kamelets that flows can use: deployed ones, and those of SERVICE_KAMELETS."),
    plugins: z
      .array(
        z.looseObject({
          name: z.string(),
          version: z.string(),
          ...Object.fromEntries(["connectors", "steps", "languages", "formats", "beans", "connections"].map((kind) => [kind, z.array(z.string())])),
        }),
      )
      .describe("The packages in SERVICE_CONNECTORS and the names that each adds."),
    exceptions: z.array(z.string()).describe("The exception types that flows can name."),
    refused: z.record(z.string(), z.string()).describe("Keywords and endpoint schemes that a deployment rejects, each with the reason and an alternative."),
  }),
  "Catalog",
);
