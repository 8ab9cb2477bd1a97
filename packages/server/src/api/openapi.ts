// The OpenAPI 3.1 document of the management API and the deployed webhooks, generated from the endpoint declarations.
import { describe, type Field, type Fields } from "@sluice/model";
import { z } from "zod";
import { servedVersions } from "../http/api-version.ts";
import type { DescribedWebhooks } from "./describe-webhooks.ts";
import { isBodyOptional, type Endpoint, type ReplyShape, type Shape } from "./endpoint.ts";
import { errorResponse, ErrorResponses, otherError } from "./error-responses.ts";
import { webhookOperations } from "./openapi-webhooks.ts";
import { tags, webhookTag } from "./tags.ts";

export interface OpenApiOptions {
  readonly version: string;
  readonly endpoints: readonly Endpoint[];
  readonly webhooks: DescribedWebhooks;
}

type Json = Readonly<Record<string, unknown>>;

export function openApiDocument({ version, endpoints, webhooks }: OpenApiOptions): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  const definitions: Definitions = { schemas: new NamedSchemas(), errors: new ErrorResponses() };
  for (const endpoint of endpoints)
    (paths[`/_api${endpoint.path.replaceAll(/:(\w+)/g, "{$1}")}`] ??= {})[endpoint.method.toLowerCase()] = operation(endpoint, definitions);
  for (const webhook of webhooks.webhooks) paths[webhook.path] = { ...webhookOperations(webhook), ...paths[webhook.path] };
  return {
    openapi: "3.1.0",
    info: {
      title: "Sluice",
      version,
      description,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags: [...Object.entries(tags).map(([name, tag]) => tagObject({ name, ...tag })), ...(webhooks.webhooks.length === 0 ? [] : [tagObject(webhookTag)])],
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
            'The hash of the version that the change is based on, in double quotes. The change is rejected with 412 if the runtime has another version. `*` matches any existing version; a weak ETag (`W/"…"`) matches none.',
          schema: { type: "string" },
        },
        IfNoneMatchETag: {
          name: "If-None-Match",
          in: "header",
          required: false,
          description:
            "The ETag of a previous response, or several separated by commas. If the item still has one of them, the response is 304 without a body; `*` matches any item. The ETag covers the item as it was deployed, not its state, such as the status of routes or the flows that use it.",
          schema: { type: "string" },
        },
        IfNoneMatch: {
          name: "If-None-Match",
          in: "header",
          required: false,
          description: "`*` rejects the change with 412 if the item exists, so that nothing is replaced by mistake.",
          schema: { type: "string" },
        },
      },
      headers,
      responses: {
        NotModified: { description: "The item still has an ETag in If-None-Match. The response has no body.", ...etagHeader },
        ...(webhooks.webhooks.length === 0 ? {} : { [otherError]: { ...errorResponse(["request-invalid"]), description: otherErrorText } }),
        ...definitions.errors.all(),
      },
      schemas: {
        Error: {
          type: "object",
          properties: { error: { type: "string", maxLength: 500, description: "One sentence with the problem and its location." } },
          required: ["error"],
          additionalProperties: false,
        },
        ...definitions.schemas.all(),
      },
    },
  };
}

const description = `The management API of the runtime and the webhooks it serves.

Every call except \`GET /_api/health\` requires the deploy token. An error response has the body \`{"error": "<text>"}\`; the header \`X-Error-Code\` has a code that does not change when the text is improved. If a flow is rejected, it is the code of the first problem in the flow. Each operation lists the errors that it can respond with; any other method on its path gets 405. Operations with GET also support HEAD.`;

const otherErrorText = "Any other error, for example 408, 414 or 431 when the request cannot be read.";

const headers: Json = {
  ErrorCode: {
    description: "The code of the error or, if a document is rejected, of its first problem.",
    schema: { type: "string", pattern: "^[a-z0-9]+(-[a-z0-9]+)*$" },
  },
  RetryAfter: { description: "Seconds to wait before the next attempt.", schema: { type: "integer" } },
  ETag: { description: "The hash of the item in double quotes, for If-Match and If-None-Match.", schema: { type: "string" } },
};

const tagObject = ({ name, title, description: text }: { readonly name: string; readonly title: string; readonly description: string }): Json => ({
  name,
  description: text,
  "x-displayName": title,
});

interface Definitions {
  readonly schemas: NamedSchemas;
  readonly errors: ErrorResponses;
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

function operation(endpoint: Endpoint, { schemas, errors }: Definitions): Json {
  const { method, open, conditional, tagged, replies } = endpoint;
  const isRevalidated = method === "GET" && tagged === true;
  const parameters = [
    ...pathParameters(endpoint),
    ...queryParameters(endpoint.query),
    ...(isRevalidated ? [{ $ref: "#/components/parameters/IfNoneMatchETag" }] : []),
    ...(conditional !== undefined ? [{ $ref: "#/components/parameters/IfMatch" }, { $ref: "#/components/parameters/IfNoneMatch" }] : []),
    { $ref: "#/components/parameters/AcceptApiVersion" },
  ];
  const success = Object.entries(replies).map(([status, reply]) => [status, { ...replyObject(reply, schemas), ...(tagged === true ? etagHeader : {}) }]);
  return {
    operationId: operationId(endpoint),
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: endpoint.description,
    ...(open === true ? { security: [] } : {}),
    parameters,
    ...(endpoint.body === undefined ? {} : { requestBody: { required: !isBodyOptional(endpoint), content: bodyContent(endpoint, schemas) } }),
    responses: { ...errors.of(endpoint), ...(isRevalidated ? unchanged : {}), ...Object.fromEntries(success) },
  };
}

const unchanged = { "304": { $ref: "#/components/responses/NotModified" } };

const etagHeader = { headers: { ETag: { $ref: "#/components/headers/ETag" } } };

function pathParameters({ path, tag }: Endpoint): readonly Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    ...tags[tag].parameters?.[name],
    schema: { type: "string" },
  }));
}

const operationId = ({ method, path }: Endpoint): string =>
  `${method.toLowerCase()}${path.replaceAll(/[/:.-]+(\w)/g, (_all, letter: string) => letter.toUpperCase())}`;

function bodyContent(endpoint: Endpoint, schemas: NamedSchemas): Json {
  const raw = (endpoint.rawBody ?? []).map((type) => [type, textContent] as const);
  const { example } = endpoint;
  const json = { schema: schemas.of(endpoint.body as z.ZodType, "input"), ...(example === undefined ? {} : { example }) };
  return { "application/json": json, ...Object.fromEntries(raw) };
}

const textContent = { schema: { type: "string" } } as const;

function replyObject({ description, schema, mediaType, alsoAs = [], example, events }: ReplyShape, schemas: NamedSchemas): Json {
  if (schema === undefined && mediaType === undefined) return { description };
  const main = {
    ...(schema === undefined ? textContent : { schema: schemas.of(schema(), "output") }),
    ...(example === undefined ? {} : { example }),
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
    const { spec, item } = describe(field as Field<unknown>);
    return {
      name,
      in: "query",
      required: spec.required === true,
      description: spec.doc,
      ...(item === undefined ? {} : { style: "form", explode: false }),
      schema: querySchema(field as Field<unknown>),
    };
  });
}

function querySchema(field: Field<unknown>): Json {
  const { kind, spec, values, item } = describe(field);
  if (item !== undefined) return { type: "array", items: querySchema(item) };
  const { min, max } = spec as { readonly min?: number; readonly max?: number };
  return {
    type: queryTypes[kind] ?? "string",
    ...(values === undefined ? {} : { enum: values }),
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
    ...(spec.default === undefined ? {} : { default: spec.default }),
  };
}
