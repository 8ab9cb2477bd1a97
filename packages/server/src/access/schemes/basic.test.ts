import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { expect, it, vi } from "vitest";
import { accessRequest, testParts } from "../access-request.test-support.ts";
import { hashPassword } from "../password-hash.ts";
import { basicScheme } from "./basic.ts";

const credential = (pair: string): string => Buffer.from(pair).toString("base64");

it("parses username and password according to RFC 7617", async () => {
  const parts = testParts();
  const scheme = basicScheme(
    { type: "basic", users: [{ username: "Aladdin", password: { scrypt: await hashPassword("open sesame") }, roles: ["r"] }] },
    "orders",
    parts,
  );
  const request = accessRequest({ authorization: "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==" });
  expect(await scheme.verify(scheme.read(request) as string, request, "s")).toEqual({ id: "Aladdin", scheme: "basic", roles: ["r"], claims: {} });
  expect(scheme.challenge).toBe('Basic realm="orders", charset="UTF-8"');
  expect(scheme.read(accessRequest({ authorization: "bAsIc QQ==" }))).toBe("QQ==");
  for (const header of ["Bearer x", "Basicx", "Basic", "Digest x"]) expect(scheme.read(accessRequest({ authorization: header }))).toBeUndefined();
  expect(scheme.read(accessRequest(["Authorization", "Basic QQ==", "authorization", "Basic QQ=="]))).toBe("");
  for (const pair of ["Aladdin:open Sesame", "aladdin:open sesame", "Aladdin:", ":open sesame", "Aladdin", "", "Aladdin:open sesame:"])
    expect([pair, await scheme.verify(credential(pair), request, "s")]).toEqual([pair, "wrong"]);
});

it("passwords may contain colons and any character, and may come from a variable that is not empty", async () => {
  const parts = testParts();
  parts.variables["ERP_PW"] = "a:b:ü→";
  parts.variables["EMPTY"] = "";
  const scheme = basicScheme(
    {
      type: "basic",
      users: [
        { username: "erp", password: { env: "ERP_PW" } },
        { username: "empty", password: { env: "EMPTY" } },
        { username: "unset", password: { env: "UNSET" } },
      ],
    },
    "r",
    parts,
  );
  expect(await scheme.verify(credential("erp:a:b:ü→"), accessRequest(), "s")).toMatchObject({ id: "erp" });
  expect(await scheme.verify(credential("empty:"), accessRequest(), "s")).toBe("wrong");
  expect(await scheme.verify(credential("unset:"), accessRequest(), "s")).toBe("wrong");
});

it("caches a valid pair for a while, and never an invalid one", async () => {
  const parts = testParts();
  const scheme = basicScheme({ type: "basic", users: [{ username: "u", password: { scrypt: await hashPassword("p") } }] }, "r", parts);
  expect(scheme.verify(credential("u:p"), accessRequest(), "s")).toBeInstanceOf(Promise);
  await scheme.verify(credential("u:p"), accessRequest(), "s");
  expect(scheme.verify(credential("u:p"), accessRequest(), "s")).toMatchObject({ id: "u" });
  expect(await scheme.verify(credential("u:q"), accessRequest(), "s")).toBe("wrong");
  expect(scheme.verify(credential("u:q"), accessRequest(), "s")).toBeInstanceOf(Promise);
  parts.time += 300_001;
  expect(scheme.verify(credential("u:p"), accessRequest(), "s")).toBeInstanceOf(Promise);
});

it("concurrent requests with one pair share one check, and attempts count before the result is known", async () => {
  const parts = testParts(3);
  const scheme = basicScheme({ type: "basic", users: [{ username: "u", password: { scrypt: await hashPassword("p") } }] }, "r", parts);
  const shared = Array.from({ length: 100 }, () => scheme.verify(credential("u:p"), accessRequest(), "s"));
  expect(new Set(shared).size).toBe(1);
  const guesses = Array.from({ length: 10 }, (_, index) => scheme.verify(credential(`u:${index}`), accessRequest(), "other"));
  expect(guesses.filter((guess) => guess === "throttled").length).toBe(7);
  expect(await Promise.all(guesses.slice(0, 3).map(async (guess) => guess))).toEqual(["wrong", "wrong", "wrong"]);
  expect((await Promise.all(shared.map(async (result) => result))).every((result) => typeof result === "object")).toBe(true);
});

it("checks exactly one password hash of the same cost for an unknown user, a wrong password, and one from a variable", async () => {
  const parts = testParts(1_000);
  parts.variables["PW"] = "from-env";
  const scheme = basicScheme(
    {
      type: "basic",
      users: [
        { username: "known", password: { scrypt: await hashPassword("p") } },
        { username: "env", password: { env: "PW" } },
        { username: "unset", password: { env: "NONE" } },
      ],
    },
    "r",
    parts,
  );
  // Only the derivation of the key takes a noticeable time.
  const derivations = vi.spyOn(crypto, "scrypt");
  syncBuiltinESMExports();
  try {
    const costs = [];
    for (const pair of ["known:wrong", "env:wrong", "unset:wrong", "unknown:wrong", "without a colon"]) {
      derivations.mockClear();
      expect(await scheme.verify(credential(pair), accessRequest(), "s")).toBe("wrong");
      costs.push(derivations.mock.calls.map(([, salt, bytes, options]) => [(salt as Buffer).length, bytes, options]));
    }
    expect(costs[0]).toEqual([[16, 32, { N: 2 ** 15, r: 8, p: 1, maxmem: expect.any(Number) }]]);
    for (const cost of costs) expect(cost).toEqual(costs[0]);
  } finally {
    derivations.mockRestore();
    syncBuiltinESMExports();
  }
});
