import { expect, it } from "vitest";
import { asJson, asText } from "./text.ts";

it("bytes inside lists and maps become text, for Buffer and Uint8Array", () => {
  const bytes = new TextEncoder().encode("grün");
  for (const value of [bytes, Buffer.from(bytes)]) {
    expect(asText([value, "b"])).toBe('["grün","b"]');
    expect(asJson({ deep: new Map([["at", [value]]]) })).toBe('{"deep":{"at":["grün"]}}');
  }
});

it("maps become objects, sets lists, bigints numbers, errors text", () => {
  expect(asJson(new Map<string, unknown>([["a", new Set([1, 2])]]))).toBe('{"a":[1,2]}');
  expect(asJson({ n: 12345678901234567890n, e: new Error("no") })).toBe('{"n":12345678901234567890,"e":"no"}');
  expect(asJson({ n: -12345678901234567890n }, " ")).toBe('{\n "n": -12345678901234567890\n}');
  expect(asJson({ n: 1n, s: "1", t: "\\u0000n1" })).toBe('{"n":1,"s":"1","t":"\\\\u0000n1"}');
  for (const text of ["\u0000n1", 'a"\u0000n1', "\u0000n1 \u0000n0:5", "\u0000n00:5", "\u0000n0:5"])
    for (const n of [5n, -12345678901234567890n])
      for (const indent of [undefined, " "]) {
        const json = asJson({ n, text, [text]: [text, new Error(text)] }, indent);
        expect(json).toContain(`"n":${indent ?? ""}${n}`);
        expect(JSON.parse(json)).toEqual({ n: Number(n), text, [text]: [text, text] });
      }
  expect(asJson(new Date(0))).toBe('"1970-01-01T00:00:00.000Z"');
});
