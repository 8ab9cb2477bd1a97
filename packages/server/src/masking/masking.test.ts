import { toPlain } from "@sluice/engine/values";
import { searchGrowth } from "@sluice/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { headersText, maskEnd, plainWithin, previewBody, shownHeaders } from "./preview.ts";
import { isSecretHeader } from "./secret-headers.ts";
import { maskUris } from "./secret-uris.ts";
import { createSecretValues } from "./secret-values.ts";

describe("secret headers", () => {
  it("include credentials, cookies, keys, tokens and signatures, in upper or lower case", () => {
    for (const name of [
      "Authorization",
      "proxy-authorization",
      "Cookie",
      "SET-COOKIE",
      "X-API-Key",
      "x-my-key",
      "db-Password",
      "X-Auth-Token",
      "client-secret",
      "X-Hub-Signature-256",
      "Stripe-Signature",
    ])
      expect([name, isSecretHeader(name)]).toEqual([name, true]);
    for (const name of ["Content-Type", "X-Id", "keyboard", "CamelHttpResponseCode", "CamelAggregatedCorrelationKey", "Idempotency-Key", "monkeys"])
      expect([name, isSecretHeader(name)]).toEqual([name, false]);
  });

  it("are masked, and names such as '__proto__' cannot change the prototype", () => {
    const shown = shownHeaders([
      ["Cookie", "a=1"],
      ["__proto__", "x"],
      ["constructor", "y"],
      ["n", 5],
    ]);
    expect(shown).toEqual({ Cookie: "***", constructor: "y", n: 5 });
  });

  it("produce the same JSON when they are written as text, within the same limit", () => {
    const names = fc.constantFrom("Cookie", "a", 'quo"te', "X-Id", "__proto__");
    const value = fc.oneof(fc.string(), fc.jsonValue(), fc.constant("z".repeat(20_000)), fc.constant(undefined));
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(names, value), { selector: ([name]) => name }), (headers) => {
        expect(`{${headersText(headers)}}`).toBe(JSON.stringify(shownHeaders(headers)));
      }),
    );
  });
});

describe("URIs", () => {
  it("are masked at any position in a text", () => {
    expect(maskUris("http://u:S3CR3T@h/p")).toBe("http://u:***@h/p");
    expect(maskUris("ftp:h?password=S3CR3T&x=1")).toBe("ftp:h?password=***&x=1");
    expect(maskUris("x?a=1&access_token=S3CR3T#f")).toBe("x?a=1&access_token=***#f");
    expect(maskUris("x?password=RAW(S3&CR3T)&b=2")).toBe("x?password=***&b=2");
    expect(maskUris("failed to call http://u:S3CR3T@h, twice http://v:S3CR3T@h")).not.toContain("S3CR3T");
    expect(maskUris("a=b@c plain, 3 = 4")).toBe("a=b@c plain, 3 = 4");
    expect(maskUris("x?a=1;db.password=S3CR3T&sig=S3CR3T&design=1&key=S3CR3T&monkey=2")).toBe("x?a=1;db.password=***&sig=***&design=1&key=***&monkey=2");
  });

  it.each([";", "?a", "?password", "&password=RAW(", "//a:", "?secret;", "//"])("are masked in linear time in a text of %j", (piece) => {
    // More than the 1,000 characters to which RAW values are limited.
    expect(searchGrowth((size) => maskUris(`${piece.repeat(Math.ceil(size / piece.length))} =@`), 4_096)).toBeLessThan(10);
  });

  it("are masked in headers with a URI or its query", () => {
    expect(
      shownHeaders([
        ["CamelHttpQuery", "access_token=S3CR3T&x=1"],
        ["CamelHttpUrl", "http://u:S3CR3T@h/a?x=1&password=S3CR3T"],
        ["n", "a=b"],
      ]),
    ).toEqual({ CamelHttpQuery: "access_token=***&x=1", CamelHttpUrl: "http://u:***@h/a?x=1&password=***", n: "a=b" });
  });
});

describe("secret values", () => {
  it("are masked in plain, JSON-escaped and URI-encoded text", () => {
    const secrets = createSecretValues();
    secrets.set("flow", ['pa"ss w&rd', "longer-secret", "short"]);
    expect(secrets.scrub('x pa"ss w&rd y')).toBe("x *** y");
    expect(secrets.scrub(JSON.stringify({ a: 'pa"ss w&rd' }))).toBe('{"a":"***"}');
    expect(secrets.scrub(`?p=${encodeURIComponent('pa"ss w&rd')}`)).toBe("?p=***");
    expect(secrets.scrub("a short word")).toBe("a short word");
    expect(secrets.scrubJson(JSON.stringify({ body: JSON.stringify({ p: 'pa"ss w&rd' }) }))).toBe(JSON.stringify({ body: '{"p":"***"}' }));
    secrets.set("flow", []);
    expect(secrets.scrub("longer-secret")).toBe("longer-secret");
  });

  it("keep JSON valid for any secret", () => {
    const secrets = createSecretValues();
    secrets.set("flow", ["123456", "tabloid", '":true', "\ud800lonely"]);
    expect(JSON.parse(secrets.scrubJson(JSON.stringify({ n: 91234567, s: "\tabloid", k123456: [123456, null, true, "x123456"] })))).toEqual({
      n: "***",
      s: "\tabloid",
      "k***": ["***", null, true, "x***"],
    });
    expect(secrets.scrubJson('{"a":true,"__proto__":"123456"}')).toBe('{"a":true,"__proto__":"***"}');
    expect(secrets.scrub("\ud800lonely")).toBe("***");
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ minLength: 6, maxLength: 8 }), (value, secret) => {
        secrets.set("other", [secret]);
        const json = JSON.stringify({ value, secret });
        expect(() => JSON.parse(secrets.scrubJson(json)) as unknown).not.toThrow();
        expect((JSON.parse(secrets.scrubJson(json)) as { secret: string }).secret).not.toContain(secret);
      }),
    );
  });

  it("are masked in an event if they were secret when it occurred or became secret later", () => {
    const secrets = createSecretValues();
    secrets.set("flow", ["first-secret"]);
    const scrubber = secrets.asOfNow();
    expect(secrets.asOfNow()).toBe(scrubber);
    secrets.set("flow", ["second-secret"]);
    expect(scrubber.scrubJson('"first-secret, second-secret"')).toBe('"***, ***"');
    expect(["x first", "x second"].map((text) => scrubber.scrubEnd(text))).toEqual(["x ***", "x ***"]);
    secrets.set("flow", []);
    expect(scrubber.scrubJson('"first-secret, second-secret"')).toBe('"***, second-secret"');
    expect(secrets.scrub("first-secret")).toBe("first-secret");
  });

  it.each([
    ["the key is top-se", "the key is ***"],
    ["the key is top-secret", "the key is ***"],
    ['{"a":["x top-se"]}', '{"a":["x ***"]}'],
    ["half a character: top-s\ufffd", "half a character: ***\ufffd"],
    ["too short: top", "too short: top"],
    ["in the middle: top-se, then more", "in the middle: top-se, then more"],
    ["http://user:pass", "http://user:***"],
    ['{"uri":"amqp://user:pass"}', '{"uri":"amqp://user:***"}'],
    ["http://host/path:1", "http://host/path:1"],
    ["", ""],
  ])("truncated text %j ends as %j", (text, shown) => {
    const secrets = createSecretValues();
    secrets.set("flow", ["top-secret", "another secret"]);
    expect(secrets.scrubEnd(text)).toBe(shown);
    expect(secrets.records.scrubEnd(text)).toBe(shown);
  });

  it("are not shown in part at the end of a truncated value or in a long header", () => {
    const secrets = createSecretValues();
    secrets.set("flow", ["top-secret", "123456"]);
    for (const limit of [23, 24, 25, 26, 27, 28, 29]) expect(JSON.stringify(plainWithin({ a: "x top-secret y" }, limit, secrets))).not.toContain("top-");
    expect(maskEnd([1234], secrets)).toBe("***");
    const shown = shownHeaders([
      ["a", `${"z".repeat(16_370)}top-secret`],
      ["map", { password: "x" }],
    ]);
    expect(shown).toEqual({ a: "[too long]" });
    expect(shownHeaders([["map", { password: "x", n: 1 }]])).toEqual({ map: { password: "***", n: 1 } });
  });

  it("are masked in any surrounding text", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 6, maxLength: 40 }), fc.string(), (secret, around) => {
        fc.pre(!around.includes(secret) && !"***".includes(secret));
        const secrets = createSecretValues();
        secrets.set("x", [secret]);
        const scrubbed = secrets.scrub(`${around}\u0001${secret}\u0001${around}`);
        return !scrubbed.includes(`\u0001${secret}\u0001`);
      }),
    );
  });
});

describe("values as JSON", () => {
  it("converts bytes, dates, maps, sets and special values", () => {
    expect(toPlain(new Uint8Array([104, 105]))).toBe("hi");
    expect(toPlain(new Uint8Array([255, 0]))).toBe("/wA=");
    expect(toPlain(new Date(0))).toBe("1970-01-01T00:00:00.000Z");
    expect(toPlain(new Map<string, unknown>([["a", new Set([1])]]))).toEqual({ a: [1] });
    expect(toPlain([undefined, null, Number.NaN, 10n])).toEqual([null, null, "NaN", "10"]);
    const circular: Record<string, unknown> = { a: 1 };
    circular["self"] = circular;
    expect(toPlain(circular)).toEqual({ a: 1, self: null });
  });

  it("leaves JSON values unchanged", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => JSON.stringify(toPlain(value)) === JSON.stringify(value)));
  });

  it("converts only the part that is shown", () => {
    const huge = Array.from({ length: 1_000_000 }, (_, index) => index);
    expect((toPlain(huge, 1_000) as unknown[]).length).toBeLessThan(200);
    expect(previewBody(huge, 100)).toMatchObject({ truncated: true, size: undefined });
    expect(previewBody("é".repeat(2_000), 1_024)).toEqual({ text: "é".repeat(1_024), size: 4_000, truncated: true });
    expect(previewBody(null, 10)).toEqual({ text: "", size: 0, truncated: false });
  });
});
