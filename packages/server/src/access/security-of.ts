// A policy in the words of OpenAPI: its schemes, and what a call of one route by one method has to show.
import { accessRules } from "./access-rules.ts";
import { defaultKeyName } from "./schemes/api-key.ts";
import { signatureFormat } from "./schemes/signature-format.ts";
import type { Policy, Scheme } from "./policy-document.ts";

type Json = Readonly<Record<string, unknown>>;
/** Alternatives, each a scheme's name with the role it asks for; none at all means open. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

export interface PolicySecurity {
  readonly schemes: Readonly<Record<string, Json>>;
  requirementsOf(routeId: string, method: string): readonly SecurityRequirement[];
}

/** `name` keeps the schemes of different flows apart. */
export function securityOf(name: string, policy: Policy): PolicySecurity {
  const schemes = (policy.authenticate ?? []).map((scheme, index) => [`${name}.${index + 1}.${scheme.type}`, schemeJson(scheme)] as const);
  const demands = accessRules(policy);
  return {
    schemes: Object.fromEntries(schemes),
    requirementsOf(routeId, method) {
      const { isPublic, roles } = demands(routeId, method);
      if (isPublic) return [];
      // Any of the roles suffices, so each is an alternative of its own.
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
      const what = scheme.preset === undefined ? `an HMAC (${algorithm}) of the body` : `the signature as ${scheme.preset} writes it`;
      return { type: "apiKey", in: "header", name: header, description: `The header holds ${what}${timed ? ", with the time it was made" : ""}.` };
    }
  }
}

function issuerText(issuer: string | readonly string[] | undefined): string {
  return issuer === undefined ? "A signed token." : `A token signed by ${[issuer].flat().join(" or ")}.`;
}
