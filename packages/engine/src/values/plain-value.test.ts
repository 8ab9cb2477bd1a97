import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesAsText, toPlain, toPlainWithin } from "./plain-value.ts";

test("bytes become text if they are UTF-8, otherwise base64", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const text = Buffer.from(bytes).toString("utf8");
      const isText = Buffer.from(text, "utf8").equals(Buffer.from(bytes));
      expect(bytesAsText(bytes)).toBe(isText ? text : Buffer.from(bytes).toString("base64"));
    }),
  );
  for (let limit = 9; limit < 20; limit++) expect(toPlain(Buffer.from("€€€€"), limit)).toMatch(/^€{0,4}$/);
  expect(toPlain({ a: new Uint8Array([255, 0]), b: new Map([["c", new Date(0)]]) })).toEqual({ a: "/wA=", b: { c: "1970-01-01T00:00:00.000Z" } });
});

test("truncated bytes end with a whole character and count as truncated", () => {
  for (const character of ["a", "ü", "€", "😀"]) {
    const body = Buffer.from(character.repeat(100));
    for (let limit = 20; limit < 40; limit++) {
      const { plain, complete } = toPlainWithin(body, limit);
      expect([complete, character.repeat(100).startsWith(String(plain))]).toEqual([false, true]);
    }
  }
});
