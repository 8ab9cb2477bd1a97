import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type JWK } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { accessRequest, testParts, type TestParts } from "../access-request.test-support.ts";
import type { JwtScheme } from "../policy-document.ts";
import { jwtScheme } from "./jwt.ts";

type Pair = Awaited<ReturnType<typeof generateKeyPair>>;
let first: Pair;
let second: Pair;
let curve: Pair;
const jwks: Record<string, JWK> = {};

beforeAll(async () => {
  first = await generateKeyPair("RS256", { extractable: true });
  second = await generateKeyPair("RS256", { extractable: true });
  curve = await generateKeyPair("ES256", { extractable: true });
  for (const [kid, pair, alg] of [
    ["k1", first, "RS256"],
    ["k2", second, "RS256"],
    ["e1", curve, "ES256"],
  ] as const)
    jwks[kid] = { ...(await exportJWK(pair.publicKey)), kid, alg, use: "sig" };
});

const published = (...kids: readonly string[]): string => JSON.stringify({ keys: kids.map((kid) => jwks[kid]) });
const base: JwtScheme = {
  type: "jwt",
  issuer: "https://idp.example.com",
  audience: "sluice",
  jwksUri: "https://idp.example.com/jwks",
  rolesClaim: "realm_access.roles",
  clockSkewSec: 30,
};
const start = (options: Partial<JwtScheme> = {}, kids: readonly string[] = ["k1", "e1"]) => {
  const parts = testParts();
  parts.keys = () => Promise.resolve(published(...kids));
  return { parts, scheme: jwtScheme({ ...base, ...options }, "orders", parts, true) };
};
const claims = { realm_access: { roles: ["orders.write"] }, name: "Ada" };
const token = (
  parts: TestParts,
  {
    key = first.privateKey,
    kid = "k1",
    alg = "RS256",
    iss = "https://idp.example.com",
    aud = "sluice",
    expiresIn = 60 as number | null,
    notBefore = 0,
    more = {} as Record<string, unknown>,
  } = {},
) => {
  const now = Math.floor(parts.time / 1000);
  const jwt = new SignJWT({ ...claims, ...more })
    .setProtectedHeader({ alg, ...(kid === "" ? {} : { kid }) })
    .setSubject("ada")
    .setIssuer(iss)
    .setAudience(aud)
    .setNotBefore(now + notBefore);
  return (expiresIn === null ? jwt : jwt.setExpirationTime(now + expiresIn)).sign(key);
};
const verify = (scheme: ReturnType<typeof jwtScheme>, text: string) => scheme.verify(text, accessRequest(), "s");

describe("tokens", () => {
  it("a valid token provides subject, roles and claims, with RS256 and ES256", async () => {
    const { parts, scheme } = start();
    expect(await verify(scheme, await token(parts))).toMatchObject({
      id: "ada",
      scheme: "jwt",
      roles: ["orders.write"],
      claims: { name: "Ada", iss: "https://idp.example.com" },
    });
    expect(await verify(scheme, await token(parts, { key: curve.privateKey, kid: "e1", alg: "ES256" }))).toMatchObject({ id: "ada" });
    expect(parts.fetches).toBe(1);
  });

  it("rejects tokens with a wrong issuer, audience, key, algorithm, time, signature or format", async () => {
    const { parts, scheme } = start();
    const wrong = {
      issuer: await token(parts, { iss: "https://evil.example" }),
      audience: await token(parts, { aud: "other" }),
      key: await token(parts, { key: second.privateKey }),
      expired: await token(parts, { expiresIn: -31 }),
      early: await token(parts, { notBefore: 31 }),
      unsigned: new UnsecuredJWT(claims).setIssuer("https://idp.example.com").setAudience("sluice").encode(),
      symmetric: await new SignJWT(claims)
        .setProtectedHeader({ alg: "HS256", kid: "k1" })
        .setIssuer("https://idp.example.com")
        .setAudience("sluice")
        .sign(Buffer.from(JSON.stringify(jwks["k1"]))),
      algorithm: await token(parts, { alg: "ES384", kid: "e1", key: (await generateKeyPair("ES384")).privateKey }),
      tampered: (await token(parts)).replace(
        /\.[^.]*\./,
        `.${Buffer.from(JSON.stringify({ ...claims, sub: "root", iss: "https://idp.example.com", aud: "sluice" })).toString("base64url")}.`,
      ),
      nonsense: "a.b.c",
      empty: "",
      long: "x".repeat(20_000),
    };
    for (const [name, text] of Object.entries(wrong)) expect([name, await verify(scheme, text)]).toEqual([name, "wrong"]);
    expect(await verify(scheme, await token(parts, { expiresIn: -29 }))).toMatchObject({ id: "ada" });
    expect(await verify(scheme, await token(parts, { notBefore: 29 }))).toMatchObject({ id: "ada" });
  });

  it("rejects a token without an expiry unless the policy accepts it", async () => {
    const strict = start();
    expect(await verify(strict.scheme, await token(strict.parts, { expiresIn: null }))).toBe("wrong");
    const lenient = start({ requireExp: false });
    expect(await verify(lenient.scheme, await token(lenient.parts, { expiresIn: null }))).toMatchObject({ id: "ada" });
  });

  it("accepts only the algorithms of the policy", async () => {
    const { parts, scheme } = start({ algorithms: ["ES256"] });
    expect(await verify(scheme, await token(parts))).toBe("wrong");
    expect(await verify(scheme, await token(parts, { key: curve.privateKey, kid: "e1", alg: "ES256" }))).toMatchObject({ id: "ada" });
  });

  it("reads roles from a claim, a path of claims, or a space-separated string", async () => {
    const roles = async (rolesClaim: string | undefined, more: Record<string, unknown>) => {
      const { parts, scheme } = start({ rolesClaim });
      return ((await verify(scheme, await token(parts, { more }))) as { roles: readonly string[] }).roles;
    };
    expect(await roles("roles", { roles: ["a", 1, null, "b"] })).toEqual(["a", "b"]);
    expect(await roles("scope", { scope: "read  write" })).toEqual(["read", "write"]);
    expect(await roles("https://x.example/roles", { "https://x.example/roles": ["a"] })).toEqual(["a"]);
    expect(await roles("a.b.c", { a: { b: { c: ["deep"] } } })).toEqual(["deep"]);
    for (const claim of ["absent", "a.b", "constructor.name", "__proto__", undefined]) expect(await roles(claim, { a: 1 })).toEqual([]);
  });

  it("caches a valid token until it expires", async () => {
    const { parts, scheme } = start({ clockSkewSec: 0 });
    const text = await token(parts, { expiresIn: 100 });
    const principal = await verify(scheme, text);
    expect(verify(scheme, text)).toBe(principal);
    parts.time += 99_999;
    expect(verify(scheme, text)).toBe(principal);
    parts.time += 1;
    expect(verify(scheme, text)).toBe("wrong");
  });

  it("routes cannot change a shared principal", async () => {
    const { parts, scheme } = start();
    const principal = (await verify(scheme, await token(parts))) as any;
    expect(() => principal.roles.push("admin")).toThrow(TypeError);
    expect(() => (principal.claims.realm_access.roles[0] = "admin")).toThrow(TypeError);
  });

  it("with several issuers, the issuer of the token selects the scheme", async () => {
    const parts = testParts();
    parts.keys = () => Promise.resolve(published("k1"));
    const scheme = jwtScheme(base, "orders", parts, false);
    const bearer = async (iss: string) => accessRequest({ authorization: `Bearer ${await token(parts, { iss })}` });
    expect(scheme.read(await bearer("https://other.example"))).toBeUndefined();
    expect(scheme.read(await bearer("https://idp.example.com"))).toBeDefined();
    expect(scheme.read(accessRequest({ authorization: "Bearer nonsense" }))).toBeUndefined();
  });
});

describe("key sets", () => {
  it("finds a new key at once, and limits requests for unknown keys", async () => {
    const { parts, scheme } = start({}, ["k1"]);
    await verify(scheme, await token(parts));
    parts.keys = () => Promise.resolve(published("k1", "k2"));
    expect(await verify(scheme, await token(parts, { key: second.privateKey, kid: "k2" }))).toMatchObject({ id: "ada" });
    expect(parts.fetches).toBe(2);
    for (let index = 0; index < 50; index++) expect(await verify(scheme, await token(parts, { kid: `made-up-${index}` }))).toBe("wrong");
    expect(parts.fetches).toBeLessThanOrEqual(6);
    parts.time += 30_000;
    await verify(scheme, await token(parts, { kid: "later" }));
    expect(parts.fetches).toBeLessThanOrEqual(7);
  });

  it("rejects a token whose key was removed, even if the token was verified before", async () => {
    const { parts, scheme } = start({}, ["k1"]);
    const text = await token(parts, { expiresIn: 10_000 });
    await verify(scheme, text);
    parts.keys = () => Promise.resolve(published("k2"));
    parts.time += 600_000;
    await verify(scheme, text);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await verify(scheme, text)).toBe("wrong");
  });

  it("denies access while the keys are unavailable, fetches them with back-off, and recovers", async () => {
    const { parts, scheme } = start();
    parts.keys = () => Promise.reject(new Error("ECONNREFUSED"));
    const text = await token(parts);
    for (let index = 0; index < 20; index++) expect(await verify(scheme, text)).toBe("unavailable");
    expect(parts.fetches).toBe(1);
    for (const nonsense of ["{}", "no JSON", '{"keys":1}', "null"]) {
      parts.keys = () => Promise.resolve(nonsense);
      parts.time += 10_000;
      expect([nonsense, await verify(scheme, text)]).toEqual([nonsense, "unavailable"]);
    }
    parts.keys = () => Promise.resolve(published("k1"));
    parts.time += 10_000;
    expect(await verify(scheme, text)).toMatchObject({ id: "ada" });
  });

  it("cached keys are used for a limited time during an outage", async () => {
    const { parts, scheme } = start();
    const text = await token(parts, { expiresIn: 100_000 });
    await verify(scheme, text);
    parts.keys = () => Promise.reject(new Error("down"));
    parts.time += 1_799_999;
    expect(await verify(scheme, text)).toMatchObject({ id: "ada" });
    parts.time += 10_001;
    expect(await verify(scheme, text)).toBe("unavailable");
  });

  it("during an outage, the result for a token with an unknown key is 'unavailable', not 'wrong'", async () => {
    const { parts, scheme } = start({}, ["k1"]);
    await verify(scheme, await token(parts));
    parts.keys = () => Promise.reject(new Error("down"));
    expect(await verify(scheme, await token(parts, { key: second.privateKey, kid: "k2" }))).toBe("unavailable");
    expect(await verify(scheme, await token(parts, { expiresIn: 59 }))).toMatchObject({ id: "ada" });
  });

  it("an invalid published key matches no token and does not affect others", async () => {
    const { e: _e, ...withoutExponent } = jwks["k1"] as JWK;
    const { y: _y, ...withoutPoint } = jwks["e1"] as JWK;
    const key = jwks["k1"] as JWK;
    for (const [kid, broken] of [
      ["k1", withoutExponent],
      ["k1", { ...key, n: "!!" }],
      ["k1", { ...key, n: "AQAB" }],
      ["k1", { ...key, n: 5 }],
      ["k1", { ...key, kty: "EC" }],
      ["e1", withoutPoint],
      ["e1", { ...jwks["e1"], crv: "P-521" }],
      ["e1", { ...jwks["e1"], x: "AA" }],
    ] as const) {
      const { parts, scheme } = start();
      parts.keys = () => Promise.resolve(JSON.stringify({ keys: [broken, jwks["k2"]] }));
      const signed = await token(parts, kid === "k1" ? {} : { kid, key: curve.privateKey, alg: "ES256" });
      expect([broken, await verify(scheme, signed)]).toEqual([broken, "wrong"]);
      for (const id of ["k2", ""]) expect(await verify(scheme, await token(parts, { kid: id, key: second.privateKey }))).toMatchObject({ id: "ada" });
    }
  });

  it("a token without a key id is tried with every suitable key", async () => {
    const { parts, scheme } = start({}, ["k1", "k2"]);
    expect(await verify(scheme, await token(parts, { key: second.privateKey, kid: "" }))).toMatchObject({ id: "ada" });
    const other = start({}, ["k1", "e1"]);
    expect(await verify(other.scheme, await token(other.parts, { key: second.privateKey, kid: "" }))).toBe("wrong");
  });

  it("a hundred concurrent requests fetch the keys once", async () => {
    const { parts, scheme } = start();
    const tokens = await Promise.all(Array.from({ length: 100 }, (_, index) => token(parts, { more: { index } })));
    expect((await Promise.all(tokens.map(async (text) => verify(scheme, text)))).every((result) => typeof result === "object")).toBe(true);
    expect(parts.fetches).toBe(1);
  });
});
