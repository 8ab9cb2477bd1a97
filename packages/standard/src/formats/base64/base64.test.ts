import { exchangeOf, optionsOf, SteppingClock } from "@sluice/testkit";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { base64 } from "./base64.ts";

const format = (options: Record<string, string> = {}) => base64.create(optionsOf(base64, options));
const encode = (body: unknown, options?: Record<string, string>): unknown => format(options).marshal(body, exchangeOf(body));
const decode = (body: unknown): unknown => format().unmarshal(body, exchangeOf(body));

test.each([
  ["hello", {}, "aGVsbG8=\r\n"],
  ["", {}, ""],
  ["hello", { lineLength: "0" }, "aGVsbG8="],
  [new Uint8Array([251, 255]), { urlSafe: "true", lineLength: "0" }, "-_8"],
  ["x".repeat(60), {}, `${"eHh4".repeat(19)}\r\neHh4\r\n`],
  ["xxxxxx", { lineLength: "5", lineSeparator: "\\n" }, "eHh4\neHh4\n"],
])("encodes %j with %j", (body, options, expected) => {
  expect(encode(body, options as Record<string, string>)).toBe(expected);
});

test("both alphabets, missing padding and line breaks are read", () => {
  for (const text of ["+/8=", "-_8", " -_\r\n8= "]) expect(decode(text)).toEqual(new Uint8Array([251, 255]));
});

test.each(["a", "aGVs*", "aGVs=aGVs", "aGVsä"])("%j is rejected", (text) => {
  expect(() => decode(text)).toThrowError(expect.objectContaining({ code: "invalid-base64" }));
});

test("encodes any bytes like Buffer, and decodes them", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(encode(bytes, { lineLength: "0" })).toBe(Buffer.from(bytes).toString("base64"));
      expect(decode(encode(bytes))).toEqual(bytes);
    }),
  );
});

test.each(["76", "0", "20"])("a large body is encoded and decoded in slices, with lines of %s characters", async (lineLength) => {
  const bytes = new Uint8Array(1_000_001).map((_, index) => (index * 7919) % 251);
  const clock = new SteppingClock(20);
  const text = Buffer.from(bytes).toString("base64");
  const lines = lineLength === "0" ? text : `${(text.match(new RegExp(`.{1,${lineLength}}`, "g")) ?? []).join("\r\n")}\r\n`;
  expect((await base64.create(optionsOf(base64, { lineLength }), clock).marshal(bytes, exchangeOf())) === lines).toBe(true);
  expect(clock.yields).toBe(3);
  const read = await base64.create(optionsOf(base64), clock).unmarshal(lines, exchangeOf());
  expect(Buffer.from(read as Uint8Array).equals(bytes)).toBe(true);
  expect(clock.yields).toBeGreaterThan(6);
});
