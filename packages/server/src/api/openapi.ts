// The OpenAPI 3.1 document of the management API and of the webhooks in service, made from the endpoints' declarations.
import { describe, type Field, type Fields } from "@sluice/model";
import { z } from "zod";
import { servedVersions } from "../http/api-version.ts";
import type { DescribedWebhooks } from "./describe-webhooks.ts";
import type { Endpoint, ReplyShape } from "./endpoint.ts";
import { errorReply, webhookOperations } from "./openapi-webhooks.ts";

export interface OpenApiOptions {
  readonly version: string;
  readonly endpoints: readonly Endpoint[];
  readonly webhooks: DescribedWebhooks;
}

type Json = Readonly<Record<string, unknown>>;

export function openApiDocument({ version, endpoints, webhooks }: OpenApiOptions): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of endpoints) (paths[`/_api${endpoint.path.replaceAll(/:(\w+)/g, "{$1}")}`] ??= {})[endpoint.method.toLowerCase()] = operation(endpoint);
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
          description: "The version of this API that is to answer; without it the oldest one served. One that is not served is refused with 406.",
          schema: { type: "integer", enum: servedVersions.map(({ number }) => number) },
        },
      },
      schemas: { Error: { type: "object", properties: { error: { type: "string", maxLength: 500 } }, required: ["error"], additionalProperties: false } },
    },
  };
}

function operation(endpoint: Endpoint): Json {
  const names = [...endpoint.path.matchAll(/:(\w+)/g)].map((match) => match[1] as string);
  const parameters = [
    ...names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
    ...queryParameters(endpoint.query),
    { $ref: "#/components/parameters/AcceptApiVersion" },
  ];
  return {
    operationId: operationId(endpoint),
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(endpoint.open === true ? { security: [] } : {}),
    parameters,
    ...(endpoint.body === undefined ? {} : { requestBody: { required: true, content: bodyContent(endpoint) } }),
    responses: { ...Object.fromEntries(Object.entries(endpoint.replies).map(([status, reply]) => [status, replyObject(reply)])), default: errorReply },
  };
}

const operationId = ({ method, path }: Endpoint): string =>
  `${method.toLowerCase()}${path.replaceAll(/[/:.-]+(\w)/g, (_all, letter: string) => letter.toUpperCase())}`;

function bodyContent(endpoint: Endpoint): Json {
  const raw = (endpoint.rawBody ?? []).map((type) => [type, { schema: { type: "string" } }] as const);
  return { "application/json": { schema: schemaOf(endpoint.body as z.ZodType, "input") }, ...Object.fromEntries(raw) };
}

function replyObject({ description, schema, mediaType }: ReplyShape): Json {
  if (schema === undefined && mediaType === undefined) return { description };
  return { description, content: { [mediaType ?? "application/json"]: { schema: schema === undefined ? { type: "string" } : schemaOf(schema, "output") } } };
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any", target: "draft-2020-12" }) as Record<string, unknown>;
  return rest;
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
