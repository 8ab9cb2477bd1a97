import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { accessRequest, testParts } from "../access-request.test-support.ts";
import type { AccessRequest } from "../../http/access.ts";
import { apiKeyScheme } from "./api-key.ts";
import type { CredentialScheme } from "./credential-scheme.ts";

const digest = (text: string): string => hash("sha256", text, "hex");
const verify = (scheme: CredentialScheme, request: AccessRequest): unknown => {
  const credential = scheme.read(request);
  return credential === undefined ? "absent" : scheme.verify(credential, request, "s");
};

it("finds a key by its digest and returns its principal", () => {
  const scheme = apiKeyScheme(
    {
      type: "apiKey",
      keys: [
        { id: "shop", key: { sha256: digest("s3cr3t") }, roles: ["orders.write"] },
        { id: "erp", key: { sha256: digest("other") } },
      ],
    },
    testParts(),
  );
  expect(verify(scheme, accessRequest({ "x-api-key": "s3cr3t" }))).toEqual({ id: "shop", scheme: "apiKey", roles: ["orders.write"], claims: {} });
  expect(verify(scheme, accessRequest({ "X-API-KEY": "other" }))).toEqual({ id: "erp", scheme: "apiKey", roles: [], claims: {} });
  for (const key of ["s3cr3", "s3cr3tt", "S3CR3T", "", digest("s3cr3t"), " s3cr3t"])
    expect([key, verify(scheme, accessRequest({ "x-api-key": key }))]).toEqual([key, "wrong"]);
  expect(verify(scheme, accessRequest({ authorization: "s3cr3t" }))).toBe("absent");
  expect(verify(scheme, accessRequest({}, { query: "X-API-Key=s3cr3t" }))).toBe("absent");
});

it("rejects a repeated key", () => {
  const scheme = apiKeyScheme({ type: "apiKey", keys: [{ id: "shop", key: { sha256: digest("k") } }] }, testParts());
  expect(verify(scheme, accessRequest(["X-API-Key", "k", "x-api-key", "k"]))).toBe("wrong");
  const query = apiKeyScheme({ type: "apiKey", in: "query", name: "key", keys: [{ id: "shop", key: { sha256: digest("k") } }] }, testParts());
  expect(verify(query, accessRequest({}, { query: "key=k&key=k" }))).toBe("wrong");
});

it("finds the query parameter in any URL encoding of its name", () => {
  const scheme = apiKeyScheme({ type: "apiKey", in: "query", name: "api key", keys: [{ id: "shop", key: { sha256: digest("a+b ü") } }] }, testParts());
  expect(verify(scheme, accessRequest({}, { query: "x=1&api%20key=a%2Bb+%C3%BC" }))).toMatchObject({ id: "shop" });
  expect(verify(scheme, accessRequest({}, { query: "api+k%65y=a%2Bb%20%C3%BC" }))).toMatchObject({ id: "shop" });
  expect(verify(scheme, accessRequest({}, { query: "api+key=%ff" }))).toBe("wrong");
  expect(verify(scheme, accessRequest({}, { query: "api+key" }))).toBe("wrong");
  expect(verify(scheme, accessRequest({ "api key": "a+b ü" }))).toBe("absent");
});

it("compares the bytes that a UTF-8 client sends in a header", () => {
  const scheme = apiKeyScheme({ type: "apiKey", keys: [{ id: "shop", key: { sha256: digest("schlüssel") } }] }, testParts());
  expect(verify(scheme, accessRequest({ "x-api-key": Buffer.from("schlüssel").toString("latin1") }))).toMatchObject({ id: "shop" });
});

it("rejects an expired key", () => {
  const parts = testParts();
  const scheme = apiKeyScheme(
    { type: "apiKey", keys: [{ id: "shop", key: { sha256: digest("k") }, expiresAt: new Date(parts.time + 1_000).toISOString() }] },
    parts,
  );
  expect(verify(scheme, accessRequest({ "x-api-key": "k" }))).toMatchObject({ id: "shop" });
  parts.time += 1_000;
  expect(verify(scheme, accessRequest({ "x-api-key": "k" }))).toBe("wrong");
});

it("no credential matches a key whose variable is unset or empty", () => {
  const parts = testParts();
  parts.variables["EMPTY"] = "";
  parts.variables["SET"] = "value";
  const scheme = apiKeyScheme({ type: "apiKey", keys: ["EMPTY", "UNSET", "SET"].map((env) => ({ id: env, key: { env } })) }, parts);
  expect(verify(scheme, accessRequest({ "x-api-key": "" }))).toBe("wrong");
  expect(verify(scheme, accessRequest({ "x-api-key": "value" }))).toMatchObject({ id: "SET" });
});

it("the source file of every secret comparison calls timingSafeEqual exactly once", () => {
  for (const file of ["api-key.ts", "basic.ts", "hmac-matcher.ts", "../password-hash.ts"])
    expect([file, readFileSync(new URL(`./${file}`, import.meta.url), "utf8").match(/timingSafeEqual\(/g)?.length]).toEqual([file, 1]);
});
