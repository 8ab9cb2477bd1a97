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
