// The declaration of access policies: the readers take the allowed names and values from here, and the JSON Schema is this.
import { closedObject, documentSchema, type JsonSchema } from "@sluice/model";
import { headerName, maxListLength } from "./document-reader.ts";
import { hmacPresets } from "./policy-document.ts";

/** Symmetric algorithms are not allowed: with a public key set they allow forged tokens. */
export const tokenAlgorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"] as const;
/** Limits the time a change takes: hashing a password takes tens of milliseconds. */
export const maxUsers = 1_000;
export const maxTemplateLength = 1_000;
export const methodPattern = /^[A-Z][A-Z-]{0,30}$/;
export const originPattern = /^(\*|[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#\s]+)$/;
export const variablePattern = /^[A-Za-z_][A-Za-z0-9_]{0,199}$/;
export const usernamePattern = /^[^:]+$/;
export const timePattern = /^\d{4}-\d\d-\d\dT/;
/** Settings of the runtime, which policies cannot use. */
export const settingPattern = /^[Ss][Ee][Rr][Vv][Ii][Cc][Ee]_/;

const ref = (name: string): JsonSchema => ({ $ref: `#/$defs/${name}` });
const text = (description: string, more: JsonSchema = {}): JsonSchema => ({ type: "string", minLength: 1, description, ...more });
const matching = (pattern: RegExp, description: string): JsonSchema => text(description, { pattern: pattern.source });
const list = (items: JsonSchema, description: string): JsonSchema => ({ type: "array", minItems: 1, maxItems: maxListLength, items, description });
const texts = (description: string): JsonSchema => list({ type: "string", minLength: 1 }, description);
const textOrTexts = (description: string): JsonSchema => ({ anyOf: [{ type: "string", minLength: 1 }, texts("")], description });
const integer = (minimum: number, maximum: number, description: string, more: JsonSchema = {}): JsonSchema => ({
  type: "integer",
  minimum,
  maximum,
  description,
  ...more,
});
const header = (description: string): JsonSchema => matching(headerName, description);
const headers = (description: string): JsonSchema => list({ type: "string", pattern: headerName.source }, description);
const methods = (description: string): JsonSchema => list({ type: "string", pattern: methodPattern.source }, description);
/** An empty list is accepted, because GET returns it. */
const roles: JsonSchema = { type: "array", maxItems: maxListLength, items: { type: "string", minLength: 1 }, description: "Roles of the caller." };
const secret = (description: string): JsonSchema => ({ anyOf: [{ type: "string", minLength: 1 }, ref("variable")], description, writeOnly: true });
const fingerprint: JsonSchema = { description: "Returned by GET; ignored." };

export const variableSchema = closedObject(
  { env: { type: "string", pattern: variablePattern.source, not: { pattern: settingPattern.source }, description: "Name of the variable of the runtime." } },
  { title: "Environment variable", required: ["env"] },
);

export const keySchema = closedObject(
  {
    id: text("Name of the caller; unique in the policy."),
    key: secret("The key. It is stored as a hash; `***` keeps the stored one."),
    fingerprint,
    roles,
    expiresAt: matching(timePattern, "Time at which the key expires, such as `2027-01-01T00:00:00Z`."),
  },
  { title: "API key", required: ["id", "key"] },
);

export const keyLocations = ["header", "query"] as const;

export const apiKeySchema = closedObject(
  {
    type: { const: "apiKey", description: "Kind of credentials." },
    in: { enum: keyLocations, description: "Where the caller sends the key.", default: "header" },
    name: text("Name of the header or of the query parameter.", { default: "X-API-Key" }),
    keys: list(ref("key"), "The keys."),
  },
  {
    title: "Scheme apiKey",
    required: ["type", "keys"],
    anyOf: [{ properties: { in: { const: "query" } }, required: ["in"] }, { properties: { name: { pattern: headerName.source } } }],
  },
);

export const userSchema = closedObject(
  {
    username: matching(usernamePattern, "User name, without a colon; unique in the policy."),
    password: secret("The password. It is stored as a hash; `***` keeps the stored one."),
    fingerprint,
    roles,
  },
  { title: "User", required: ["username", "password"] },
);

export const basicSchema = closedObject(
  { type: { const: "basic", description: "Kind of credentials." }, users: { ...list(ref("user"), "The users."), maxItems: maxUsers } },
  { title: "Scheme basic", required: ["type", "users"] },
);

export const jwtSchema = closedObject(
  {
    type: { const: "jwt", description: "Kind of credentials." },
    jwksUri: matching(/^[Hh][Tt][Tt][Pp][Ss]?:(?!\/\/[^/?#]*@)/, "URL of the key set, without a user name or password."),
    issuer: textOrTexts("Allowed issuers."),
    audience: textOrTexts("Allowed audiences."),
    algorithms: list({ enum: tokenAlgorithms }, "Allowed algorithms; by default RS256 and ES256."),
    rolesClaim: text("Claim that contains the roles."),
    clockSkewSec: integer(0, 600, "Allowed difference between the clocks, in seconds.", { default: 0 }),
    requireExp: { type: "boolean", description: "Whether a token must have an expiry time.", default: true },
  },
  { title: "Scheme jwt", required: ["type", "jwksUri"] },
);

export const signingSecretSchema = closedObject(
  { value: secret("The secret; `***` keeps the stored one."), fingerprint },
  { title: "Stored signing secret", description: "As returned by GET.", required: ["value"] },
);

export const hmacAlgorithms = ["sha1", "sha256", "sha384", "sha512"] as const;
export const hmacEncodings = ["hex", "base64", "base64url"] as const;

/** Options that a preset defines. */
const customHmac = {
  header: header("Header that contains the signature."),
  algorithm: { enum: hmacAlgorithms, description: "Hash function.", default: "sha256" },
  encoding: { enum: hmacEncodings, description: "Encoding of the signature.", default: "hex" },
  prefix: { type: "string", description: "Text before the signature, such as `sha256=`." },
  template: text("Signed text, with `{body}` once and optionally `{timestamp}`, `{method}` and `{path}`.", {
    maxLength: maxTemplateLength,
    pattern: "\\{body\\}",
    default: "{body}",
  }),
  timestampHeader: header("Header that contains the time, for templates with `{timestamp}`."),
} satisfies Record<string, JsonSchema>;
export const customHmacOptions = Object.keys(customHmac) as readonly (keyof typeof customHmac)[];

export const hmacSchema = closedObject(
  {
    type: { const: "hmac", description: "Kind of credentials." },
    id: text("Name of the caller; by default the name of the preset, or `hmac`."),
    preset: { enum: hmacPresets, description: "Signature format of a known sender; excludes the options from `header` to `timestampHeader`." },
    secrets: list({ anyOf: [{ type: "string", minLength: 1 }, ref("variable"), ref("signingSecret")], writeOnly: true }, "Secrets; each is tried."),
    roles,
    toleranceSec: integer(1, 86_400, "Maximum age of the timestamp in seconds."),
    ...customHmac,
  },
  {
    title: "Scheme hmac",
    required: ["type", "secrets"],
    anyOf: [
      { required: ["preset"], not: { anyOf: Object.keys(customHmac).map((name) => ({ required: [name] })) } },
      { required: ["header"], not: { required: ["preset"] } },
    ],
  },
);

export const ruleSchema = closedObject(
  {
    routes: texts("Ids of routes; by default all."),
    methods: methods("HTTP methods, such as POST; by default all."),
    roles: texts("Roles of which the caller needs one."),
    public: { type: "boolean", description: "Whether callers need no credentials.", default: false },
  },
  { title: "Rule", not: { properties: { public: { const: true } }, required: ["public", "roles"] } },
);

const network: JsonSchema = { type: "string", pattern: "^[0-9A-Fa-f.:]+(/[0-9]+)?$" };
export const addressesSchema = closedObject(
  {
    allow: list(network, "Addresses and networks that may call; by default all."),
    deny: { type: "array", maxItems: maxListLength, items: network, description: "Addresses and networks that may not call." },
  },
  { title: "Addresses", description: "Addresses and networks, such as `10.0.0.0/8` or `2001:db8::/32`." },
);

export const rateLimitKeys = ["principal", "ip", "route"] as const;
export const rateLimitSchema = closedObject(
  {
    limit: integer(1, 1_000_000_000, "Number of requests."),
    windowSec: integer(1, 86_400 * 31, "Period in seconds."),
    by: { enum: rateLimitKeys, description: "What is counted separately.", default: "principal" },
  },
  { title: "Rate limit", required: ["limit", "windowSec"] },
);

export const corsSchema = closedObject(
  {
    origins: list({ type: "string", pattern: originPattern.source }, "Allowed origins, such as `https://shop.example`, or `*`."),
    methods: methods("Allowed methods."),
    headers: headers("Allowed request headers."),
    exposeHeaders: headers("Response headers that pages may read."),
    credentials: { type: "boolean", description: "Whether requests may contain credentials; not with the origin `*`.", default: false },
    maxAgeSec: integer(0, 86_400, "Seconds for which browsers keep the answer."),
  },
  { title: "CORS", required: ["origins"] },
);

export const defaults = ["deny", "allow"] as const;
export const schemeTypes = ["apiKey", "basic", "jwt", "hmac"] as const;

const policyProperties = {
  authenticate: list({ oneOf: schemeTypes.map((type) => ref(`scheme.${type}`)) }, "Schemes; the first one whose credentials are present is used."),
  rules: list(ref("rule"), "Rules; the first one that matches the request decides."),
  default: { enum: defaults, description: "What happens without a matching rule; by default `deny` with rules, `allow` without." },
  ip: { ...ref("addresses"), description: "Addresses that may call." },
  rateLimit: { ...ref("rateLimit"), description: "Maximum number of requests." },
  cors: { ...ref("cors"), description: "Access from web pages of other origins." },
} satisfies Record<string, JsonSchema>;
export const policyMembers = Object.keys(policyProperties);

/** Members that GET adds: clients that read, edit and write a policy send them back. */
const readOnlyMembers = ["flowId", "lastModified", "hash"];
export const policySchema = closedObject(
  {
    ...policyProperties,
    ...Object.fromEntries(readOnlyMembers.map((name) => [name, { readOnly: true, description: "Returned by GET; ignored." }])),
  },
  { anyOf: policyMembers.map((name) => ({ required: [name] })) },
);

/** The JSON Schema of access policies. */
export const policyDocumentSchema = (): JsonSchema =>
  documentSchema("policy", "Sluice access policy", {
    description: "Who may call the webhooks of a flow.",
    ...policySchema,
    $defs: {
      "scheme.apiKey": apiKeySchema,
      key: keySchema,
      "scheme.basic": basicSchema,
      user: userSchema,
      "scheme.jwt": jwtSchema,
      "scheme.hmac": hmacSchema,
      signingSecret: signingSecretSchema,
      variable: variableSchema,
      rule: ruleSchema,
      addresses: addressesSchema,
      rateLimit: rateLimitSchema,
      cors: corsSchema,
    },
  });
