// Describes the deployed webhooks: paths from the mounts, security from the policies, bodies from the data types a route declares or
// from the mapping documents at its start and end.
import type { HttpMount, Route, Runtime } from "@sluice/engine";
import { securityOf, type PolicySecurity } from "../access/security-of.ts";
import type { Policies } from "../access/policies.ts";
import type { WebhookMounts } from "../flows/webhook-mounts.ts";
import type { MessageMappings } from "../mappings/message-mappings.ts";
import type { BodyDescription, WebhookDescription } from "./openapi-webhooks.ts";

export interface WebhookParts {
  readonly mounts: WebhookMounts;
  readonly runtime: Runtime;
  readonly policies: Policies;
  readonly documents: MessageMappings;
}

type Json = Readonly<Record<string, unknown>>;

export interface DescribedWebhooks {
  readonly webhooks: readonly WebhookDescription[];
  readonly securitySchemes: Readonly<Record<string, Json>>;
}

export function describeWebhooks(parts: WebhookParts): DescribedWebhooks {
  const security = new Map<string, PolicySecurity>();
  for (const [flowId, stored] of parts.policies.list()) if ("policy" in stored) security.set(flowId, securityOf(flowId, stored.policy));
  const mounts = parts.mounts.list();
  const flowIds = new Set(mounts.map(({ flowId }) => flowId));
  const schemes = [...security].filter(([flowId]) => flowIds.has(flowId)).map(([, policySecurity]) => policySecurity.schemes);
  return {
    webhooks: mounts.map((mount) => describe(parts, mount, security.get(mount.flowId))),
    securitySchemes: Object.assign({}, ...schemes) as Record<string, Json>,
  };
}

function describe(parts: WebhookParts, { path, methods, prefix, routeId }: HttpMount, security: PolicySecurity | undefined): WebhookDescription {
  const route = parts.runtime.routes.get(routeId);
  const topSteps = (route?.steps ?? []).filter(({ depth }) => depth === topDepth(route));
  return {
    routeId,
    path,
    methods,
    prefix,
    description: route?.identity.description,
    security,
    request: declaredType(parts, routeId, "inputType") ?? mappedBody(parts, topSteps[0]?.uri, "source"),
    reply: declaredType(parts, routeId, "outputType") ?? mappedBody(parts, topSteps.at(-1)?.uri, "target"),
    acceptedIdMember: acceptedIdMember(route?.from ?? ""),
  };
}

const topDepth = (route: Route | undefined): number => Math.min(...(route?.steps ?? []).map(({ depth }) => depth));

function acceptedIdMember(from: string): WebhookDescription["acceptedIdMember"] {
  const options = new URLSearchParams(from.slice(from.indexOf("?") + 1));
  return options.get("durable") === "true" ? "messageId" : options.get("async") === "true" ? "runId" : undefined;
}

const mediaTypes: Readonly<Record<string, string>> = {
  json: "application/json",
  xml: "application/xml",
  csv: "text/csv",
  text: "text/plain",
  "plain-text": "text/plain",
  fixed: "text/plain",
  edi: "application/edifact",
};

/** The type that the route declares: `inputType: json` or `json:order`, as in Camel, or a media type. */
function declaredType({ runtime }: WebhookParts, routeId: string, option: "inputType" | "outputType"): BodyDescription | undefined {
  for (const { flow } of runtime.deployments.values()) {
    const urn = (flow.routes.find(({ id }) => id === routeId)?.options[option] as { urn?: string } | undefined)?.urn;
    if (urn === undefined) continue;
    const [kind = "", title] = urn.split(":");
    const mediaType = /^[\w.+-]+\/[\w.+-]+$/.test(urn) ? urn : mediaTypes[kind.toLowerCase()];
    return mediaType === undefined ? undefined : { mediaType, schema: title === undefined || title === "" ? undefined : { title } };
  }
  return undefined;
}

function mappedBody({ documents }: WebhookParts, uri: string | undefined, side: "source" | "target"): BodyDescription | undefined {
  const id = /^message-mapping:([^?]+)/.exec(uri ?? "")?.[1];
  const mapping = id === undefined ? undefined : documents.find(id);
  if (mapping?.mapping === undefined) return undefined;
  const { format, schema } = ((mapping.document as Record<string, unknown>)[side] ?? {}) as { format?: string; schema?: unknown };
  const mediaType = mediaTypes[format ?? ""];
  if (mediaType === undefined) return undefined;
  return { mediaType, schema: typeof schema === "object" && schema !== null ? (schema as Json) : undefined };
}
