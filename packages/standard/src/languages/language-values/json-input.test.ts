import { describe, expect, it } from "vitest";
import { toPlainJson } from "./json-input.ts";

describe("toPlainJson", () => {
  it("shares plain values", () => {
    const value = { a: [1, { b: null }] };
    expect(toPlainJson(value)).toBe(value);
  });

  it("turns maps, sets, dates and bytes into JSON", () => {
    const value = { m: new Map<string, unknown>([["k", new Set([1, 2])]]), d: new Date(0), b: new TextEncoder().encode("hi"), u: undefined };
    expect(toPlainJson(value)).toEqual({ m: { k: [1, 2] }, d: "1970-01-01T00:00:00.000Z", b: "hi", u: null });
  });

  it("converts each part once, however deeply it is nested", () => {
    let value: unknown = new Date(0);
    for (let depth = 0; depth < 100; depth++) value = { same: depth, value };
    let plain = toPlainJson(value) as { readonly value: unknown };
    for (let depth = 1; depth < 100; depth++) plain = plain.value as typeof plain;
    expect(plain).toEqual({ same: 0, value: "1970-01-01T00:00:00.000Z" });
  });

  it("keeps members before and after a converted one", () => {
    expect(Object.entries(toPlainJson({ a: 1, b: new Set([2]), c: { d: 3 } }) as object)).toEqual([
      ["a", 1],
      ["b", [2]],
      ["c", { d: 3 }],
    ]);
  });

  it("keeps __proto__ as a member", () => {
    const plain = toPlainJson(new Map([["__proto__", { polluted: true }]])) as object;
    expect(Object.keys(plain)).toEqual(["__proto__"]);
    expect((plain as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it("rejects a value nested too deeply for the stack", () => {
    let value: unknown = new Map();
    for (let depth = 0; depth < 3000; depth++) value = [value];
    expect(() => toPlainJson(value)).toThrow(/size limit/);
  });
});
