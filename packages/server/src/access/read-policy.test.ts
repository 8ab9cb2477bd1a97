import { hash } from "node:crypto";
import { changedDocuments } from "@sluice/testkit";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Policy } from "./policy-document.ts";
import { policyDocumentSchema } from "./policy-schema.ts";
import { readPolicy } from "./read-policy.ts";
import { hashPasswords } from "./hash-passwords.ts";
import { maskPolicy } from "./mask-policy.ts";

const example = {
  authenticate: [
    { type: "apiKey", in: "header", name: "X-API-Key", keys: [{ id: "shop", key: "s3cr3t", roles: ["orders.write"], expiresAt: "2027-01-01T00:00:00Z" }] },
    { type: "basic", users: [{ username: "erp", password: { env: "ERP_PW" }, roles: ["orders.read"] }] },
    {
      type: "jwt",
      issuer: "https://idp.example.com",
      audience: "sluice",
      jwksUri: "https://idp.example.com/jwks",
      algorithms: ["RS256", "ES256"],
      rolesClaim: "realm_access.roles",
      clockSkewSec: 30,
    },
    { type: "hmac", preset: "github", secrets: [{ env: "GH_SECRET" }], roles: ["hooks"] },
  ],
  rules: [
    { routes: ["order-*"], methods: ["POST"], roles: ["orders.write", "hooks"] },
    { methods: ["GET"], public: true },
  ],
  default: "deny",
  ip: { allow: ["10.0.0.0/8"], deny: [] },
  rateLimit: { limit: 100, windowSec: 60, by: "principal" },
  cors: { origins: ["https://shop.example"] },
};

const problems = (document: unknown): readonly string[] => readPolicy(document, undefined).problems;
const apiKeyWith = (key: object): object => ({ authenticate: [{ type: "apiKey", keys: [{ id: "a", key: "k", ...key }] }] });
const hmacWith = (options: object): object => ({ authenticate: [{ type: "hmac", secrets: ["s"], ...options }] });

const isPolicy = new Ajv2020({ strictRequired: false, strictTypes: false, allowUnionTypes: true }).compile(policyDocumentSchema());
/** Problems that compare several members or parse text, which a schema cannot. */
const beyondSchema = /no secret is stored|used twice|must be base64|template signs|must contain \{timestamp\}|supports only|origin '\*'|such as 10\.0\.0\.0/;

describe("reading a policy", () => {
  it("accepts a valid policy and replaces its plain-text key with a hash", () => {
    const { policy, problems: found } = readPolicy(example, undefined);
    expect(found).toEqual([]);
    expect(JSON.stringify(policy)).not.toContain("s3cr3t");
    expect(policy.authenticate?.[0]).toEqual({
      type: "apiKey",
      in: "header",
      name: "X-API-Key",
      keys: [{ id: "shop", key: { sha256: hash("sha256", "s3cr3t", "hex") }, roles: ["orders.write"], expiresAt: "2027-01-01T00:00:00Z" }],
    });
    expect({ ...policy, authenticate: undefined }).toEqual({ ...example, authenticate: undefined });
  });

  it.each<[string, unknown]>([
    ["the policy is empty: set authenticate, rules, default, ip, rateLimit or cors", {}],
    ["must be an object", []],
    ["authenticate: must not be empty", { authenticate: [] }],
    ["authenticate: must be a list", { authenticate: {} }],
    ["authenticate[0].type: is required", { authenticate: [{}] }],
    ["authenticate[0].type: must be one of apiKey, basic, jwt, hmac", { authenticate: [{ type: "digest" }] }],
    ["unknown property 'autenticate' (did you mean 'authenticate'?)", { autenticate: [], default: "deny" }],
    ["rules[0]: unknown property 'role' (did you mean 'roles'?)", { rules: [{ role: ["x"] }] }],
    ["rules[0].roles: must not be empty", { rules: [{ roles: [] }] }],
    ["rules[0].public: must be true or false", { rules: [{ public: "yes" }] }],
    ["rules[0]: a public rule does not check roles: remove public or roles", { rules: [{ public: true, roles: ["x"] }] }],
    ["rules[0].methods[0]: must be a method such as POST", { rules: [{ methods: ["post"] }] }],
    ["default: must be one of deny, allow", { default: "open" }],
    ["ip.allow[1]: must be an address or a network such as 10.0.0.0/8 or 2001:db8::/32", { ip: { allow: ["::1", "10.0.0.0/99"] } }],
    ["ip.allow: must not be empty: omit it to allow every address", { ip: { allow: [] } }],
    ["rateLimit.limit: must be an integer from 1 to 1000000000", { rateLimit: { limit: 0, windowSec: 1 } }],
    ["rateLimit.windowSec: is required", { rateLimit: { limit: 1 } }],
    ["cors.origins[0]: must be an origin such as https://shop.example", { cors: { origins: ["https://shop.example/path"] } }],
    ["cors.credentials: cannot be combined with the origin '*': list the origins", { cors: { origins: ["*"], credentials: true } }],
    ["authenticate[0].keys[0].key: must not be empty", apiKeyWith({ key: "" })],
    ["authenticate[0].keys[0].key: '***' means the stored secret, but no secret is stored", apiKeyWith({ key: "***" })],
    ["authenticate[0].keys[0].id: must not be empty", apiKeyWith({ id: "" })],
    ['authenticate[0].keys[0].key: must be a string or {"env": "NAME"}', apiKeyWith({ key: 5 })],
    ["authenticate[0].keys[0].key.env: is a setting of the runtime, which policies cannot use", apiKeyWith({ key: { env: "SERVICE_DEPLOY_TOKEN" } })],
    ["authenticate[0].keys[0].key.env: must be the name of an environment variable", apiKeyWith({ key: { env: "A B" } })],
    ["authenticate[0].keys[0].expiresAt: must be a time such as 2027-01-01T00:00:00Z", apiKeyWith({ expiresAt: "soon" })],
    [
      "authenticate[0].keys[1].id: is used twice: it must be unique in the policy",
      {
        authenticate: [
          {
            type: "apiKey",
            keys: [
              { id: "a", key: "1" },
              { id: "a", key: "2" },
            ],
          },
        ],
      },
    ],
    [
      "authenticate[0].users: must not have more than 1000 users",
      { authenticate: [{ type: "basic", users: Array.from({ length: 1_001 }, (_, index) => ({ username: `u${index}`, password: { env: "PW" } })) }] },
    ],
    ["authenticate[0].users[0].username: must not contain a colon", { authenticate: [{ type: "basic", users: [{ username: "a:b", password: "x" }] }] }],
    [
      "authenticate[0].algorithms[0]: must be one of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, Ed25519",
      { authenticate: [{ type: "jwt", jwksUri: "https://x/", algorithms: ["HS256"] }] },
    ],
    [
      "authenticate[0].jwksUri: must be an http or https URL without a user name or password",
      { authenticate: [{ type: "jwt", jwksUri: "file:///etc/passwd" }] },
    ],
    ["authenticate[0].jwksUri: must be an http or https URL without a user name or password", { authenticate: [{ type: "jwt", jwksUri: "https://u:p@x/" }] }],
    ["authenticate[0].jwksUri: is required", { authenticate: [{ type: "jwt" }] }],
    ["authenticate[0].header: is defined by the preset: remove it, or remove the preset", hmacWith({ preset: "github", header: "X" })],
    ["authenticate[0].header: is required", hmacWith({})],
    ["authenticate[0].template: must contain {body} once", hmacWith({ header: "X", template: "{timestamp}", timestampHeader: "T" })],
    ["authenticate[0].template: supports only {body}, {timestamp}, {method} and {path}", hmacWith({ header: "X", template: "{secret}{body}" })],
    ["authenticate[0].timestampHeader: is required: the template signs {timestamp}", hmacWith({ header: "X", template: "{timestamp}.{body}" })],
    [
      "authenticate[0].template: must contain {timestamp}: otherwise the timestamp is not signed and can be forged",
      hmacWith({ header: "X", timestampHeader: "T" }),
    ],
    ["authenticate[0].secrets[0]: must not be empty", hmacWith({ preset: "github", secrets: [""] })],
    [
      "authenticate[0].secrets[0]: must be base64, with or without the prefix whsec_",
      hmacWith({ preset: "standard-webhooks", secrets: ["whsec_not base64!"] }),
    ],
  ])("reports: %s", (problem, document) => {
    expect(problems(document)).toContain(problem);
    expect(isPolicy(document)).toBe(beyondSchema.test(problem));
  });

  const policies: readonly [unknown][] = [
    [example],
    [apiKeyWith({ key: { env: "KEY" }, fingerprint: "abc", roles: [] })],
    [{ authenticate: [{ type: "apiKey", in: "query", name: "a key", keys: [{ id: "a", key: "k" }] }] }],
    [{ authenticate: [{ type: "jwt", jwksUri: "HTTPS://x/", issuer: ["a", "b"], requireExp: false }] }],
    [hmacWith({ header: "X", template: "{timestamp}.{body}", timestampHeader: "T", prefix: "", encoding: "hex", algorithm: "sha1" })],
    [hmacWith({ preset: "stripe", secrets: [{ env: "A" }, { value: "b", fingerprint: "c" }], toleranceSec: 1 })],
    [{ ip: { deny: ["2001:db8::/32", "::ffff:10.0.0.1"] }, flowId: "f", lastModified: "x", hash: "h" }],
    [{ cors: { origins: ["*"], methods: ["M-SEARCH"], headers: ["X-A"], exposeHeaders: ["X-B"], credentials: false, maxAgeSec: 0 } }],
  ];
  it.each(policies)("and the schema accept %j", (document) => {
    expect(problems(document)).toEqual([]);
    expect([isPolicy(document), isPolicy.errors]).toEqual([true, null]);
  });

  it("is not less strict than the schema for a policy with one change", () => {
    const accepted = policies.flatMap(([document]) => changedDocuments(document)).filter((document) => problems(document).length === 0);
    expect(accepted.length).toBeGreaterThan(100);
    expect(accepted.filter((document) => !isPolicy(document))).toEqual([]);
  });

  it("reports all problems, without values", () => {
    const found = problems({
      authenticate: [
        { type: "apiKey", keys: [{ id: "a", key: ["S3CR3T"] }] },
        { type: "basic", users: [{ username: 5, password: { S3CR3T: 1 } }] },
      ],
      default: "S3CR3T",
    });
    expect(found.length).toBeGreaterThanOrEqual(4);
    expect(found.join()).not.toMatch(/S3CR3T(?!: unknown)/);
  });

  it("never throws for any document", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        readPolicy(value, undefined);
        readPolicy({ authenticate: value, rules: value, ip: value, rateLimit: value, cors: value, default: value }, undefined);
        readPolicy(
          {
            authenticate: [
              { type: "hmac", secrets: value, preset: value },
              { type: "apiKey", keys: [value] },
              { type: "basic", users: [value] },
              { type: "jwt", jwksUri: value },
            ],
          },
          undefined,
        );
      }),
      { numRuns: 300 },
    );
  });
});

describe("reading, editing and writing back a policy", () => {
  const full = {
    authenticate: [
      {
        type: "apiKey",
        keys: [
          { id: "shop", key: "k1" },
          { id: "erp", key: { env: "ERP_KEY" } },
        ],
      },
      { type: "basic", users: [{ username: "u", password: "pw" }] },
      { type: "hmac", preset: "github", secrets: ["one", { value: "two" }, { env: "GH" }] },
    ],
  };

  it("a policy sent back as returned is unchanged; secrets are matched by id and fingerprint, not by position", async () => {
    const policy: Policy = await hashPasswords(readPolicy(full, undefined).policy, undefined);
    const shown = JSON.parse(JSON.stringify({ flowId: "x", lastModified: "2026-11-14T16:02:33.120Z", ...maskPolicy(policy) }));
    expect(JSON.stringify(shown)).not.toMatch(/"(k1|pw|one|two)"/);
    expect(shown.authenticate[0].keys).toEqual([
      { id: "shop", key: "***", fingerprint: hash("sha256", "k1", "hex").slice(0, 8) },
      { id: "erp", key: { env: "ERP_KEY" } },
    ]);
    expect(shown.authenticate[2].secrets[0]).toEqual({ value: "***", fingerprint: hash("sha256", "one", "hex").slice(0, 8) });
    const again = readPolicy(shown, policy);
    expect(again.problems).toEqual([]);
    expect(await hashPasswords(again.policy, policy)).toEqual(policy);

    shown.authenticate.reverse();
    shown.authenticate[0].secrets.reverse();
    shown.authenticate[2].keys.unshift({ id: "new", key: "k2" });
    const edited = await hashPasswords(readPolicy(shown, policy).policy, policy);
    expect(edited.authenticate?.[0]).toMatchObject({ secrets: [{ env: "GH" }, { value: "two" }, { value: "one" }] });
    expect(edited.authenticate?.[2]).toMatchObject({
      keys: [{ id: "new", key: { sha256: hash("sha256", "k2", "hex") } }, { id: "shop", key: { sha256: hash("sha256", "k1", "hex") } }, { id: "erp" }],
    });
    expect(edited.authenticate?.[1]).toEqual(policy.authenticate?.[1]);
  });

  it("an unchanged password keeps its hash, a new one does not", async () => {
    const policy = await hashPasswords(readPolicy(full, undefined).policy, undefined);
    expect(await hashPasswords(readPolicy(full, policy).policy, policy)).toEqual(policy);
    const other = { authenticate: [{ type: "basic", users: [{ username: "u", password: "pw2" }] }] };
    expect((await hashPasswords(readPolicy(other, policy).policy, policy)).authenticate?.[0]).not.toEqual(policy.authenticate?.[1]);
  });

  it("rejects *** when no literal secret is stored under the same id or fingerprint", async () => {
    const policy = await hashPasswords(readPolicy(full, undefined).policy, undefined);
    for (const document of [
      { authenticate: [{ type: "apiKey", keys: [{ id: "erp", key: "***" }] }] },
      { authenticate: [{ type: "apiKey", keys: [{ id: "other", key: "***" }] }] },
      { authenticate: [{ type: "basic", users: [{ username: "v", password: "***" }] }] },
      { authenticate: [{ type: "hmac", preset: "github", secrets: [{ value: "***", fingerprint: "00000000" }] }] },
    ])
      expect(readPolicy(document, policy).problems.length).toBe(1);
  });

  it("rejects lists and templates that are too long", () => {
    const many = <T>(count: number, item: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => item(index));
    const keys = (count: number) => ({ authenticate: [{ type: "apiKey", keys: many(count, (index) => ({ id: `k${index}`, key: `key-${index}` })) }] });
    const addresses = (count: number) => ({ ip: { allow: many(count, (index) => `10.${index >> 8}.${index & 255}.1`) } });
    const rules = (count: number) => ({ rules: many(count, () => ({ public: true })) });
    const template = (length: number) => ({ authenticate: [{ type: "hmac", header: "X-S", secrets: ["s"], template: "{body}".padEnd(length, "x") }] });
    for (const document of [keys(10_000), addresses(10_000), rules(10_000), template(1_000)]) expect(problems(document)).toEqual([]);
    expect(problems(keys(10_001))).toEqual(["authenticate[0].keys: must not have more than 10000 entries"]);
    expect(problems(addresses(10_001))).toEqual(["ip.allow: must not have more than 10000 entries"]);
    expect(problems(rules(10_001))).toEqual(["rules: must not have more than 10000 entries"]);
    expect(problems(template(1_001))).toEqual(["authenticate[0].template: must not be longer than 1000 characters"]);
  });
});
