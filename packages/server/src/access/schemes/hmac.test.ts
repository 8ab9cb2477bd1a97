import { createHmac, randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { accessRequest, testParts, type TestParts } from "../access-request.test-support.ts";
import type { HmacScheme, Principal } from "../policy-document.ts";
import type { BodyVerification } from "./credential-scheme.ts";
import { hmacMatcher } from "./hmac-matcher.ts";
import { hmacScheme } from "./hmac.ts";
import { MemorySignatures } from "./used-signatures.ts";

type Headers = Readonly<Record<string, string>>;

/** Verifies the headers and the body of a request. */
function verify(scheme: ReturnType<typeof hmacScheme>, headers: Headers, body: string | Uint8Array): Principal | "wrong" | "absent" {
  const request = accessRequest(headers);
  const credential = scheme.read(request);
  if (credential === undefined) return "absent";
  const result = scheme.verify(credential, request, "s") as BodyVerification | "wrong";
  return result === "wrong" ? "wrong" : (result.verifyBody(typeof body === "string" ? Buffer.from(body) : body) as Principal | "wrong");
}

const scheme = (options: Omit<HmacScheme, "type">, parts: TestParts = testParts()) =>
  hmacScheme({ type: "hmac", ...options }, parts, new MemorySignatures(parts.monotonic));
const sign = (secret: string, text: string | Buffer, encoding: "hex" | "base64" = "hex", algorithm = "sha256"): string =>
  createHmac(algorithm, secret).update(text).digest(encoding);

describe("hexadecimal signatures", () => {
  it.each(["sha1", "sha256", "sha512"] as const)("%s is accepted in upper, lower and mixed case, for small and large bodies", (algorithm) => {
    const custom = scheme({ algorithm, secrets: [{ value: "key" }] });
    for (const body of ["{}", "x".repeat(20_000)]) {
      const signature = sign("key", body, "hex", algorithm);
      const mixed = signature.slice(0, 20).toUpperCase() + signature.slice(20);
      for (const value of [signature, signature.toUpperCase(), mixed]) expect(verify(custom, { "X-Signature": value }, body)).toMatchObject({ id: "hmac" });
      // The first differs only in the bit that changes the case of a letter.
      for (const value of [signature.replace(/\d/, (digit) => String.fromCharCode(digit.charCodeAt(0) ^ 0x20)), `${signature.slice(0, -1)}G`])
        expect(verify(custom, { "X-Signature": value }, body)).toBe("wrong");
    }
  });
});

describe("published examples", () => {
  it("accepts GitHub's example", () => {
    const github = scheme({ preset: "github", secrets: [{ value: "It's a Secret to Everybody" }], roles: ["hooks"] });
    const headers = { "X-Hub-Signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17" };
    expect(verify(github, headers, "Hello, World!")).toEqual({ id: "github", scheme: "hmac", roles: ["hooks"], claims: {} });
    expect(verify(github, headers, "Hello, World")).toBe("wrong");
    expect(verify(github, {}, "Hello, World!")).toBe("absent");
  });

  it("accepts Slack's example within the tolerance", () => {
    const parts = testParts();
    parts.time = 1_531_420_618_000;
    const body =
      "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
    const headers = { "X-Slack-Request-Timestamp": "1531420618", "X-Slack-Signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503" };
    const slack = () => scheme({ preset: "slack", secrets: [{ value: "8f742231b10e8888abcd99yyyzzz85a5" }] }, parts);
    expect(verify(slack(), headers, body)).toMatchObject({ id: "slack" });
    expect(verify(slack(), { ...headers, "X-Slack-Request-Timestamp": "1531420619" }, body)).toBe("wrong");
    parts.time += 301_000;
    expect(verify(slack(), headers, body)).toBe("wrong");
  });

  it("accepts the example of Standard Webhooks, with and without the secret's prefix", () => {
    const parts = testParts();
    parts.time = 1_614_265_330_000;
    const headers = {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,bm90IHRoaXMgb25l v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    };
    for (const value of ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]) {
      const standard = () => scheme({ preset: "standard-webhooks", secrets: [{ value }] }, parts);
      expect(verify(standard(), headers, '{"test": 2432232314}')).toMatchObject({ id: "standard-webhooks" });
      expect(verify(standard(), { ...headers, "webhook-id": "msg_other" }, '{"test": 2432232314}')).toBe("wrong");
      expect(verify(standard(), { ...headers, "webhook-id": "" }, '{"test": 2432232314}')).toBe("wrong");
    }
  });
});

describe("stripe", () => {
  const parts = testParts();
  const time = Math.floor(parts.time / 1000);
  const stripe = () => scheme({ preset: "stripe", secrets: [{ value: "whsec_old" }, { value: "whsec_new" }] }, parts);
  const header = (at: number | string, secret = "whsec_new", more = ""): Headers => ({ "Stripe-Signature": `t=${at},v1=${sign(secret, `${at}.{}`)}${more}` });

  it("accepts either secret and any of several signatures", () => {
    expect(verify(stripe(), header(time), "{}")).toMatchObject({ id: "stripe" });
    expect(verify(stripe(), header(time, "whsec_old"), "{}")).toMatchObject({ id: "stripe" });
    expect(verify(stripe(), header(time, "whsec_other", `, v1=${sign("whsec_new", `${time}.{}`)}`), "{}")).toMatchObject({ id: "stripe" });
    expect(verify(stripe(), header(time, "whsec_other"), "{}")).toBe("wrong");
  });

  it("rejects a timestamp that is more than 300 seconds off, repeated, missing or invalid", () => {
    for (const at of [time - 300, time, time + 300]) expect(verify(stripe(), header(at), "{}")).toMatchObject({ id: "stripe" });
    for (const at of [time - 301, time + 301, "", "x", `${time}.5`, `-${time}`, "1e9"]) expect([at, verify(stripe(), header(at), "{}")]).toEqual([at, "wrong"]);
    expect(verify(stripe(), header(time, "whsec_new", `,t=${time}`), "{}")).toBe("wrong");
    expect(verify(stripe(), { "Stripe-Signature": `v1=${sign("whsec_new", ".{}")}` }, "{}")).toBe("wrong");
  });

  it("ignores signatures of other versions", () => {
    expect(verify(stripe(), { "Stripe-Signature": `t=${time},v0=${sign("whsec_new", `${time}.{}`)}` }, "{}")).toBe("wrong");
  });

  it("accepts a signature only once, even if it is written differently, and accepts a new signature", () => {
    const once = stripe();
    expect(verify(once, header(time), "{}")).toMatchObject({ id: "stripe" });
    expect(verify(once, header(time), "{}")).toBe("wrong");
    expect(verify(once, { "Stripe-Signature": `v1=${sign("whsec_new", `${time}.{}`).toUpperCase()}, t=${time}` }, "{}")).toBe("wrong");
    expect(verify(once, header(time + 1), "{}")).toMatchObject({ id: "stripe" });
  });
});

describe("formats without a timestamp (Shopify, GitHub)", () => {
  it("accepts the same message twice", () => {
    const shopify = scheme({ preset: "shopify", secrets: [{ value: "hush" }] });
    const headers = { "X-Shopify-Hmac-Sha256": sign("hush", "{}", "base64") };
    expect([verify(shopify, headers, "{}"), verify(shopify, headers, "{}")]).toMatchObject([{ id: "shopify" }, { id: "shopify" }]);
  });

  it("rejects wrong encodings, lengths, alphabets and padding", () => {
    const shopify = scheme({ preset: "shopify", secrets: [{ value: "hush" }] });
    const good = sign("hush", "{}", "base64");
    for (const signature of [
      sign("hush", "{}"),
      good.slice(0, -4),
      `${good}AAAA`,
      good.replace(/=+$/, ""),
      `${good}=`,
      ` ${good}`,
      good.replaceAll(/[+/]/g, "-"),
      "",
      `sha256=${good}`,
    ].filter((text) => text !== good))
      expect([signature, verify(shopify, { "X-Shopify-Hmac-Sha256": signature }, "{}")]).toEqual([signature, "wrong"]);
    const github = scheme({ preset: "github", secrets: [{ value: "hush" }] });
    const hex = sign("hush", "{}");
    for (const signature of [
      hex,
      `sha256=${good}`,
      `sha256=${hex.slice(1)}`,
      `sha256=${hex}0`,
      `sha256=${hex.slice(0, -1)}g`,
      `sha1=${sign("hush", "{}", "hex", "sha1")}`,
      `SHA256=${hex}`,
    ])
      expect([signature, verify(github, { "X-Hub-Signature-256": signature }, "{}")]).toEqual([signature, "wrong"]);
    expect(verify(github, { "X-Hub-Signature-256": `sha256=${hex}` }, "{ }")).toBe("wrong");
  });

  it("rejects a repeated header, even if one signature is valid", () => {
    const github = scheme({ preset: "github", secrets: [{ value: "hush" }] });
    const request = accessRequest(["X-Hub-Signature-256", `sha256=${sign("hush", "{}")}`, "x-hub-signature-256", "sha256=00"]);
    expect(github.verify(github.read(request) as string, request, "s")).toBe("wrong");
  });

  it("an unset or empty variable is not a secret", () => {
    const parts = testParts();
    parts.variables["EMPTY"] = "";
    const github = scheme({ preset: "github", secrets: [{ env: "EMPTY" }, { env: "UNSET" }] }, parts);
    const empty = `sha256=${createHmac("sha256", "").update("{}").digest("hex")}`;
    expect(verify(github, { "X-Hub-Signature-256": empty }, "{}")).toBe("wrong");
    parts.variables["SET"] = "from-env";
    expect(
      verify(scheme({ preset: "github", secrets: [{ env: "SET" }] }, parts), { "X-Hub-Signature-256": `sha256=${sign("from-env", "{}")}` }, "{}"),
    ).toMatchObject({ id: "github" });
  });
});

describe("a custom signature format", () => {
  it("signs the template with any algorithm and encoding", () => {
    const parts = testParts();
    const time = String(Math.floor(parts.time / 1000));
    for (const algorithm of ["sha1", "sha256", "sha384", "sha512"])
      for (const encoding of ["hex", "base64", "base64url"] as const) {
        const custom = scheme(
          {
            id: "erp",
            header: "X-Sig",
            algorithm,
            encoding,
            prefix: "v=",
            template: "{method} {path}\n{timestamp}\n{body}\nend",
            timestampHeader: "X-Time",
            toleranceSec: 60,
            secrets: [{ value: "k" }],
          },
          parts,
        );
        const signature = createHmac(algorithm, "k").update(`POST /api/order-intake\n${time}\nbødy\nend`).digest(encoding);
        expect(verify(custom, { "x-sig": `v=${signature}`, "x-time": time }, "bødy")).toMatchObject({ id: "erp" });
        expect(verify(custom, { "x-sig": `v=${signature}`, "x-time": String(Number(time) + 1) }, "bødy")).toBe("wrong");
        expect(verify(custom, { "x-sig": `v=${signature}` }, "bødy")).toBe("wrong");
      }
  });
});

describe("HMAC", () => {
  it("returns the values of RFC 4231", () => {
    const values = [
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
    ];
    const value = (key: Buffer, data: Buffer): string | undefined => hmacMatcher("sha256", key, "hex")("", data, "", values);
    expect(value(Buffer.alloc(20, 0x0b), Buffer.from("Hi There"))).toBe(values[0]);
    expect(value(Buffer.from("Jefe"), Buffer.from("what do ya want for nothing?"))).toBe(values[1]);
    expect(value(Buffer.alloc(131, 0xaa), Buffer.from("Test Using Larger Than Block-Size Key - Hash Key First"))).toBe(values[2]);
    expect(value(Buffer.from("Jefe"), Buffer.from("what do ya want for something?"))).toBeUndefined();
  });

  it("agrees with createHmac for every key, text and size", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("sha1", "sha256", "sha384", "sha512"),
        fc.uint8Array({ minLength: 1, maxLength: 300 }),
        fc.string({ unit: "binary" }),
        fc.uint8Array({ maxLength: 3_000 }),
        fc.string({ unit: "binary" }),
        (algorithm, key, before, body, after) => {
          const expected = createHmac(algorithm, key).update(before).update(body).update(after).digest("hex");
          const match = (signatures: string[]): string | undefined => hmacMatcher(algorithm, Buffer.from(key), "hex")(before, body, after, signatures);
          expect(match(["x", expected, "f".repeat(expected.length)])).toBe(expected);
          // One character is changed, added or removed; the second differs only in the high byte of a character.
          const at = body.length % expected.length;
          const altered = (character: string): string => expected.slice(0, at) + character + expected.slice(at + 1);
          const wrong = [
            altered(expected[at] === "0" ? "1" : "0"),
            altered(String.fromCharCode(expected.charCodeAt(at) + 256)),
            `${expected}0`,
            expected.slice(1),
            "",
          ];
          expect(match(wrong)).toBeUndefined();
        },
      ),
      { numRuns: 50 },
    );
    for (const size of [16_380, 16_384, 16_385, 1_000_000]) {
      const body = randomBytes(size);
      const expected = createHmac("sha256", "k").update("a").update(body).update("b").digest("base64");
      expect(hmacMatcher("sha256", Buffer.from("k"), "base64")("a", body, "b", [expected, expected.toLowerCase()])).toBe(expected);
      expect(hmacMatcher("sha256", Buffer.from("k"), "base64")("a", body, "c", [expected])).toBeUndefined();
    }
  });
});
