// Warnings about valid policies that are probably not intended; returned in the reply to a PUT.
import type { Policy, Scheme } from "./policy-document.ts";
import { defaultKeyName } from "./schemes/api-key.ts";

export function policyWarnings(policy: Policy, variable: (name: string) => string | undefined, now: number): readonly string[] {
  const schemes = policy.authenticate ?? [];
  return [
    ...schemes.flatMap((scheme, index) => [...unsetVariables(scheme, index, variable), ...schemeWarnings(scheme, index, now)]),
    ...shadowedSchemes(schemes),
    ...unreachableRoles(policy),
  ];
}

function unsetVariables(scheme: Scheme, index: number, variable: (name: string) => string | undefined): readonly string[] {
  return secretsOf(scheme).flatMap(([path, secret]) =>
    "env" in secret && (variable(secret.env) ?? "") === ""
      ? [`authenticate[${index}].${path}: environment variable '${secret.env}' is not set, so no credential matches it`]
      : [],
  );
}

/** All secrets of a scheme with their paths. */
export function secretsOf(scheme: Scheme): readonly (readonly [path: string, secret: object & ({ readonly env: string } | object)])[] {
  switch (scheme.type) {
    case "apiKey":
      return scheme.keys.map(({ key }, index) => [`keys[${index}].key`, key]);
    case "basic":
      return scheme.users.map(({ password }, index) => [`users[${index}].password`, password]);
    case "hmac":
      return scheme.secrets.map((secret, index) => [`secrets[${index}]`, secret]);
    case "jwt":
      return [];
  }
}

function schemeWarnings(scheme: Scheme, index: number, now: number): readonly string[] {
  if (scheme.type === "apiKey")
    return scheme.keys.flatMap(({ id, expiresAt }, key) =>
      expiresAt !== undefined && Date.parse(expiresAt) <= now ? [`authenticate[${index}].keys[${key}]: key '${id}' has expired`] : [],
    );
  if (scheme.type !== "jwt") return [];
  const warnings: string[] = [];
  if (scheme.issuer === undefined) warnings.push(`authenticate[${index}].issuer is not set, so tokens of any issuer that uses these keys are accepted`);
  if (scheme.audience === undefined) warnings.push(`authenticate[${index}].audience is not set, so tokens issued for other services are accepted`);
  if (scheme.requireExp === false) warnings.push(`authenticate[${index}].requireExp is false, so tokens that never expire are accepted`);
  const { protocol, hostname } = new URL(scheme.jwksUri);
  const isLocal = /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
  return protocol === "http:" && !isLocal
    ? [...warnings, `authenticate[${index}].jwksUri is fetched without encryption: an attacker on the network can forge tokens`]
    : warnings;
}

/** The first scheme whose credential is present decides, so a second one in the same location is never used. */
function shadowedSchemes(schemes: readonly Scheme[]): readonly string[] {
  const locations = new Map<string, number>();
  return schemes.flatMap((scheme, index) => {
    const location = locationOf(scheme);
    const first = location === undefined ? undefined : locations.get(location);
    if (location !== undefined && first === undefined) locations.set(location, index);
    return first === undefined ? [] : [`authenticate[${index}] is never used: authenticate[${first}] reads the same location`];
  });
}

function locationOf(scheme: Scheme): string | undefined {
  if (scheme.type === "apiKey")
    return scheme.in === "query" ? `query ${scheme.name ?? defaultKeyName}` : `header ${(scheme.name ?? defaultKeyName).toLowerCase()}`;
  if (scheme.type === "hmac") return `header ${scheme.preset ?? scheme.header?.toLowerCase()}`;
  return scheme.type === "basic" ? "basic" : undefined;
}

function unreachableRoles({ authenticate = [], rules = [] }: Policy): readonly string[] {
  if (authenticate.some(({ type }) => type === "jwt")) return [];
  const granted = new Set(
    authenticate.flatMap((scheme) =>
      scheme.type === "apiKey"
        ? scheme.keys.flatMap(({ roles }) => roles ?? [])
        : scheme.type === "basic"
          ? scheme.users.flatMap(({ roles }) => roles ?? [])
          : scheme.type === "hmac"
            ? (scheme.roles ?? [])
            : [],
    ),
  );
  return rules.flatMap(({ roles }, index) =>
    roles === undefined || roles.some((role) => granted.has(role)) ? [] : [`rules[${index}]: no credential has any of its roles`],
  );
}
