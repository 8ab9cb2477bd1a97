// The deployed webhooks as operations of the OpenAPI document.
import type { PolicySecurity, SecurityRequirement } from "../access/security-of.ts";
import { errorResponse, otherError } from "./error-responses.ts";
import { webhookTag } from "./tags.ts";

type Json = Readonly<Record<string, unknown>>;

export interface BodyDescription {
  readonly mediaType: string;
  /** JSON Schema; undefined when only the media type is known. */
  readonly schema: Json | undefined;
}

export interface WebhookDescription {
  readonly routeId: string;
  readonly path: string;
  /** Undefined means every method. */
  readonly methods: readonly string[] | undefined;
  /** Also serves all paths below. */
  readonly prefix: boolean;
  readonly description: string | undefined;
  /** Undefined without a policy. */
  readonly security: Pick<PolicySecurity, "requirementsOf"> | undefined;
  readonly request: BodyDescription | undefined;
  readonly reply: BodyDescription | undefined;
  /** Set when the reply is sent before the message is processed: the member of the reply that identifies the run or message. */
  readonly acceptedIdMember: "runId" | "messageId" | undefined;
}

/** Only these methods are described. */
const describedMethods = ["GET", "PUT", "POST", "DELETE", "PATCH"];
const withoutBody = new Set(["GET", "DELETE", "HEAD"]);

/** The operations of a path, by method in lower case. */
export function webhookOperations(webhook: WebhookDescription): Readonly<Record<string, Json>> {
  const methods = (webhook.methods ?? describedMethods).filter((method) => describedMethods.includes(method));
  return Object.fromEntries(methods.map((method) => [method.toLowerCase(), operation(webhook, method)]));
}

function operation(webhook: WebhookDescription, method: string): Json {
  const { routeId, path, prefix, description, security, request } = webhook;
  const parameters = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => ({ name, in: "path", required: true, schema: { type: "string" } }));
  const takesBody = !withoutBody.has(method);
  const requirements: readonly SecurityRequirement[] = security?.requirementsOf(routeId, method) ?? [];
  return {
    operationId: `webhook_${method.toLowerCase()}_${path.replaceAll(/[^A-Za-z0-9.-]+/g, "_").replaceAll(/^_|_$/g, "")}`,
    tags: [webhookTag.name],
    summary: description ?? `Runs route ${routeId}`,
    description: `Runs route \`${routeId}\`.${prefix ? " Also serves all paths below this one." : ""}`,
    security: requirements,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(!takesBody ? {} : { requestBody: { required: request?.schema !== undefined, content: contentOf(request) } }),
    responses: { ...errorResponses(takesBody, requirements.length > 0, security !== undefined), ...success(webhook), default: otherResponse },
    "x-route-id": routeId,
  };
}

const contentOf = (body: BodyDescription | undefined): Json =>
  body === undefined ? { "*/*": { schema: {} } } : { [body.mediaType]: { schema: body.schema ?? {} } };

function success({ acceptedIdMember, reply }: WebhookDescription): Json {
  if (acceptedIdMember === undefined) return { "200": { description: "The route's reply.", content: contentOf(reply) } };
  const schema = { type: "object", properties: { [acceptedIdMember]: { type: "string" } }, required: [acceptedIdMember] };
  return { "202": { description: "Accepted for later processing.", content: { "application/json": { schema } } } };
}

/** The response to a failed run has no code. */
const failure = (description: string): Json => ({ description, content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } } });

const otherResponse = { $ref: `#/components/responses/${otherError}` };

/** Errors of the runtime and of a failed run. The route can set any other status. */
function errorResponses(takesBody: boolean, needsCredential: boolean, hasPolicy: boolean): Json {
  return {
    "404": errorResponse(["not-found"]),
    ...(takesBody ? { "413": errorResponse(["body-too-large"]), "415": errorResponse(["encoding-unsupported", "media-unsupported"]) } : {}),
    ...(needsCredential ? { "401": errorResponse(["unauthorized"]) } : {}),
    ...(hasPolicy ? { "403": errorResponse(["forbidden"]), "429": errorResponse(["rate-limited"]) } : {}),
    "500": failure("The run failed."),
    "503": errorResponse(["draining", "route-stopped", "saturated"]),
    "504": failure("The run did not finish in time."),
  };
}
