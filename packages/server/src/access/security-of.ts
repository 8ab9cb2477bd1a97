// A policy in OpenAPI terms: its security schemes, and the requirements of each route and method.
import { accessRules } from "./access-rules.ts";
import { defaultKeyName } from "./schemes/api-key.ts";
import { signatureFormat } from "./schemes/signature-format.ts";
import type { Policy, Scheme } from "./policy-document.ts";

type Json = Readonly<Record<string, unknown>>;
/** One alternative: a scheme's name with the required role. A route with no alternatives is public. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

export interface PolicySecurity {
  readonly schemes: Readonly<Record<string, Json>>;
  requirementsOf(routeId: string, method: string): readonly SecurityRequirement[];
}

/** `name` makes scheme names unique across flows. */
export function securityOf(name: string, policy: Policy): PolicySecurity {
  const schemes = (policy.authenticate ?? []).map((scheme, index) => [`${name}.${index + 1}.${scheme.type}`, schemeJson(scheme)] as const);
  const findRequirement = accessRules(policy);
  return {
    schemes: Object.fromEntries(schemes),
    requirementsOf(routeId, method) {
      const { isPublic, roles } = findRequirement(routeId, method);
      if (isPublic) return [];
      // Any role is sufficient, so each is an alternative.
      return schemes.flatMap(([id]) => (roles === undefined || roles.length === 0 ? [{ [id]: [] }] : roles.map((role) => ({ [id]: [role] }))));
    },
  };
}

function schemeJson(scheme: Scheme): Json {
  switch (scheme.type) {
    case "apiKey":
      return { type: "apiKey", in: scheme.in ?? "header", name: scheme.name ?? defaultKeyName };
    case "basic":
      return { type: "http", scheme: "basic" };
    case "jwt":
      return { type: "http", scheme: "bearer", bearerFormat: "JWT", description: issuerText(scheme.issuer) };
    case "hmac": {
      const { header, algorithm, timed } = signatureFormat(scheme);
      const content = scheme.preset === undefined ? `an HMAC (${algorithm}) of the body` : `a signature in the format of ${scheme.preset}`;
      return { type: "apiKey", in: "header", name: header, description: `The header contains ${content}${timed ? " and its timestamp" : ""}.` };
    }
  }
}

function issuerText(issuer: string | readonly string[] | undefined): string {
  return issuer === undefined ? "A signed token." : `A token signed by ${[issuer].flat().join(" or ")}.`;
}
