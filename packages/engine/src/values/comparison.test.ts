import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareValues } from "./ordering.ts";
import { equalsDecimal, looseEquals, looseEqualsIgnoreCase, strictEquals } from "./equality.ts";
import { iterate } from "./iteration.ts";
import { isTrue } from "./truth.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("looseEquals", () => {
  it.each([
    ["70", "070", true],
    ["0.02", "0.020", false],
    ["-7", "-007", true],
    ["12345678901234567890", "12345678901234567891", false],
    ["12345678901234567890", "012345678901234567890", true],
    ["-12345678901234567890", "-0012345678901234567890", true],
    ["-12345678901234567890", "12345678901234567890", false],
    ["-00000000000000000000", "0", true],
    ["a", "A", false],
    [123, "123", true],
    [123, "123.0", false],
    [0.02, "0.020", true],
    [2.5, "2", false],
    [true, "TRUE", true],
    [false, "anything", true],
    [true, 2, true],
    [false, 0, true],
    [null, undefined, true],
    [null, "", false],
    [0, null, false],
    [["a", { b: 1 }], ["a", { b: 1 }], true],
    [["a"], ["b"], false],
    [{ a: 1 }, new Map([["a", 1]]), true],
    [bytes("abc"), "abc", true],
    [bytes("007"), 7, true],
  ])("%j and %j: %s", (one, other, expected) => {
    expect(looseEquals(one, other)).toBe(expected);
    expect(looseEquals(other, one)).toBe(expected);
  });

  it("compares numbers of nine million digits", () => {
    const digits = "1".repeat(9_000_000);
    expect(looseEquals(digits, `${digits}0`)).toBe(false);
    expect(looseEquals(digits, `0${digits}`)).toBe(true);
  });

  it("ignores case only when requested", () => {
    expect(looseEqualsIgnoreCase("Straße", "STRAßE")).toBe(true);
    expect(looseEqualsIgnoreCase("a", "b")).toBe(false);
  });

  it("compares the decimals of a string with a decimal literal", () => {
    expect(equalsDecimal("123.0", 123)).toBe(true);
    expect(equalsDecimal("123", 123)).toBe(true);
    expect(equalsDecimal("x", 123)).toBe(false);
  });
});

describe("strictEquals", () => {
  it("treats a value as equal after a JSON round trip, for any key order", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        // JSON has no negative zero.
        const copy = JSON.parse(JSON.stringify(value)) as unknown;
        expect(strictEquals(copy, JSON.parse(JSON.stringify(copy)))).toBe(true);
      }),
    );
    expect(strictEquals({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(true);
    expect(strictEquals({ a: undefined }, { b: undefined })).toBe(false);
    expect(strictEquals(1, "1")).toBe(false);
  });
});

describe("compareValues", () => {
  it.each([
    ["9", "10", -1],
    ["9", "10.25", -1],
    ["9", "1x", 1],
    [9, "10", -1],
    ["abc", 5, 1],
    [true, "false", 1],
    ["b", "a", 1],
    [new Date(5), 4, 1],
    [bytes("2"), 10, -1],
  ])("%j against %j: %d", (one, other, sign) => {
    expect(Math.sign(compareValues(one, other) ?? Number.NaN)).toBe(sign);
    expect(Math.sign(compareValues(other, one) ?? Number.NaN)).toBe(-sign);
  });

  it("is undefined for null", () => {
    expect(compareValues(null, 1)).toBeUndefined();
    expect(compareValues(null, null)).toBeUndefined();
  });
});

describe("iterate", () => {
  it.each([
    ["a,b", ["a", "b"]],
    [",a,", ["a"]],
    [",,a", ["", "a"]],
    [",", []],
    [" ", []],
    ["one", ["one"]],
    [bytes("a,b"), ["a", "b"]],
    [{ k: 1 }, [{ key: "k", value: 1 }]],
    [new Map([["k", 1]]), [{ key: "k", value: 1 }]],
    [7, [7]],
    [null, []],
  ])("returns the elements of %j", (value, expected) => {
    expect(iterate(value)).toEqual(expected);
  });
});

describe("isTrue", () => {
  it.each([
    [0, true],
    [{}, true],
    ["no", true],
    [bytes("x"), true],
    ["", false],
    [" FALSE ", false],
    [[], false],
    [bytes(""), false],
    [undefined, false],
  ])("%j is %s", (value, expected) => {
    expect(isTrue(value)).toBe(expected);
  });
});
