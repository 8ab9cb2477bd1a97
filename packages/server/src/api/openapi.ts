// The OpenAPI 3.1 document of the management API and the deployed webhooks, generated from the endpoint declarations.
import { describe, type Field, type Fields } from "@sluice/model";
import { z } from "zod";
import { servedVersions } from "../http/api-version.ts";
import type { DescribedWebhooks } from "./describe-webhooks.ts";
import { isBodyOptional, type Endpoint, type ReplyShape, type Shape } from "./endpoint.ts";
import { errorReply, webhookOperations } from "./openapi-webhooks.ts";

export interface OpenApiOptions {
  readonly version: string;
  readonly endpoints: readonly Endpoint[];
  readonly webhooks: DescribedWebhooks;
}

type Json = Readonly<Record<string, unknown>>;

export function openApiDocument({ version, endpoints, webhooks }: OpenApiOptions): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  const schemas = new NamedSchemas();
  for (const endpoint of endpoints)
    (paths[`/_api${endpoint.path.replaceAll(/:(\w+)/g, "{$1}")}`] ??= {})[endpoint.method.toLowerCase()] = operation(endpoint, schemas);
  for (const webhook of webhooks.webhooks) paths[webhook.path] = { ...webhookOperations(webhook), ...paths[webhook.path] };
  return {
    openapi: "3.1.0",
    info: {
      title: "Sluice",
      version,
      description: "The management API of the runtime and the webhooks it serves.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    security: [{ deployToken: [] }],
    paths,
    components: {
      securitySchemes: {
        deployToken: { type: "http", scheme: "bearer", description: "The value of SERVICE_DEPLOY_TOKEN." },
        ...webhooks.securitySchemes,
      },
      parameters: {
        AcceptApiVersion: {
          name: "Accept-Api-Version",
          in: "header",
          required: false,
          description: "The requested API version; by default the oldest version that the runtime serves. Other versions are rejected with 406.",
          schema: { type: "integer", enum: servedVersions.map(({ number }) => number) },
        },
        IfMatch: {
          name: "If-Match",
          in: "header",
          required: false,
          description:
            "The hash of the version that the change is based on, in double quotes. The change is rejected with 412 if the runtime has another version. `*` matches any existing version.",
          schema: { type: "string" },
        },
      },
      schemas: {
        Error: { type: "object", properties: { error: { type: "string", maxLength: 500 } }, required: ["error"], additionalProperties: false },
        ...schemas.all(),
      },
    },
  };
}

/** Collects named schemas, which are referenced instead of repeated. */
class NamedSchemas {
  readonly #definitions = new Map<string, Json>();

  of(schema: z.ZodType, io: "input" | "output"): Json {
    const jsonSchema = z.toJSONSchema(schema, { io, unrepresentable: "any", target: "draft-2020-12" });
    const {
      $schema: _dialect,
      $defs = {},
      ...rest
    } = JSON.parse(JSON.stringify(jsonSchema).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json & {
      readonly $defs?: Readonly<Record<string, Json>>;
    };
    for (const [name, definition] of Object.entries($defs)) this.#definitions.set(name, definition);
    return rest;
  }

  all(): Readonly<Record<string, Json>> {
    return Object.fromEntries([...this.#definitions].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }
}

function operation(endpoint: Endpoint, schemas: NamedSchemas): Json {
  const names = [...endpoint.path.matchAll(/:(\w+)/g)].map((match) => match[1] as string);
  const parameters = [
    ...names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
    ...queryParameters(endpoint.query),
    ...(endpoint.conditional === true ? [{ $ref: "#/components/parameters/IfMatch" }] : []),
    { $ref: "#/components/parameters/AcceptApiVersion" },
  ];
  return {
    operationId: operationId(endpoint),
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(endpoint.open === true ? { security: [] } : {}),
    parameters,
    ...(endpoint.body === undefined ? {} : { requestBody: { required: !isBodyOptional(endpoint), content: bodyContent(endpoint, schemas) } }),
    responses: {
      ...Object.fromEntries(Object.entries(endpoint.replies).map(([status, reply]) => [status, replyObject(reply, schemas)])),
      ...(endpoint.conditional === true ? { 412: { ...errorReply, description: "Changed since the hash in If-Match." } } : {}),
      default: errorReply,
    },
  };
}

const operationId = ({ method, path }: Endpoint): string =>
  `${method.toLowerCase()}${path.replaceAll(/[/:.-]+(\w)/g, (_all, letter: string) => letter.toUpperCase())}`;

function bodyContent(endpoint: Endpoint, schemas: NamedSchemas): Json {
  const raw = (endpoint.rawBody ?? []).map((type) => [type, textContent] as const);
  return { "application/json": { schema: schemas.of(endpoint.body as z.ZodType, "input") }, ...Object.fromEntries(raw) };
}

const textContent = { schema: { type: "string" } } as const;

function replyObject({ description, schema, mediaType, alsoAs = [], events }: ReplyShape, schemas: NamedSchemas): Json {
  if (schema === undefined && mediaType === undefined) return { description };
  const main = {
    ...(schema === undefined ? textContent : { schema: schemas.of(schema(), "output") }),
    ...(events === undefined ? {} : eventSchemas(events, schemas)),
  };
  return { description, content: { [mediaType ?? "application/json"]: main, ...Object.fromEntries(alsoAs.map((type) => [type, textContent])) } };
}

/** OpenAPI 3.1 cannot describe the events of a stream, so they are in an extension; other tools see plain text. */
function eventSchemas(events: Readonly<Record<string, Shape>>, schemas: NamedSchemas): Json {
  return { "x-events": Object.fromEntries(Object.entries(events).map(([name, event]) => [name, schemas.of(event(), "output")])) };
}

const queryTypes: Readonly<Record<string, string>> = { integer: "integer", number: "number", boolean: "boolean" };

function queryParameters(fields: Fields | undefined): readonly Json[] {
  return Object.entries(fields ?? {}).map(([name, field]) => {
    const { kind, spec, values } = describe(field as Field<unknown>);
    return {
      name,
      in: "query",
      required: spec.required === true,
      description: spec.doc,
      schema: {
        type: queryTypes[kind] ?? "string",
        ...(values === undefined ? {} : { enum: values }),
        ...(spec.default === undefined ? {} : { default: spec.default }),
      },
    };
  });
}
